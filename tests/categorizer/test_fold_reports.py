"""Cross-validation with given folds, and what it says of each fold."""

from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import assert_close, deal_folds, some
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

import tercet
from tercet import Categorizer
from tercet.errors import InvalidOption, TercetError

WORDS = ["hen", "fox", "owl", "sat", "ran", "old"]
TEXTS = [f"{WORDS[k % 6]} {WORDS[k * k % 5]} {WORDS[k * 7 % 4]}" for k in range(36)]
LABELS = ["bird" if k % 3 else "beast" for k in range(36)]


def predict_apart(fold_of: Any) -> list[str]:
    """Predictions of categorizers that were fitted without each fold."""
    predicted = np.empty(len(TEXTS), object)
    for fold in set(fold_of):
        inside = [k for k, own in enumerate(fold_of) if own == fold]
        outside = [k for k, own in enumerate(fold_of) if own != fold]
        fitted = Categorizer().fit([TEXTS[k] for k in outside], [LABELS[k] for k in outside])
        predicted[inside] = fitted.predict([TEXTS[k] for k in inside])
    return predicted.tolist()


@given(st.lists(st.sampled_from(["x", "y", "z"]), min_size=36, max_size=36).filter(lambda folds: len(set(folds)) > 1))
@some(0.3)
def test_given_folds_are_held_out_as_by_retraining(fold_of: list[str]) -> None:
    held = Categorizer().cross_validate(TEXTS, LABELS, folds=np.array(fold_of))
    assert held.folds is not None
    assert held.folds.tolist() == [sorted(set(fold_of)).index(fold) for fold in fold_of]
    assert held.predicted.tolist() == predict_apart(fold_of)
    assert held.recipe["folds"].startswith(f"{len(set(fold_of))}+given=")


def test_the_signature_tells_given_folds_apart() -> None:
    halves, thirds = np.arange(len(TEXTS)) % 2, np.arange(len(TEXTS)) // 3 % 2
    order = np.random.default_rng(0).permutation(len(TEXTS))
    mixed = [TEXTS[k] for k in order], [LABELS[k] for k in order]
    one, other = (Categorizer().cross_validate(TEXTS, LABELS, folds=folds).recipe for folds in (halves, thirds))
    assert one != other
    assert one == Categorizer().cross_validate(*mixed, folds=halves[order]).recipe


@pytest.mark.parametrize("splitter", [KFold(4), KFold(3, shuffle=True, random_state=1), StratifiedKFold(5), LeaveOneOut()])
def test_a_splitter_says_who_is_held_out(splitter: Any) -> None:
    fold_of = np.full(len(TEXTS), -1)
    for fold, (_, test) in enumerate(splitter.split(TEXTS, LABELS)):
        fold_of[test] = fold
    held = Categorizer().cross_validate(TEXTS, LABELS, folds=splitter)
    assert held.folds is not None
    assert held.folds.tolist() == fold_of.tolist()
    assert held.predicted.tolist() == predict_apart(fold_of.tolist())


def test_dealt_folds_are_stratified_unless_it_is_not_wanted() -> None:
    labels = np.array(LABELS)
    default, same, plain = (
        Categorizer().cross_validate(TEXTS, labels, folds=6, seed=3, **options)
        for options in ({}, {"stratified": True}, {"stratified": False})
    )
    assert default.folds is not None
    assert plain.folds is not None
    assert default.folds.tolist() == deal_folds(Categorizer(), TEXTS, LABELS, folds=6, seed=3).tolist()
    assert (default.log_joint == same.log_joint).all()
    assert [np.count_nonzero(labels[default.folds == fold] == "beast") for fold in range(6)] == [2] * 6
    assert np.bincount(plain.folds).tolist() == [6] * 6
    assert len({np.count_nonzero(labels[plain.folds == fold] == "beast") for fold in range(6)}) > 1
    assert plain.recipe["folds"] == "6+seed=3+stratified=no"
    shuffled = np.random.default_rng(0).permutation(36)
    again = Categorizer().cross_validate([TEXTS[k] for k in shuffled], labels[shuffled], folds=6, seed=3, stratified=False)
    by_text = {text: set(plain.folds[[k for k, own in enumerate(TEXTS) if own == text]]) for text in TEXTS}
    assert again.folds is not None
    assert all(
        set(again.folds[[k for k, place in enumerate(shuffled) if TEXTS[place] == text]]) == by_text[text] for text in TEXTS
    )


def test_calibration_is_fitted_to_the_other_folds() -> None:
    texts, labels = TEXTS * 5, LABELS * 5
    dealt = Categorizer(calibrate="temperature").cross_validate(texts, labels, folds=5)
    given = Categorizer(calibrate="temperature").cross_validate(texts, labels, folds=dealt.folds)
    assert_close(dealt.probabilities, given.probabilities)


