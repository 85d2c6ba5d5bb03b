"""The recipes of CONTRIBUTING.md, followed literally: its code is run as it is printed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tercet
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


@pytest.mark.usefixtures("own_registry")
def test_a_model_with_a_new_selector_is_saved_and_loaded(tmp_path: Path) -> None:
    (make,) = run_recipe("Add a way to select terms", selection).values()
    texts, labels = ["a lovely film", "a dull film", "a day"], ["+", "-", "-"]
    fitted = Categorizer("words", select=make(2)).fit(texts, labels)
    fitted.save(tmp_path / "selected.tercet")
    loaded = tercet.load(tmp_path / "selected.tercet")
    assert loaded.select in (make(2), [make(2)], (make(2),))
    assert loaded.log_joint(texts).tolist() == fitted.log_joint(texts).tolist()
    loaded.save(tmp_path / "again.tercet")
    assert (tmp_path / "again.tercet").read_bytes() == (tmp_path / "selected.tercet").read_bytes()
