"""Categorizers ↔ model files. The file holds all of a categorizer but the number of threads, which belongs to the machine."""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from tercet.arrays import Array
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.compact import CompactCategorizer, PackedModel
from tercet.categorizer.files.hand_check import HandCheck
from tercet.categorizer.files.record import TrainingRecord
from tercet.categorizer.fitted import Fitted
from tercet.categorizer.model.added_block import read_added, write_added
from tercet.categorizer.model.calibrator import Calibrator, read_calibration, write_calibration
from tercet.categorizer.model.numeric_columns import ColumnNormals
from tercet.categorizer.predictor import Predictor
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.settings import Settings, read_measured, read_parameters, read_rules, write_rules
from tercet.categorizer.state import DocumentsDigest, State
from tercet.categorizer.unlabelled import UnlabelledTexts
from tercet.counts.exact_sums import ExactSums
from tercet.counts.fingerprints import Fingerprints
from tercet.counts.kept_documents import KeptDocuments
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, read_labels, write_labels
from tercet.counts.table import CountTable
from tercet.errors import BadModelFile, MissingExtra, shorten
from tercet.options import check_flag, check_names
from tercet.registry import read
from tercet.store.atomic_file import PRIVATE
from tercet.store.file_lock import lock_file
from tercet.store.model_file import FORMAT, FileVersion, ModelFile, read_model, write_model
from tercet.text.analyzer import Analyzer

Arrays = dict[str, Array]
Path = str | os.PathLike[str]


def save_categorizer(categorizer: Categorizer, path: Path, *, fingerprints: bool = True) -> None:
    with lock_file(path):  # first, so that of two threads the one that writes later has the later state
        content, arrays = describe_file(categorizer, fingerprints)
        replace_file(categorizer, path, content, arrays)