def test_each_fold_has_a_report_and_the_summary_has_their_mean_and_spread() -> None:
    held = Categorizer().cross_validate(TEXTS, LABELS, folds=KFold(4))
    assert held.folds is not None
    right = held.predicted == held.gold
    accuracies = [float(right[held.folds == fold].mean()) for fold in range(4)]
    assert [report.accuracy.value for report in held.fold_reports] == pytest.approx(accuracies)
    assert [report.n for report in held.fold_reports] == [9] * 4
    spread = held.fold_summary["accuracy"]
    assert spread.mean == pytest.approx(np.mean(accuracies))
    assert spread.deviation == pytest.approx(np.std(accuracies, ddof=1))
    assert (spread.low, spread.high, spread.n_folds) == (min(accuracies), max(accuracies), 4)


def test_the_summary_says_that_the_spread_is_no_interval_in_every_form() -> None:
    summary = Categorizer().cross_validate(TEXTS, LABELS, folds=4).fold_summary
    for form in (str(summary), summary.to_markdown(), summary.to_html(), summary.to_latex(), summary.to_dict()["note"]):
        assert "no confidence interval of the mean" in " ".join(form.split())
    assert str(summary).startswith("4 folds of 9 documents")
    assert "folds:4+seed=0" in str(summary)
    frame = summary.to_frame()
    assert list(frame.columns) == ["metric", "mean", "deviation", "low", "high", "n_folds"]
    assert summary.to_dict()["metrics"]["accuracy"]["mean"] == summary["accuracy"].mean
    with pytest.raises(TercetError, match=r"no metric 'accurcy': .* Did you mean 'accuracy'"):
        _ = summary["accurcy"]


@pytest.mark.filterwarnings("ignore::tercet.evaluation.sample.UndefinedMetric")
def test_a_fold_where_a_metric_is_undefined_is_left_out_of_its_mean() -> None:
    folds = [0 if label == "beast" else 1 + k % 2 for k, label in enumerate(LABELS)]
    folds[1] = 0
    summary = Categorizer().cross_validate(TEXTS, LABELS, folds=folds).fold_summary
    assert summary["roc_auc"].n_folds == 1
    assert np.isnan(summary["roc_auc"].deviation)
    assert "undefined in 2 of 3 folds" in str(summary)
    assert summary.to_dict()["metrics"]["roc_auc"]["deviation"] is None


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (ShuffleSplit(3, random_state=0), r"tests document \d+ .* twice|never tests document"),
        (ShuffleSplit(1, random_state=0), "never tests document"),
        (RepeatedKFold(n_splits=2, n_repeats=2), "twice"),
        (TimeSeriesSplit(3), "neither learns nor tests document 18"),
        (PredefinedSplit([-1] * 6 + [0] * 15 + [1] * 15), "never tests document 0"),
        (KFold, "can't split these 36 documents"),
        (GroupKFold(3), "can't split these 36 documents: .*groups"),
        ([-1] + [0, 1] * 17 + [1], "folds has -1 for document 0"),
        ([0] * 36, "all documents are in one fold"),
        ([0, 1], "folds has 2 values for 36 documents"),
        (list(KFold(3).split(TEXTS)), "folds is a list of lists, such as pairs of training and test positions"),
        (iter([[0, 1], [2, 3]]), "give one list with the fold of each document instead"),
        ([0, None] * 18, "folds: label 1"),
        ("10", "folds must be an int >= 2, an array"),
        (2.5, "folds must be an int >= 2, an array"),
        (None, "folds must be an int >= 2, an array"),
    ],
    ids=lambda given: type(given).__name__ if hasattr(given, "__next__") else str(given)[:60],  # no address
)
def test_folds_that_miss_or_repeat_a_document_are_refused(folds: Any, message: str) -> None:
    with pytest.raises(TercetError, match=message):
        Categorizer().cross_validate(TEXTS, LABELS, folds=folds)


def test_given_folds_can_not_be_changed_for_copies() -> None:
    with pytest.raises(TercetError, match="the folds are given"):
        Categorizer().cross_validate(TEXTS, LABELS, folds=[0, 1] * 18, copies="all")


def test_leave_one_out_has_no_folds() -> None:
    held = tercet.Categorizer().fit(TEXTS, LABELS).leave_one_out(TEXTS, LABELS)
    assert held.folds is None
    with pytest.raises(TercetError, match="leave-one-out has no folds"):
        _ = held.fold_reports


class OddSplitter:
    """A splitter that gives any pairs."""

    def __init__(self, *pairs: Any) -> None:
        self.pairs = pairs

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        return self.pairs


@pytest.mark.parametrize(
    "pair", [([0], [9999]), ([0], [-1]), ([0.0], [1.0]), ([True], [False]), ("a", "b"), ([[0]], [[1]]), (0, 1), ([0], [1], [2])]
)
def test_a_splitter_that_gives_no_positions_is_refused(pair: Any) -> None:
    with pytest.raises(InvalidOption, match="can't split"):
        Categorizer().cross_validate(TEXTS, LABELS, folds=OddSplitter(pair))
