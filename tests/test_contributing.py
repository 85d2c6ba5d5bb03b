"""The recipes of CONTRIBUTING.md, followed literally: its code is run as it is printed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tercet import Categorizer, registry
from tercet.counts import selection

PAGE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def run_recipe(title: str, home: Any) -> dict[str, Any]:
    """The names that the code of a recipe defines, as if it stood in this module."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    before = dict(vars(home))
    names = dict(before)
    exec(code, names)
    return {name: value for name, value in names.items() if name not in before}


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    monkeypatch.setattr(registry, "_names", dict(registry._names))


@pytest.mark.usefixtures("own_registry")
def test_a_selector_is_one_class() -> None:
    (make,) = run_recipe("Add a way to select terms", selection).values()
    selector = make(2)
    fitted = Categorizer("words", select=selector).fit(["a lovely film", "a dull film", "a day"], ["+", "-", "-"])
    assert fitted.explain("a lovely dull film").unknown == ("lovely", "dull")
    assert registry.read("selector", json.loads(json.dumps(registry.write(selector)))) == selector
    assert fitted.set_params(select__n=1).fit(["so good", "so bad"], ["+", "-"]).explain("good").unknown == ()