def describe_file(categorizer: Categorizer, fingerprints: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """The content and the arrays of the file of a categorizer, which other threads may change meanwhile."""
    with categorizer.hold() as fitted:
        return describe_fitted(fitted, fingerprints)


def describe_fitted(fitted: Fitted, fingerprints: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """The file of a fitted model, as values that JSON can hold and groups of arrays. It must not change meanwhile."""
    if not fingerprints and fitted.hand_check is not None:
        stripped = replace(fitted, state=replace(fitted.state, prints=None, documents=None, unlabelled=None))
        fitted = replace(fitted, hand_check=stripped.carry_check(fitted).hand_check)
    content, arrays = describe_learned(fitted)
    state = fitted.state
    if fingerprints and state.prints is not None:
        arrays["fingerprints"] = state.prints.sorted().view(np.uint8).reshape(-1, 16)
        if state.documents is not None:
            content["documents"], arrays["documents"] = state.documents.to_file()
            arrays |= {name: drop_slots(arrays[name]) for name in ("table", "domains")}
        if state.unlabelled is not None:
            content["unlabelled"], arrays["unlabelled"] = state.unlabelled.to_file()
    return content, arrays


def drop_slots(arrays: Arrays) -> Arrays:
    """The arrays of a table without its hash tables, which a reader builds again. They are a fifth of a file with documents."""
    return {name: array for name, array in arrays.items() if not name.endswith((".slots", ".seed"))}


def replace_file(model: Predictor, path: Path, content: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write the file, unless it was changed since this model was read from it or written to it."""
    known = model.files.get(os.path.realpath(path))
    written = write_model(path, content, arrays, replacing=known, mode=choose_mode(content))
    model.files = {**model.files, written.location: written}


def choose_mode(content: Mapping[str, Any]) -> int | None:
    """The mode of a new file with this content: one that holds texts is for its owner; others follow the umask (None)."""
    return None if content.get("documents") is None else PRIVATE


def describe_learned(fitted: Fitted) -> tuple[dict[str, Any], dict[str, Any]]:
    """All of it but the fingerprints and the documents, as values that JSON can hold and groups of arrays."""
    state, calibrator = fitted.state, fitted.calibrator
    assert state.trained is not None
    trained, trained_arrays = state.trained.in_order(state.table.table).to_file()
    content: dict[str, Any] = {
        "kind": "categorizer",
        "analyzer": state.table.analyzer.to_dict(),
        "signature": state.table.analyzer.signature,
        "settings": fitted.settings.to_dict(),
        "labels": write_labels(state.table.labels),
        "only": None if fitted.only is None else write_labels(fitted.only),
        "moments": None if state.moments is None else write_moments(state.moments),
        "domains": None if state.domains is None else write_labels(state.domains.labels),
        "documents": None,
        "trained": trained,
        "fitted_on": None if fitted.fitted_on is None else fitted.fitted_on._asdict(),
        "record": write_record(fitted.record),
        "calibrate": fitted.calibrate,
        "calibrator": None if calibrator is None else calibrator.to_dict(),
    }
    domains = {} if state.domains is None else state.domains.arrays()
    if fitted.added is not None:
        content["format"] = FORMAT
    content |= write_hand_check(fitted.hand_check)
    return content, {"table": state.table.arrays(), "domains": domains, "trained": trained_arrays}


def save_compact(compact: CompactCategorizer, path: Path) -> None:
    scorer, labels, packed, _, is_current, majority, hand_check = compact.__getstate__()
    content = {
        "kind": "compact",
        "analyzer": scorer.analyzer.to_dict(),
        "signature": scorer.analyzer.signature,
        "labels": write_labels(labels),
        "weights": {"type": packed.type, **packed.content},
        "numeric": scorer.numeric,
        "measured": sorted(scorer.measured),
        "record": write_record(compact.record_),
        "is_current": is_current,
        **({} if majority is None else {"majority": labels.tolist().index(majority)}),
        **write_calibration(scorer.calibration, scorer.sets),
        **write_rules(scorer.rules),
        **write_hand_check(hand_check),
    }
    about, added = write_added(scorer.added)
    normals = scorer.normals
    numbers = {} if normals is None else {"means": normals.means, "deviations": normals.deviations}
    arrays = {**numbers, "terms": packed.terms, "weights": packed.weights, **added}
    content |= about | ({"format": FORMAT} if about else {})
    replace_file(compact, path, content, arrays)


def load(path: Path, *, verify: bool = True, mapped: bool = False) -> Categorizer | CompactCategorizer:
    """The categorizer of a model file, as it was saved. Nothing in the file is run.

    The path may also be a folder that `tercet.spark.train(..., to=folder)` has written.

    - `verify`: compute the checksum, and check the terms and counts. Without it a million terms are there in milliseconds, but
      errors may come later, and a damaged file may give wrong answers. Use this only for files that you trust.
    - `mapped`: leave the arrays in the file, so that several processes share their memory, and with `verify=False` only the
      parts that are used are read. Use this only for files that nobody overwrites or cuts in place: the answers would change,
      or the system would end the program (SIGBUS). `save` and the commands of tercet replace a file as a whole, which is safe.
    """
    path = find_manifest(path)
    file = read_model(path, verify=verify, mapped=mapped)
    if file.content.get("kind") == "sharded":
        from tercet.categorizer.files.sharded_folder import load_folder  # on first use: most models are files

        with explain_damage(path):
            return load_folder(os.path.dirname(path), file, verify=verify, mapped=mapped)
    readers: dict[str, Callable[[ModelFile, bool], Categorizer | CompactCategorizer]]
    readers = {"categorizer": read_categorizer, "compact": read_compact}
    with explain_damage(path):
        loaded = readers[file.content["kind"]](file, verify)
    version = FileVersion.of(path, file.checksum)
    loaded.files = {version.location: version}
    return loaded


def find_manifest(path: Path) -> Path:
    """The file that says what a model is: `model.tercet` of a folder with shards, and any other path itself."""
    inside = os.path.join(path, "model.tercet") if os.path.isdir(path) else path
    return inside if os.path.isfile(inside) else path


@contextmanager
def explain_damage(path: Path) -> Iterator[None]:
    """Turn any error into BadModelFile: anybody may have written the file."""
    try:
        yield
    except (MissingExtra, BadModelFile):
        raise
    except Exception as error:
        what = shorten(f"{error} is missing" if isinstance(error, KeyError) else str(error)).rstrip(".")
        raise BadModelFile(f"{path} holds no categorizer that this tercet knows: {what}. Nothing was loaded.") from error


def read_categorizer(file: ModelFile, verify: bool) -> Categorizer:
    content = file.content
    analyzer = read_analyzer(content)
    layout, (c, settings) = analyzer.layout, read_options(file)
    settings = settings.with_layout(layout)
    fitted = Fitted(
        settings,
        read_state(file, settings, analyzer),
        c.calibrate,
        calibrator=None if content["calibrator"] is None else Calibrator.from_dict(content["calibrator"]),
        fitted_on=read_fitted_on(content["fitted_on"]),
        record=read_record(content, analyzer),
        only=None if content["only"] is None else read_labels(content["only"]),
        hand_check=read_hand_check(content),
    )
    c.analyzer = fitted.recipe.replace(layout=None)
    c.publish(fitted)
    if verify:
        fitted.state.check()
        settings.model.check(fitted.state.table)
    return c


def read_options(file: ModelFile) -> tuple[Categorizer, Settings]:
    """A categorizer that has learned nothing, and its checked options, with the model that "auto" has chosen."""
    content, written = file.content, file.content["settings"]
    parameters = read_parameters(written) | {"calibrate": content["calibrate"], "remember": "fingerprints" in file.arrays}
    parameters["keep_documents"] = content["documents"] is not None
    c, is_auto = Categorizer(**parameters), isinstance(parameters["model"], str)
    if is_auto and parameters["weighting"] is not None:
        raise ValueError("model='auto' has no weighting")
    model = read("model", written["model"]) if is_auto else parameters["model"]
    given = c.check_options().settings
    settings = Categorizer(**parameters | {"model": model, "vectors": None, "seeds": None}).check_options().settings
    settings = replace(settings, vectors=given.vectors, seeds=given.seeds)
    measured, pruned = read_measured(written["measured"], settings.numeric), check_flag("pruned", written["pruned"])
    settings = replace(settings, measured=measured, pruned=pruned)
    return c, settings.mark_chosen() if is_auto else settings


def read_state(file: ModelFile, settings: Settings, analyzer: Analyzer) -> State:
    content, prints, documents = file.content, file.arrays.get("fingerprints"), None
    n_numbers, has_domain = len(settings.numeric), settings.domain is not None
    known = None if prints is None else read_fingerprints(prints)
    table = read_table(file, "table/", analyzer, content["labels"])
    domains = None if content["domains"] is None else read_table(file, "domains/", analyzer, content["domains"])
    moments = None if content["moments"] is None else read_moments(content["moments"], table.labels, n_numbers)
    if content["documents"] is not None and known is not None:
        kept = pick_prefix("documents/", file.arrays)
        documents = KeptDocuments.from_file(content["documents"], kept, known.sorted(), n_numbers, has_domain)
    if (moments is None) == bool(n_numbers) or (domains is None) == (has_domain and not settings.pruned):
        raise ValueError("the numbers or the domains of the documents are missing")
    trained = settings.model.trained_type.from_file(content["trained"], pick_prefix("trained/", file.arrays))
    settings.model.check_trained(trained)
    settings.model.check_labels(table.labels)
    if trained.added is not None:
        trained.added.check_recipe(analyzer)
    return State(table, known, moments, domains, documents, trained, read_unlabelled(file, documents is not None))


def read_unlabelled(file: ModelFile, keeps_documents: bool) -> UnlabelledTexts | None:
    """The unlabelled texts of a file; None if it has none. They are kept if documents are."""
    if "unlabelled" not in file.content:
        return None
    texts = UnlabelledTexts.from_file(file.content["unlabelled"], pick_prefix("unlabelled/", file.arrays))
    if (texts.documents is not None) != keeps_documents or "fingerprints" not in file.arrays:
        raise ValueError("unlabelled texts are kept without documents, or documents without them")
    return texts


def read_fingerprints(prints: Array) -> Fingerprints:
    if prints.dtype != np.uint8 or prints.ndim != 2 or prints.shape[1] != 16:
        raise ValueError("the fingerprints do not have 16 bytes each")
    return Fingerprints(prints.view("S16").ravel())


def read_majority(content: Mapping[str, Any], labels: Labels) -> Any:
    """The most frequent label of the training data; None in files of earlier versions."""
    index = content.get("majority")
    if index is not None and (type(index) is not int or not 0 <= index < len(labels)):
        raise ValueError("the majority label is not one of the labels")
    return None if index is None else labels.tolist()[index]


def read_compact(file: ModelFile, verify: bool) -> CompactCategorizer:
    content, arrays, nothing = file.content, file.arrays, None
    labels, packed = read_labels(content["labels"]), content["weights"]
    numeric = list(check_names("numeric", content["numeric"]))
    calibration, sets = read_calibration(content, len(labels))
    if not len(labels):
        raise ValueError("there are no labels")
    analyzer, added = read_analyzer(content), None
    if "added" in content and (added := read_added(content, arrays, read_labels(packed["labels"]))) is not None:
        added.check_recipe(analyzer)
    scorer = Scorer(
        analyzer=analyzer,
        table=nothing,  # type: ignore[arg-type]  # made of the arrays, as the weights are
        weights=nothing,  # type: ignore[arg-type]
        numeric=numeric,
        measured=read_measured(content["measured"], numeric),
        normals=ColumnNormals.read(arrays, len(labels), len(numeric)) if numeric else None,
        threads=None,
        calibration=calibration,
        sets=sets,
        rules=read_rules(content),
        added=added,
    )
    weights, terms = pick_prefix("weights/", arrays), pick_prefix("terms/", arrays)
    record, is_current = read_record(content, analyzer), content["is_current"]
    if type(is_current) is not (type(None) if record is None else bool):
        raise ValueError("the file does not say whether its record is current")
    model, majority = PackedModel(packed["type"], packed, weights, terms), read_majority(content, labels)
    compact = CompactCategorizer(scorer, labels, model, record, is_current, majority, read_hand_check(content))
    if verify:
        compact.scorer().table.check()
    return compact


def write_record(record: TrainingRecord | None) -> dict[str, Any] | None:
    return None if record is None else record.to_dict()


def read_record(content: Mapping[str, Any], analyzer: Analyzer) -> TrainingRecord | None:
    """The record, checked: it has the text columns that the analyzer has."""
    if content["record"] is None:
        return None
    record = TrainingRecord.from_dict(content["record"])
    learned = () if analyzer.layout is None else analyzer.layout.texts
    if record.columns is not None and learned != (record.columns.texts if len(record.columns.texts) > 1 else ()):
        raise ValueError("the record has other text columns than the analyzer")
    return record


def write_hand_check(check: HandCheck | None) -> dict[str, Any]:
    """The check by hand. A model that nobody has checked has the bytes that it had before there were checks."""
    return {} if check is None else {"hand_check": check.to_dict()}


def read_hand_check(content: Mapping[str, Any]) -> HandCheck | None:
    return HandCheck.from_dict(content["hand_check"]) if "hand_check" in content else None


def read_fitted_on(written: Any) -> DocumentsDigest | None:
    if written is None:
        return None
    if set(written) != set(DocumentsDigest._fields) or not all(isinstance(digits, str) for digits in written.values()):
        raise ValueError("the file does not say which documents the model was fitted to")
    return DocumentsDigest(**written)


def read_table(file: ModelFile, prefix: str, analyzer: Analyzer, written: Any) -> CountTable:
    arrays, labels = pick_prefix(prefix, file.arrays), read_labels(written)
    if len(arrays["label_documents"]) != len(labels):
        raise ValueError("each label needs its number of documents")
    return CountTable.from_arrays(analyzer, labels, arrays)


def pick_prefix(prefix: str, arrays: Mapping[str, Array]) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def read_analyzer(content: dict[str, Any]) -> Analyzer:
    analyzer = Analyzer.from_dict(content["analyzer"])
    if analyzer.signature != content["signature"]:
        warnings.warn(
            f"the model was made by the recipe {shorten(str(content['signature']))}, and here the same options are "
            f"{shorten(analyzer.signature)}: "
            "some texts may be read otherwise. Install the versions that it names, or train it anew.",
            RuntimeWarning,
            stacklevel=4,
        )
    return analyzer


def write_moments(moments: LabelMoments) -> dict[str, Any]:
    return {name: getattr(moments, name).to_dict() for name in ("n", "sums", "products")}


def read_moments(written: Mapping[str, Any], labels: Labels, n_columns: int) -> LabelMoments:
    """The moments of each label and column; an error if no documents can have them."""
    shapes = {"n": [len(labels)], "sums": [len(labels), n_columns], "products": [len(labels), n_columns]}
    moments = LabelMoments(labels, *(ExactSums.from_dict(written[name], shape) for name, shape in shapes.items()))
    if not moments.is_possible():
        raise ValueError("no documents can have these moments")
    ColumnNormals.read(vars(ColumnNormals.of(moments)), len(labels), n_columns)  # an error if they are not finite
    return moments
