"""The YAML header of a model card, with the values that model hubs read. Every string is quoted, so none is misread."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tercet.characters import replace_surrogates
from tercet.evaluation.intervals import Estimate

if TYPE_CHECKING:
    from tercet.auditing.card.card import ModelCard

SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_front_matter(values: Mapping[str, Any]) -> str:
    """The values between two lines of `---`. A value of None is left out, and so is an empty list.

    Values are strings, integers, floats, truth values, and lists and mappings of these.

    >>> print(write_front_matter({"license": "mit", "tags": ["text", "---"], "metrics": [{"value": 0.5}], "language": None}))
    ---
    license: "mit"
    tags:
      - "text"
      - "---"
    metrics:
      - value: 0.5
    ---
    """
    return "\n".join(["---", *_list_lines(values), "---"])


def _list_lines(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if value is None or value in ([], (), {}):
            continue
        if isinstance(value, Mapping):
            yield f"{name}:"
            yield from (f"  {line}" for line in _list_lines(value))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{name}:"
            yield from (f"  {line}" for each in value for line in _list_item(each))
        else:
            yield f"{name}: {_write_scalar(value)}"


def _list_item(value: Any) -> Iterator[str]:
    """The lines of one item of a list: the first begins with a hyphen."""
    lines = list(_list_lines(value)) if isinstance(value, Mapping) else [_write_scalar(value)]
    yield f"- {lines[0]}"
    yield from (f"  {line}" for line in lines[1:])


def _write_scalar(value: Any) -> str:
    """
    >>> print(_write_scalar(True), _write_scalar(12), _write_scalar(0.00001), _write_scalar("no: \x7f\u2028 é"))
    true 12 0.00001 "no: \\u007f\\u2028 é"
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = f"{value:.10f}".rstrip("0")  # not 1e-05: YAML 1.1 reads it as a string
        return text + "0" if text.endswith(".") else text
    return str(value) if isinstance(value, int) else quote_yaml(value)


def quote_yaml(text: str) -> str:
    """The text as a string of YAML in double quotes. What can't be printed is escaped."""
    return '"' + "".join(map(_quote_character, replace_surrogates(text))) + '"'


def _quote_character(c: str) -> str:
    if c in SHORT_ESCAPES:
        return SHORT_ESCAPES[c]
    return c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"


TASK = "text-classification"
# The names of our metrics on hubs, and as people read them.
HUB_METRICS = {"accuracy": ("accuracy", "Accuracy"), "macro_f1": ("f1", "Macro F1"), "mcc": ("matthews_correlation", "MCC")}
# Licenses that hubs know by these names. Any other license is "other", with its own name.
HUB_LICENSE = re.compile(
    r"afl-3\.0|agpl-3\.0|apache-2\.0|artistic-2\.0|bsd|bsd-[23]-clause|bsl-1\.0|cc0-1\.0|cc-by(-nc)?(-sa|-nd)?-4\.0|cc-by(-sa)?-3\.0"
    r"|cdla-permissive-[12]\.0|ecl-2\.0|epl-2\.0|etalab-2\.0|eupl-1\.[12]|gpl-[23]\.0|isc|lgpl-2\.1|lgpl-3\.0|mit|mpl-2\.0|ms-pl|ncsa"
    r"|odbl|odc-by|ofl-1\.1|openrail|osl-3\.0|pddl|postgresql|unlicense|wtfpl|zlib"
)
N_DIGITS = 4


def describe_for_hubs(card: "ModelCard") -> dict[str, Any]:
    """The header: languages, license, tags, datasets, metrics, and the results on the test documents."""
    notes, results = card.notes, _list_results(card)
    index = [{"name": card.name, "results": [results]}] if results else None
    return {
        "language": list(notes["model.languages"]),
        **_describe_license(" ".join(notes["model.license"])),
        "license_link": next(iter(notes["model.license_link"]), None),
        "library_name": "tercet",
        "pipeline_tag": TASK,
        "tags": list(dict.fromkeys(["tercet", TASK, *notes["model.tags"]])),
        "datasets": list(notes["training_data.datasets"]),
        "metrics": [hub_name for hub_name, _ in HUB_METRICS.values()] if results else [],
        "model-index": index,
    }


def _describe_license(written: str) -> dict[str, str]:
    """
    >>> _describe_license("Apache 2.0"), _describe_license("Our own terms, 2025"), _describe_license("")
    ({'license': 'apache-2.0'}, {'license': 'other', 'license_name': 'our-own-terms-2025'}, {})
    """
    name = re.sub(r"[^a-z0-9.+]+", "-", written.lower()).strip("-.")
    if not name:
        return {"license": "other"} if written else {}
    return {"license": name} if HUB_LICENSE.fullmatch(name) else {"license": "other", "license_name": name}


def _list_results(card: "ModelCard") -> dict[str, Any] | None:
    """The metrics on the test documents; None if there are no numbers on documents that the model has not learned."""
    if card.evaluation is None or card.evaluation.is_training:
        return None
    dataset = next(iter(card.notes["evaluation_data.dataset"]), "private")
    estimates = card.evaluation.report.estimates
    metrics = [_describe_metric(name, estimates[name]) for name in HUB_METRICS if math.isfinite(estimates[name].value)]
    return {
        "task": {"type": TASK, "name": "Text classification"},
        "dataset": {"type": dataset, "name": card.evaluation.source or "test documents", "split": "test"},
        "metrics": metrics,
    }


def _describe_metric(name: str, estimate: Estimate) -> dict[str, Any]:
    hub_name, shown = HUB_METRICS[name]
    bounds = {"low": estimate.low, "high": estimate.high}
    known = {bound: round(float(value), N_DIGITS) for bound, value in bounds.items() if math.isfinite(value)}
    average = {"average": "macro"} if hub_name == "f1" else {}
    arguments = average | ({"confidence": estimate.confidence, **known} if known else {})
    return {"type": hub_name, "value": round(float(estimate.value), N_DIGITS), "name": shown, "args": arguments}
