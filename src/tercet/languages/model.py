"""A model of languages: what it knows of each writing system, in one file."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Floats, Integers
from tercet.errors import BadModelFile
from tercet.kernel import engine
from tercet.languages.ngram_rows import NgramRows
from tercet.store.model_file import read_model, write_model

KIND = "languages 1"


class SystemRows(NamedTuple):
    """A writing system: its name, the weight of its letters, the labels written in it, and its n-grams."""

    name: str
    n_bits: int
    order: int
    weight: int
    labels: Integers
    rows: NgramRows


class LanguageModel(NamedTuple):
    """Labels such as `deu_Latn` with their names, the letters, the writing systems, and the sources that it was built from."""

    labels: tuple[str, ...]
    names: tuple[str, ...]
    letters: npt.NDArray[np.uint32]  # runs: first and last code, the letter of the first, the step from letter to letter
    systems: tuple[SystemRows, ...]
    typical: Floats  # the mean surprise of a letter in a text of the language, in nats
    sources: tuple[Mapping[str, Any], ...]

    def make_scorer(self) -> engine.LanguageScorer:
        systems = [(s.n_bits, s.order, s.weight, s.labels, *s.rows) for s in self.systems]
        return engine.LanguageScorer(self.letters, systems, len(self.labels))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model. Equal models give equal files."""
        systems = [{"name": s.name, "n_bits": s.n_bits, "order": s.order, "weight": s.weight} for s in self.systems]
        content = {
            "kind": KIND,
            "labels": list(self.labels),
            "names": list(self.names),
            "systems": systems,
            "sources": list(self.sources),
        }
        arrays: dict[str, Array | Mapping[str, Array]] = {"letters": self.letters, "typical": self.typical}
        for number, system in enumerate(self.systems):
            keys = system.rows.keys
            arrays[f"system{number}"] = {
                "labels": system.labels,
                "keys": (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32),
                "high_keys": (keys >> np.uint64(32)).astype(np.uint8),
                "costs": system.rows.costs,
                "surprise": system.rows.surprise,
            }
        write_model(path, content, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "LanguageModel":
        """Read a model. A damaged file and one of another kind are refused."""
        return cls.load_with_scorer(path)[0]

    @classmethod
    def load_with_scorer(cls, path: str | os.PathLike[str]) -> tuple["LanguageModel", engine.LanguageScorer]:
        """Read a model, and make its scorer: the kernel checks the numbers."""
        try:
            found = read_model(path)
        except BadModelFile as error:
            raise BadModelFile(f"{error} Build it again with: tercet languages --build.") from error
        if found.content.get("kind") != KIND:
            raise BadModelFile(f"{path} is no model of languages: build one with: tercet languages --build.")
        try:
            model = cls._read(found.content, found.arrays)
            return model, model.make_scorer()
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise BadModelFile(f"{path} is damaged: {error}. Build it again with: tercet languages --build.") from error

    @classmethod
    def _read(cls, content: Mapping[str, Any], arrays: Mapping[str, Array]) -> "LanguageModel":
        systems = []
        for number, told in enumerate(content["systems"]):
            own = {name: arrays[f"system{number}/{name}"] for name in ("labels", "keys", "high_keys", "costs", "surprise")}
            keys = own["keys"].astype(np.uint64) | own["high_keys"].astype(np.uint64) << np.uint64(32)
            rows = NgramRows(keys, _check(own["costs"], np.uint8, 2), _check(own["surprise"], np.uint8, 1))
            labels = _check(own["labels"], np.int64, 1)
            n_bits, order, weight = (int(told[name]) for name in ("n_bits", "order", "weight"))
            systems.append(SystemRows(str(told["name"]), n_bits, order, weight, labels, rows))
        labels, names = tuple(map(str, content["labels"])), tuple(map(str, content["names"]))
        typical = _check(arrays["typical"], np.float64, 1)
        if not len(labels) == len(names) == len(typical) or len(set(labels)) < len(labels) or not np.isfinite(typical).all():
            raise ValueError("its labels do not fit")
        return cls(labels, names, _check(arrays["letters"], np.uint32, 2), tuple(systems), typical, tuple(content["sources"]))


def _check(array: Array, dtype: Any, n_dimensions: int) -> Any:
    if array.dtype != dtype or array.ndim != n_dimensions:
        raise ValueError("an array has another type")
    return array
