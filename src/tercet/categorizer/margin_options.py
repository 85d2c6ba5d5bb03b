"""Options of a categorizer whose model is a margin."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.counts.labels import read_labels, write_labels
from tercet.counts.weighting import TermWeighting
from tercet.errors import InvalidOption, bad_option
from tercet.models.linear import LinearModel
from tercet.models.linear_svm import LinearSVM
from tercet.models.logistic_regression import LogisticRegression
from tercet.models.nbsvm import NBSVM
from tercet.options import is_int, is_number

# By their names on the command line and in files.
MARGINS: dict[str, type[LinearModel]] = {"nbsvm": NBSVM, "svm": LinearSVM, "logistic": LogisticRegression}
LOG_TF_IDF = TermWeighting(tf="log", idf="smooth", norm="l2")


def check_margin(model: Any, numeric: list[str]) -> LinearModel:
    """A copy of the model: the user may change theirs."""
    if type(model) not in MARGINS.values():
        raise bad_option("model", "a NaiveBayes, NBSVM, LinearSVM, LogisticRegression or None", model, "it learns from counts.")
    if numeric:
        name = type(model).__name__
        raise InvalidOption(f"numeric={numeric} is for NaiveBayes: a {name} has no place for numbers beside the text.")
    copy: LinearModel = type(model)(**model.get_params())
    copy._check_options()
    return copy


def check_weighting(weighting: Any, margin: LinearModel) -> TermWeighting | None:
    """None for an NBSVM, which asks whether a term occurs; else log tf · idf of length 1, where nothing is given."""
    if isinstance(margin, NBSVM):
        if weighting is not None:
            raise bad_option("weighting", "None", weighting, "an NBSVM weighs terms by their log-count ratio.")
        return None
    if weighting is None:
        return LOG_TF_IDF
    if not isinstance(weighting, TermWeighting):
        raise bad_option("weighting", "a TermWeighting or None", weighting, "it says what a count weighs.")
    copy = TermWeighting(**weighting.get_params())
    copy._check_options()
    return copy


def name_margin(margin: LinearModel) -> str:
    """
    >>> name_margin(NBSVM())
    'nbsvm'
    """
    return next(name for name, kind in MARGINS.items() if type(margin) is kind)


def write_margin(margin: LinearModel) -> dict[str, Any]:
    """As JSON can hold it. The number of threads belongs to the machine."""
    options = {name: value for name, value in margin.get_params().items() if name != "threads"}
    weights = options["class_weight"]
    if isinstance(weights, Mapping):
        labels = sorted(weights)
        options["class_weight"] = {"labels": write_labels(np.array(labels)), "values": [float(weights[one]) for one in labels]}
    plain = {name: float(value) if is_number(value) and not is_int(value) else value for name, value in options.items()}
    return {"name": name_margin(margin), **plain}


def read_margin(written: Mapping[str, Any]) -> LinearModel:
    """
    >>> read_margin(write_margin(NBSVM(beta=0.5, class_weight={"ham": 2.0})))
    NBSVM(beta=0.5, class_weight={'ham': 2.0})
    """
    options = {name: value for name, value in written.items() if name != "name"}
    weights = options["class_weight"]
    if isinstance(weights, Mapping):
        labels = read_labels(weights["labels"]).tolist()
        options["class_weight"] = dict(zip(labels, weights["values"], strict=True))
    return MARGINS[written["name"]](**options)


def read_weighting(written: Mapping[str, Any] | None) -> TermWeighting | None:
    return None if written is None else TermWeighting(**written)
