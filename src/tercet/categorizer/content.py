"""What a categorizer is beside its arrays ↔ values that JSON can hold."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tercet.categorizer.table_model import TableModel
from tercet.counts.exact_sums import ExactSums
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, read_labels, write_labels
from tercet.counts.selection import Selector
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer, Smoothing

WAYS = {way.name: way for way in (Additive, JelinekMercer, Dirichlet, AbsoluteDiscount)}


def write_smoothing(smoothing: Any) -> Any:
    """A number or the name of a choice is itself."""
    return {"name": smoothing.name, "value": float(smoothing.value)} if isinstance(smoothing, Smoothing) else smoothing


def read_smoothing(written: Any) -> Any:
    return read_chosen(written) if isinstance(written, Mapping) else written


def read_chosen(written: Mapping[str, Any]) -> Smoothing:
    """One that is named; a choice that is still to be made is none."""
    return WAYS[written["name"]](written["value"])


def write_model(model: NaiveBayes) -> dict[str, Any]:
    options = model.get_params()
    prior, smoothing = options["prior"], options["smoothing"]
    if isinstance(prior, Mapping):
        labels = sorted(prior)
        prior = {"labels": write_labels(np.array(labels)), "values": [float(prior[label]) for label in labels]}
    smoothing = smoothing if isinstance(smoothing, str | Smoothing) else float(smoothing)
    return options | {"prior": prior, "smoothing": write_smoothing(smoothing)}


def read_model(written: Mapping[str, Any]) -> NaiveBayes:
    prior, smoothing = written["prior"], read_smoothing(written["smoothing"])
    if isinstance(prior, Mapping):
        prior = dict(zip(read_labels(prior["labels"]).tolist(), prior["values"], strict=True))
    return NaiveBayes(**{**written, "prior": prior, "smoothing": smoothing})


def read_selector(written: Mapping[str, Any]) -> Selector:
    from tercet.counts.selection import (
        MostInformative,  # few models have one
        WithoutMostFrequent,
    )

    known: dict[str, Callable[..., Selector]] = {kind.__name__: kind for kind in (MostInformative, WithoutMostFrequent)}
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in written.items() if name != "name"}
    return known[written["name"]](**options)


def write_rules(rules: TableModel) -> dict[str, Any]:
    """The options that a categorizer was fitted with."""
    return {
        **write_models(rules),
        "min_documents": rules.min_documents,
        "max_terms": rules.max_terms,
        "select": [{"name": type(one).__name__, **one.to_dict()} for one in rules.selectors],
        "numeric": rules.numeric,
        "measured": sorted(rules.measured),
    }


def write_models(rules: TableModel) -> dict[str, Any]:
    """A margin, and what it makes of counts, is written where there is one."""
    written: dict[str, Any] = {"model": write_model(rules.model)}
    if rules.margin is not None:
        from tercet.categorizer.margin_options import write_margin  # few models have one

        weighting = None if rules.weighting is None else rules.weighting.get_params()
        written |= {"margin": write_margin(rules.margin), "weighting": weighting}
    return written


def read_models(content: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a categorizer."""
    if "margin" not in content:
        return {"model": read_model(content["model"])}
    from tercet.categorizer.margin_options import read_margin, read_weighting

    return {"model": read_margin(content["margin"]), "weighting": read_weighting(content["weighting"])}


def write_moments(moments: LabelMoments) -> dict[str, Any]:
    """Exact sums have no limit: they are written as text."""
    return {name: write_sums(getattr(moments, name)) for name in ("n", "sums", "products")}


def read_moments(written: Mapping[str, Any], labels: Labels) -> LabelMoments:
    return LabelMoments(labels, *(read_sums(written[name]) for name in ("n", "sums", "products")))


def write_sums(sums: ExactSums) -> dict[str, Any]:
    return {"shape": list(sums.units.shape), "units": [f"{units:x}" for units in sums.units.ravel().tolist()]}


def read_sums(written: Mapping[str, Any]) -> ExactSums:
    units = np.array([int(units, 16) for units in written["units"]], object)
    return ExactSums(units.reshape(written["shape"]))
