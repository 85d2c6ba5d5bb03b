"""The package itself: what an import costs, the stub of the kernel, the stand-in where no kernel was built, and the version."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tercet
from tercet.kernel import _native, reference

ROOT = Path(__file__).parents[1]


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True).stdout


def test_import_is_light() -> None:
    loaded = run("import sys, tercet; print(*sys.modules)").split()
    heavy = {"pandas", "sklearn", "matplotlib", "scipy", "pyarrow", "polars"}
    extras = {"Stemmer", "snowballstemmer", "simplemma", "stopwordsiso", "vaderSentiment", "HanTa", "re2", "nltk"}
    assert (heavy | extras).isdisjoint(loaded)


def test_import_of_the_steps_is_light() -> None:
    steps = "word_lists wordforms lexicons patterns tags measures"
    names = ", ".join(steps.split())
    loaded = run(f"import sys; from tercet.text import {names}; print(*sys.modules)").split()
    assert {"Stemmer", "snowballstemmer", "simplemma", "stopwordsiso", "vaderSentiment", "HanTa", "re2"}.isdisjoint(loaded)


def test_the_stub_describes_the_kernel_that_was_built(tmp_path: Path) -> None:
    written = Path(tercet.__file__).parent / "kernel" / "_native.pyi"
    made = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "tercet.kernel._native", "-o", str(made)]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert written.read_text() == made.read_text(), "write it anew with: make stub"


@pytest.mark.parametrize("name", sorted(name for name in vars(_native) if not name.startswith("_")))
def test_the_reference_has_all_that_the_kernel_has(name: str) -> None:
    if name == "is_assigned":  # of the kernel's own Unicode tables
        return
    assert name in reference.__all__
    native, plain = getattr(_native, name), getattr(reference, name)
    if not inspect.isclass(native):
        assert callable(plain) == callable(native)
        return
    methods = {method for method in vars(native) if not method.startswith("_")}
    assert methods <= {method for method in dir(plain) if not method.startswith("_")}


def test_without_a_kernel_the_reference_serves_and_says_so() -> None:
    out = run(
        "import sys, warnings\n"
        "sys.modules['tercet.kernel._native'] = None\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    import tercet\n"
        "    counter = tercet.TermCounter(tercet.Analyzer(word_ngrams=(1, 2)), min_documents=2)\n"
        "print(counter.fit_transform(['the hen', 'the hen and the fox']).toarray().tolist())\n"
        "print(len(caught), caught[0].message)\n"
    )
    assert "[[1, 1, 1], [1, 2, 1]]" in out
    assert "1 tercet runs without its native kernel" in out
    assert "circular" not in out
    assert "pip install" in out


def test_public_names_exist() -> None:
    assert all(hasattr(tercet, name) for name in tercet.__all__)


def test_the_changelog_and_the_citation_have_the_version() -> None:
    newest = re.search(r"^## (\d\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    cited = [re.search(rf"^{key}: (\S+)$", citation, re.MULTILINE) for key in ("version", "date-released")]
    assert newest is not None
    assert newest[1] == tercet.__version__
    assert [found and found[1] for found in cited] == [*newest.groups()]
