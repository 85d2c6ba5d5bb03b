"""Categorizers ↔ model files. All that a categorizer is survives; the number of threads belongs to the machine."""

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.categorizer.calibrated import Calibrated, read_answers, write_answers
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.compact import CompactCategorizer
from tercet.categorizer.content import (
    read_chosen,
    read_models,
    read_moments,
    read_selector,
    write_moments,
    write_rules,
    write_smoothing,
)
from tercet.categorizer.fitted import CHANGING
from tercet.categorizer.learned import Learned
from tercet.categorizer.margins import Margins, pack_margins, read_margins, write_margins
from tercet.categorizer.numeric import ColumnNormals
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.table_model import TableModel
from tercet.counts.fingerprints import Fingerprints
from tercet.counts.labels import Labels, find_labels, read_labels, write_labels
from tercet.counts.table import CountTable
from tercet.errors import BadModelFile
from tercet.models.calibration import WAYS
from tercet.models.likelihood import Likelihood
from tercet.options import check_choice
from tercet.store.model_file import ModelFile
from tercet.store.model_file import read_model as read_file
from tercet.store.model_file import write_model as write_file
from tercet.text.analyzer import Analyzer

Arrays = dict[str, npt.NDArray[Any]]
Path = str | os.PathLike[str]


def save_categorizer(categorizer: Categorizer, path: Path, *, fingerprints: bool = True) -> None:
    with CHANGING:
        c = categorizer
        learned, domains, moments = c._learned, c._learned.domains, c._learned.moments
        prints = learned.prints if fingerprints else None
        content = {
            "kind": "categorizer",
            **describe_analyzer(c.table_.analyzer),
            **write_rules(c._rules),
            "labels": write_labels(c.table_.labels),
            "only": None if c._only is None else write_labels(c._only),
            "smoothing": write_smoothing(c._smoothing),
            "moments": None if moments is None else write_moments(moments),
            "domains": None if domains is None else write_labels(domains.labels),
            # Nothing where there is nothing: files of those that are not calibrated are what they were.
            **({} if c.calibrate is None else {"calibrate": check_choice("calibrate", c.calibrate, ("auto", *WAYS))}),
            **({} if c._calibrated is None else {"calibrated": c._calibrated.to_dict()}),
        }
        arrays = {f"table/{name}": array for name, array in learned.table.arrays().items()}
        if domains is not None:
            arrays |= {f"domains/{name}": array for name, array in domains.arrays().items()}
        if learned.margins is not None:
            margins = learned.margins.in_order(learned.table.table)
            content["margins"] = write_margins(margins)
            arrays |= {f"margins/{name}": array for name, array in pack_margins(margins).items()}
        if prints is not None:
            arrays["fingerprints"] = prints.sorted().view(np.uint8).reshape(-1, 16)
    write_file(path, content, arrays)


def save_compact(compact: CompactCategorizer, path: Path) -> None:
    scorer, form, arrays = compact.__getstate__()
    content = {
        "kind": "compact",
        **describe_analyzer(scorer.analyzer),
        "labels": write_labels(scorer.labels),
        "smoothing": write_smoothing(scorer.smoothing),
        **describe_form(scorer, form),
        "numeric": scorer.numeric,
        "measured": sorted(scorer.measured),
        **write_answers(scorer.calibration, scorer.sets),
    }
    normals = scorer.normals
    numbers = {} if normals is None else {"means": normals.means, "deviations": normals.deviations}
    margins = {f"margins/{name}": array for name, array in pack_margins(form).items()} if isinstance(form, Margins) else {}
    table = {f"table/{name}": array for name, array in arrays.items()}
    write_file(path, content, table | {"prior": scorer.prior} | numbers | margins)


def describe_form(scorer: Scorer, form: Likelihood | Margins) -> dict[str, Any]:
    """What the weights of a compact categorizer are."""
    if isinstance(form, Margins):
        return {"margins": write_margins(form), "margin_kind": scorer.kind}
    names = ("kind", "vocabulary", "unknown", "is_open", "min_documents")
    return {"likelihood": {name: getattr(form, name) for name in names}}


