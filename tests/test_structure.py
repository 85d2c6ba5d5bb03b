"""One idea, one home: private names stay inside, a class has one home, and a file name stands for one feature."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import tercet
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.compact import CompactCategorizer
from tercet.categorizer.predictor import Predictor

SOURCE = Path(tercet.__file__).parent
ROOT = Path(__file__).parents[1]
FILES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}

# Files of one name: the command, or the part of the server or the ledger, of a feature that has the name.
COMMANDS = {"audit", "backup", "begin", "card", "doctor", "explain", "ledger", "split", "suggest", "train", "tune"}
OF_SERVER_AND_LEDGER = {"documents", "history", "labelling", "model_options", "pools"}


def list_own_names(*classes: type) -> set[str]:
    """The private names that these classes and their objects have, without those of Python itself."""
    names = {name for own in classes for name in vars(own)}
    for own in classes:
        for node in ast.walk(ast.parse(Path(__import__(own.__module__, fromlist=["x"]).__file__).read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                names.add(node.attr)
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def list_foreign_access(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Where a private name of somebody else is read or written: model._state, but not self._state."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) not in ("self", "cls", "super()"):
            yield f"line {node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "setattr", "hasattr") and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and name.value in names:
                yield f"line {node.lineno}: {ast.unparse(node)}"


def test_nobody_outside_touches_the_private_names_of_a_categorizer() -> None:
    names = list_own_names(Categorizer, Predictor, CompactCategorizer)
    assert {"_fitted", "_cached", "_lock"} <= names
    above = ("languages/", "auditing/", "ledger/", "server/", "spark/", "cli/")  # the packages that import categorizer
    outside = {name: tree for name, tree in FILES.items() if name.startswith(above)}
    found = {name: list(list_foreign_access(tree, names)) for name, tree in outside.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("line", ["model._fitted", "model._cached = None", 'getattr(model, "_fitted", None)'])
def test_a_private_name_would_be_found(line: str) -> None:
    assert list(list_foreign_access(ast.parse(line), {"_fitted", "_cached"}))


def test_a_class_has_one_home() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for name, tree in FILES.items():
        if not name.startswith("kernel/") and name != "server/messages.py":
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    homes[node.name].append(name)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_a_file_name_stands_for_one_feature() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for name in FILES:
        if not name.startswith("kernel/") and not name.endswith("__init__.py"):
            homes[Path(name).stem].append(name)
    for stem, names in homes.items():
        first = {name.split("/")[0] for name in names}
        is_allowed = (stem in COMMANDS and "cli" in first) or (stem in OF_SERVER_AND_LEDGER and first & {"server", "ledger"})
        assert len(names) == 1 or (len(names) == 2 and is_allowed), names


@pytest.mark.parametrize("package", ["", *sorted({name.rpartition("/")[0] for name in FILES if "/" in name} - {""})])
def test_a_package_says_what_it_is(package: str) -> None:
    tree = FILES[f"{package}/__init__.py" if package else "__init__.py"]
    assert len(ast.get_docstring(tree) or "") > 20


def test_tests_stand_in_the_folder_of_their_package() -> None:
    packages = {name.split("/")[0] for name in FILES if "/" in name}
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert folders <= packages
    assert packages - folders == set()


def test_architecture_is_one_page_that_names_every_package() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(page.encode()) <= 8192
    assert {name.split("/")[0] for name in FILES if "/" in name} <= set(re.findall(r"`([a-z_]+)`", page))
    for name in re.findall(r"`([a-z_/]+/[a-z_]+\.py)`", page):
        assert (SOURCE / name).exists() or (ROOT / name).exists(), name
