"""What a categorizer is beside its arrays ↔ values that JSON can hold."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tercet.categorizer.table_model import TableModel
from tercet.counts.exact_sums import ExactSums
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels
from tercet.counts.selector import Selector
from tercet.models.smoothing import Smoothing
from tercet.registry import read, write


def write_smoothing(smoothing: Smoothing | None) -> dict[str, Any] | None:
    return None if smoothing is None else write(smoothing)


def read_smoothing(written: Mapping[str, Any]) -> Smoothing:
    smoothing: Smoothing = read("smoothing", written)
    return smoothing


def read_selector(written: Mapping[str, Any]) -> Selector:
    from tercet.counts.most_informative import MostInformative  # few models have one
    from tercet.counts.stop_words import WithoutMostFrequent

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
    written: dict[str, Any] = {"model": write(rules.model)}
    if rules.margin is not None:
        weighting = None if rules.weighting is None else rules.weighting.get_params()
        written |= {"margin": write(rules.margin), "weighting": weighting}
    return written


def read_models(content: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a categorizer."""
    if "margin" not in content:
        return {"model": read("model", content["model"])}
    from tercet.categorizer.margin_options import read_weighting

    return {"model": read("model", content["margin"]), "weighting": read_weighting(content["weighting"])}


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