def load(path: Path, *, verify: bool = True) -> Categorizer | CompactCategorizer:
    """The categorizer of a model file, as it was saved. Nothing in the file is run.

    Without `verify` its checksum is not computed: a million terms are there in milliseconds.
    """
    file = read_file(path, verify=verify)
    read: dict[str, Callable[[ModelFile], Categorizer | CompactCategorizer]]
    read = {"categorizer": read_categorizer, "compact": read_compact}
    try:
        return read[file.content["kind"]](file)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise BadModelFile(f"{path} holds no categorizer that this tercet knows: {error}. Nothing was loaded.") from error


def read_categorizer(file: ModelFile) -> Categorizer:
    content = file.content
    analyzer, labels = read_analyzer(content), read_labels(content["labels"])
    prints = file.arrays.get("fingerprints")
    select = [read_selector(one) for one in content["select"]]
    options = {name: content[name] for name in ("min_documents", "max_terms", "numeric")}
    options |= read_models(content) | {"calibrate": content.get("calibrate")}
    c = Categorizer(analyzer, **options, select=select or None, remember=prints is not None)
    rules = c._check_options()
    c._rules = TableModel(**{**vars(rules), "measured": frozenset(content["measured"])})
    c._only = None if content["only"] is None else read_labels(content["only"])
    c._smoothing = None if content["smoothing"] is None else read_chosen(content["smoothing"])
    table, domains = read_table(file, "table/", analyzer, labels), None
    if content["domains"] is not None:
        domains = read_table(file, "domains/", analyzer, read_labels(content["domains"]))
    moments = None if content["moments"] is None else read_moments(content["moments"], labels)
    fingerprints = None if prints is None else Fingerprints(prints.view("S16").ravel())
    c._learned = Learned(table, fingerprints, moments, domains, read_form(file) if "margins" in content else None)
    c._calibrated = Calibrated.from_dict(content["calibrated"]) if "calibrated" in content else None
    c._cached = None
    return c


def read_compact(file: ModelFile) -> CompactCategorizer:
    content, arrays = file.content, file.arrays
    labels, is_margin = read_labels(content["labels"]), "margins" in content
    form = read_form(file) if is_margin else Likelihood(**content["likelihood"])
    nothing: Any = None
    calibration, sets = read_answers(content, len(labels))
    scorer = Scorer(
        analyzer=read_analyzer(content),
        labels=labels,
        columns=find_labels(labels, form.labels) if isinstance(form, Margins) else np.arange(len(labels)),
        kind=content["margin_kind"] if isinstance(form, Margins) else form.kind,
        smoothing=None if is_margin else read_chosen(content["smoothing"]),
        table=nothing,
        weights=nothing,
        prior=arrays["prior"],
        numeric=content["numeric"],
        measured=frozenset(content["measured"]),
        normals=ColumnNormals(arrays["means"], arrays["deviations"]) if "means" in arrays else None,
        threads=None,
        calibration=calibration,
        sets=sets,
    )
    compact = CompactCategorizer.__new__(CompactCategorizer)
    compact.__setstate__((scorer, form, pick_arrays(arrays, "table/")))
    return compact


def read_form(file: ModelFile) -> Margins:
    return read_margins(file.content["margins"], pick_arrays(file.arrays, "margins/"))


def read_table(file: ModelFile, prefix: str, analyzer: Analyzer, labels: Labels) -> CountTable:
    arrays = pick_arrays(file.arrays, prefix)
    if len(arrays["label_documents"]) != len(labels):
        raise ValueError("each label needs its number of documents")
    return CountTable.from_arrays(analyzer, labels, arrays)


def pick_arrays(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def describe_analyzer(analyzer: Analyzer) -> dict[str, Any]:
    return {"analyzer": analyzer.to_dict(), "signature": analyzer.signature}


def read_analyzer(content: dict[str, Any]) -> Analyzer:
    analyzer = Analyzer.from_dict(content["analyzer"])
    if analyzer.signature != content["signature"]:
        warnings.warn(
            f"the model was made by the recipe {content['signature']}, and here the same options are {analyzer.signature}: "
            "some texts may be read otherwise. Install the versions that it names, or train it anew.",
            RuntimeWarning,
            stacklevel=4,
        )
    return analyzer
