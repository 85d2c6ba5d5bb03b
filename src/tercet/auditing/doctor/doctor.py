"""`examine`: documents → a diagnosis of everything that is wrong with them. Each check is a function in the list CHECKS."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from tercet.auditing.doctor.checks import (
    check_categorizer,
    check_imbalance,
    describe_learned,
    find_copies,
    find_empty,
    find_joined_labels,
    find_label_variants,
    find_leaked_ids,
    find_leaked_texts,
    find_learned_tests,
    find_long,
    find_near,
    find_near_leaked,
    find_new_labels,
    find_rare_labels,
    find_short,
    find_telling_columns,
    find_telling_terms,
    find_unknown_labels,
    find_unlikely_labels,
    find_unrelated,
    find_wrong_decoding,
    is_fitted,
    list_label_errors,
    name_missing_columns,
    name_missing_comparison,
    name_missing_ids,
    name_missing_judges,
    name_missing_lengths,
    name_missing_memory,
    name_missing_new,
    name_missing_relations,
    name_missing_told,
    name_missing_words,
)
from tercet.auditing.doctor.diagnosis import (
    BAD_ROW,
    CONTRADICTION,
    COPY,
    EMPTY_TEXT,
    IMBALANCE,
    JOINED_LABEL,
    KINDS,
    LABEL_ERROR,
    LABEL_VARIANT,
    LEAKED_ID,
    LEAKED_TEXT,
    LEARNED_TEST,
    LONG_TEXT,
    NEAR_CONTRADICTION,
    NEAR_COPY,
    NEAR_LEAK,
    NEW_LABEL,
    RARE_LABEL,
    SHORT_TEXT,
    TELLING_COLUMN,
    TELLING_TERM,
    UNKNOWN_LABEL,
    UNLIKELY_LABEL,
    UNRELATED_TEXT,
    WRONG_DECODING,
    Diagnosis,
    Finding,
)
from tercet.auditing.doctor.examined import DATA, TEST, Examined, ExaminedPart
from tercet.categorizer.categorizer import Categorizer


class Check(NamedTuple):
    """A check: the function that finds, the kinds that it may find, and what is missing for it, in words."""

    find: Callable[[Examined], Iterable[Finding]]
    kinds: tuple[str, ...]
    name_missing: Callable[[Examined], str] = lambda examined: ""


def _need_labels(examined: Examined) -> str:
    return "" if examined.data.labels is not None else "the documents have no labels"


def _need_several_labels(examined: Examined) -> str:
    return _need_labels(examined) or ("there is one label only" if len(examined.data.label_counts) < 2 else "")


def _need_judges(examined: Examined) -> str:
    return _need_several_labels(examined) or name_missing_judges(examined)


def _need_test(examined: Examined) -> str:
    return "" if examined.test is not None else "there are no test documents"


def _need_test_labels(examined: Examined) -> str:
    missing = _need_test(examined) or _need_labels(examined)
    return missing or ("" if examined.test and examined.test.labels is not None else "the test documents have no labels")


JUDGE_LABELS = Check(list_label_errors, (LABEL_ERROR,), _need_judges)
CHECKS = (
    Check(lambda examined: (bad for part in examined.parts for bad in part.describe_bad_rows()), (BAD_ROW,)),
    Check(find_leaked_texts, (LEAKED_TEXT,), _need_test),
    Check(find_leaked_ids, (LEAKED_ID,), lambda examined: _need_test(examined) or name_missing_ids(examined)),
    Check(find_telling_terms, (TELLING_TERM,), lambda examined: _need_several_labels(examined) or name_missing_told(examined)),
    Check(
        find_telling_columns,
        (TELLING_COLUMN,),
        lambda examined: _need_several_labels(examined) or name_missing_columns(examined),
    ),
    Check(find_copies, (CONTRADICTION, COPY)),
    Check(find_near_leaked, (NEAR_LEAK,), _need_test),
    Check(find_near, (NEAR_CONTRADICTION, NEAR_COPY)),
    JUDGE_LABELS,
    Check(find_label_variants, (LABEL_VARIANT,), _need_labels),
    Check(find_joined_labels, (JOINED_LABEL,), _need_labels),
    Check(find_unknown_labels, (UNKNOWN_LABEL,), _need_test_labels),
    Check(find_rare_labels, (RARE_LABEL,), _need_labels),
    Check(check_imbalance, (IMBALANCE,), _need_labels),
    Check(find_empty, (EMPTY_TEXT,)),
    Check(find_wrong_decoding, (WRONG_DECODING,)),
    Check(find_short, (SHORT_TEXT,), name_missing_words),
    Check(find_long, (LONG_TEXT,), name_missing_lengths),
    Check(find_unrelated, (UNRELATED_TEXT,), name_missing_relations),
)
# For a trained model.
MODEL_CHECKS = (
    Check(find_learned_tests, (LEARNED_TEST,), lambda examined: _need_test_labels(examined) or name_missing_memory(examined)),
    Check(find_unlikely_labels, (UNLIKELY_LABEL,), lambda examined: _need_labels(examined) or name_missing_new(examined)),
    Check(find_new_labels, (NEW_LABEL,), _need_labels),
)
ORDER = {kind: index for index, kind in enumerate(KINDS)}


def examine(documents: Any, test: Any = None, *, categorizer: Categorizer | None = None) -> Diagnosis:
    """What is wrong with documents, and with test documents if they are given: see `Diagnosis`.

    Documents are given as for `tercet.split`: Documents, a stream, or texts. All of them are read into memory. Without labels,
    only the texts are examined. The order of the documents does not change what is found, only which of several copies is
    named first.

    With a `categorizer`, label errors are judged by its recipe and options, trained anew on folds of these documents. A fitted
    categorizer also answers itself: which documents it has not learned although their label is improbable for it, which labels
    it does not know, and which test documents it has learned. It is not changed.

    >>> from tercet import Documents
    >>> found = examine(Documents(["to be", "or not", "to be", "cafÃ©"], ["x", "y", "y", "x"]))
    >>> found.counts
    {'contradiction': 1, 'rare label': 2, 'wrong decoding': 1}
    >>> found.findings[0].sentence
    "The same text is in document 2. The labels are 'x' (1), 'y' (1)."
    """
    if categorizer is not None:
        check_categorizer(categorizer)
    examined = Examined(
        ExaminedPart.read(documents, DATA), None if test is None else ExaminedPart.read(test, TEST), categorizer
    )
    checks = CHECKS + MODEL_CHECKS if is_fitted(categorizer) else CHECKS
    missing = {check: check.name_missing(examined) for check in checks}
    findings = [finding for check in checks if not missing[check] for finding in check.find(examined)]
    found = {finding.kind for finding in findings}
    checked = sorted((kind for check in checks if not missing[check] for kind in check.kinds), key=ORDER.__getitem__)
    return Diagnosis(
        tuple(sorted(findings, key=_order_finding)),
        "; test: ".join(part.describe() for part in examined.parts),
        tuple(KINDS[kind].looked_for for kind in checked if kind not in found),
        tuple(_list_missing(examined, missing)),
        tuple(_list_notes(examined)),
        None if missing[JUDGE_LABELS] else examined.label_errors.n_errors,
    )


def _list_notes(examined: Examined) -> Iterator[str]:
    for part in examined.parts:
        yield from part.notes
        if part.n_bad > len(part.bad_rows):
            yield f"Only the first {len(part.bad_rows)} of {part.n_bad} bad rows of {part.source} are listed."
    if is_fitted(examined.categorizer) and not (_need_labels(examined) or name_missing_memory(examined)):
        yield describe_learned(examined)


def _list_missing(examined: Examined, missing: dict[Check, str]) -> Iterator[str]:
    """What was not looked for, by the reason."""
    for reason in dict.fromkeys(filter(None, missing.values())):
        kinds = [KINDS[kind].looked_for for check, own in missing.items() if own == reason for kind in check.kinds]
        yield f"{', '.join(kinds)} ({reason})"
    if reason := name_missing_comparison(examined):
        yield f"typing errors in labels ({reason})"


def _order_finding(finding: Finding) -> tuple[int, float, str, int]:
    position = -1 if finding.place.position is None else finding.place.position
    return ORDER[finding.kind], -finding.strength, finding.place.part, position
