"""Every public estimator with its default parameters passes the checks of scikit-learn, but for the listed exceptions."""

import inspect
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from helpers.sklearn_exceptions import EXCEPTIONS
from sklearn.utils.estimator_checks import check_estimator

import tercet

ESTIMATORS = [
    public
    for public in (getattr(tercet, name) for name in tercet.__all__)
    if inspect.isclass(public) and hasattr(public, "fit") and hasattr(public, "get_params")
]
DOCS = Path(__file__).parents[2] / "docs" / "scikit-learn.md"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_it_passes_all_checks_but_the_exceptions(estimator: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it does not inherit from scikit-learn, and some data do not converge
        results = check_estimator(estimator(), on_fail=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert failed.keys() == EXCEPTIONS.get(estimator.__name__, {}).keys(), failed
    assert any(result["status"] == "passed" for result in results)


def test_the_documentation_lists_all_exceptions() -> None:
    """Each line of the table has an estimator, its checks and a reason."""
    rows = re.findall(r"^\| `(\w+)` \| (`check_.*) \| (.*) \|$", DOCS.read_text(), re.MULTILINE)
    listed: dict[str, dict[str, str]] = {}
    for name, checks, reason in rows:
        listed.setdefault(name, {}).update(dict.fromkeys(re.findall(r"`(\w+)`", checks), reason))
    assert listed == EXCEPTIONS


def test_all_estimators_are_checked() -> None:
    assert {estimator.__name__ for estimator in ESTIMATORS} >= {*EXCEPTIONS, "Categorizer", "MarginSVM", "DocumentIndex"}
