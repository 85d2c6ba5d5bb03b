"""scikit-learn's contract for estimators, without importing scikit-learn."""

import inspect
from typing import Any, Self

from tercet.errors import InvalidOption


class Options:
    """A frozen value with its own options. An estimator may have it as a parameter."""

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    def replace(self, **changes: Any) -> Self:
        raise NotImplementedError


class Estimator:
    """The parameters are the arguments of `__init__`, stored unchanged. `a__b` is option b of parameter a."""

    @classmethod
    def _parameters(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also those of nested analyzers and models."""
        params = {name: getattr(self, name) for name in self._parameters()}
        if deep:
            for name, value in list(params.items()):
                options = value.to_dict() if isinstance(value, Options) else {}
                options = value.get_params() if isinstance(value, Estimator) else options
                params |= {f"{name}__{option}": v for option, v in options.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters. What was learned does not change until the next `fit`."""
        nested: dict[str, dict[str, Any]] = {}
        known = self._parameters()
        for key, value in params.items():
            name, _, option = key.partition("__")
            if name not in known:
                raise InvalidOption(f"{type(self).__name__} has no parameter {key!r}: it has {', '.join(known)}.")
            if option:
                nested.setdefault(name, {})[option] = value
            else:
                setattr(self, name, value)
        for name, options in nested.items():
            setattr(self, name, self._with_options(name, options))
        return self

    def _with_options(self, name: str, options: dict[str, Any]) -> Any:
        """The value of a parameter with some of its own options changed."""
        value = getattr(self, name)
        if isinstance(value, Estimator):  # a copy: other objects may use the same value
            return type(value)(**value.get_params(deep=False)).set_params(**options)
        if not isinstance(value, Options):
            raise InvalidOption(f"{name}={value!r} has no options to set, got {', '.join(options)}.")
        return value.replace(**options)

    def __repr__(self) -> str:
        options = inspect.signature(type(self)).parameters.values()
        values = [(option, getattr(self, option.name)) for option in options]
        changed = [f"{option.name}={_show(value)}" for option, value in values if repr(value) != repr(option.default)]
        return f"{type(self).__name__}({', '.join(changed)})"


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 else text[:297] + "..."
