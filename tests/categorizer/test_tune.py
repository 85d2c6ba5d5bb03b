"""Laws of the race of candidates, and of the estimate of the winner."""

import random
from typing import Any

import numpy as np
import pytest

from tercet import Analyzer, Categorizer, Documents, LinearSVM, NaiveBayes, Stack, tune
from tercet.categorizer import tune as tune_module
from tercet.categorizer.tune import NOT_CALIBRATED, Progress, Race, list_candidates
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.best_of_several import SeveralAnswers, estimate_choice
from tercet.evaluation.metrics import METRICS
from tercet.evaluation.resampling import Resampling

GOOD = ["lovely", "warm", "funny", "clever", "great"]
BAD = ["dull", "boring", "loud", "awful", "weak"]
BOTH = ["film", "story", "cast", "plot", "a"]


def make_reviews(n: int, seed: int = 0, share: float = 0.8) -> tuple[list[str], list[str]]:
    draw = random.Random(seed)
    labels = [draw.choice(["good", "bad"]) for _ in range(n)]
    words = [GOOD if (label == "good") == (draw.random() < share) else BAD for label in labels]
    return [" ".join(draw.choices(own + BOTH, k=6)) for own in words], labels


CANDIDATES = {
    "words": Categorizer(Analyzer()),
    "pairs": Categorizer(Analyzer(word_ngrams=(1, 2))),
    "margins": Categorizer(Analyzer(), LinearSVM(), calibrate="auto"),
    "useless": Categorizer(Analyzer(keep_words=["film", "story"])),
}


def race(n: int = 120, **options: Any) -> Any:
    texts, labels = make_reviews(n)
    return tune(texts, labels, **{"candidates": CANDIDATES, "folds": 4} | options)


# The best of several systems


def make_answers(n: int, accuracies: list[float], seed: int, groups: Any = None) -> SeveralAnswers:
    rng = np.random.default_rng(seed)
    gold = rng.integers(2, size=n)
    predicted = np.stack([np.where(rng.random(n) < share, gold, 1 - gold) for share in accuracies])
    return SeveralAnswers(np.arange(2), gold, predicted, np.arange(n) if groups is None else groups, np.ones(n))


def test_the_best_of_all_is_rarely_shown_to_be_worse() -> None:
    accuracies = [0.8] * 8
    shown = [make_answers(150, accuracies, seed).measure(METRICS["accuracy"]).compute_p_value(0) < 0.05 for seed in range(200)]
    assert np.mean(shown) < 0.09  # 0.05, and twice the standard error of 200 races


def test_a_much_worse_system_is_shown_to_be_worse() -> None:
    measured = make_answers(300, [0.6, 0.9, 0.89], 0).measure(METRICS["macro_f1"])
    assert measured.compute_p_value(0) < 0.01
    assert measured.best in (1, 2)
    assert measured.choose_system(0.05) == 1


def test_systems_with_equal_answers_are_equally_good_and_the_first_is_taken() -> None:
    answers = make_answers(60, [0.7], 0)
    same = SeveralAnswers(
        answers.labels, answers.gold, np.repeat(answers.predicted, 3, axis=0), answers.groups, answers.weights
    )
    measured = same.measure(METRICS["accuracy"])
    assert measured.best == 0
    assert [measured.compute_p_value(system) for system in range(3)] == [1.0] * 3


def test_an_undefined_metric_is_as_bad_as_possible() -> None:
    gold = np.array([0, 1] * 30)
    several = SeveralAnswers(np.arange(2), gold, np.stack([np.zeros(60, int), gold]), np.arange(60), np.ones(60))
    assert several.measure(METRICS["mcc"]).values.tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "kappa"])
def test_standard_errors_of_differences_are_those_of_resamples(metric: str) -> None:
    answers = make_answers(400, [0.8, 0.7], 3)
    rng, differences = np.random.default_rng(0), []
    for _ in range(400):
        drawn = rng.integers(400, size=400)
        again = SeveralAnswers(
            answers.labels, answers.gold[drawn], answers.predicted[:, drawn], np.arange(400), answers.weights
        )
        differences.append(np.subtract(*again.measure(METRICS[metric]).values))
    assert answers.measure(METRICS[metric]).compute_errors(0)[1] == pytest.approx(np.std(differences), rel=0.15)


def test_copies_say_as_much_as_one_document() -> None:
    once = make_answers(100, [0.8, 0.7], 1)
    twice = SeveralAnswers(
        once.labels, np.tile(once.gold, 2), np.tile(once.predicted, 2), np.tile(once.groups, 2), np.ones(200)
    )
    errors = [each.measure(METRICS["accuracy"]).compute_errors(0)[1] for each in (once, twice)]
    assert errors[0] == pytest.approx(errors[1])


def test_the_estimate_of_the_luckiest_of_many_is_not_too_high() -> None:
    lucky, estimated = [], []
    for seed in range(40):
        answers = make_answers(90, [0.7] * 12, seed)
        parts = np.arange(90) % 3
        without = [answers.take(parts != part) for part in range(3)]
        (estimate,) = estimate_choice(
            answers, parts, without, METRICS["accuracy"], lambda m: m.best, [METRICS["accuracy"]], Resampling()
        )
        lucky.append(answers.measure(METRICS["accuracy"]).values.max())
        estimated.append(estimate.value)
    assert np.mean(lucky) > 0.75
    assert np.mean(estimated) == pytest.approx(0.7, abs=0.02)


def test_the_estimate_of_a_clear_winner_is_its_own() -> None:
    answers = make_answers(200, [0.5, 0.95], 0)
    parts = np.arange(200) % 4
    without = [answers.take(parts != part) for part in range(4)]
    options = METRICS["accuracy"], lambda m: m.best, [METRICS["macro_f1"]], Resampling()
    (estimate,) = estimate_choice(answers, parts, without, *options)
    (own,) = answers.estimate(1, [METRICS["macro_f1"]], Resampling())
    assert estimate.value == pytest.approx(own.value)
    assert estimate.low < own.low < own.high < estimate.high  # answers of folds are not independent


# The race


def test_the_same_seed_gives_the_same_answer_in_any_order_of_the_documents() -> None:
    texts, labels = make_reviews(120)
    order = np.random.default_rng(1).permutation(120)
    one = tune(texts, labels, candidates=CANDIDATES, folds=4)
    other = tune([texts[i] for i in order], [labels[i] for i in order], candidates=CANDIDATES, folds=4)
    assert one.winner == other.winner
    assert one.estimate == other.estimate
    assert [(r.value, r.p_value, r.worse_after) for r in one.candidates] == [
        (r.value, r.p_value, r.worse_after) for r in other.candidates
    ]
    assert one.categorizer.table_ == other.categorizer.table_


def test_a_bad_candidate_is_dropped_early_and_never_wins() -> None:
    result = race(n=400, folds=8)
    useless = next(candidate for candidate in result.candidates if candidate.name == "useless")
    assert useless.worse_after is not None
    assert useless.worse_after < 8
    assert "useless" not in (result.winner, result.best, result.simplest)


def test_the_metric_of_a_candidate_is_that_of_cross_validation() -> None:
    texts, labels = make_reviews(120)
    held_out = CANDIDATES["pairs"].cross_validate(texts, labels, folds=4, copies="all")
    pairs = next(candidate for candidate in race().candidates if candidate.name == "pairs")
    assert pairs.value.value == pytest.approx(held_out.accuracy)


def test_the_winner_is_fitted_on_all_documents_and_its_record_has_the_estimate() -> None:
    result = race()
    texts, labels = make_reviews(120)
    same = Categorizer(**CANDIDATES[result.winner].get_params(deep=False)).fit(texts, labels)
    assert result.categorizer.table_ == same.table_
    assert np.array_equal(result.categorizer.predict(texts), same.predict(texts))
    record = result.categorizer.record_
    assert record.estimate["accuracy"] == result.estimate
    assert record.n_documents == 120
    assert result.categorizer.is_current_


def test_candidates_are_not_changed() -> None:
    race()
    assert not any(hasattr(candidate, "_state") for candidate in CANDIDATES.values())


def test_the_simplest_of_equal_candidates_wins() -> None:
    same = {name: Categorizer(Analyzer()) for name in ("first", "second", "third")}
    result = race(candidates=same)
    assert (result.winner, result.simplest) == ("first", "first")


def test_simplest_takes_the_first_that_is_not_shown_to_be_worse() -> None:
    result = race(n=300, simplest=True)
    not_worse = [candidate.name for candidate in result.candidates if candidate.worse_after is None]
    assert result.winner == result.simplest == not_worse[0]


def test_candidates_that_differ_only_by_calibration_share_their_fits() -> None:
    seen: list[Progress] = []
    both = {"plain": Categorizer(Analyzer()), "calibrated": Categorizer(Analyzer(), calibrate="auto")}
    race(candidates=both, folds=4, watch=seen.append)
    assert len(seen) == 4 + 6  # folds, and pairs of parts
    assert seen[-1].total == 10
    assert "best" in seen[-1].known


def test_a_recipe_is_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    hold = tune_module.hold_afresh
    monkeypatch.setattr(tune_module, "hold_afresh", lambda options, batches: counted.append(1) or hold(options, batches))
    texts, labels = make_reviews(60)
    candidates = {"a": Categorizer("words"), "b": Categorizer("words", NaiveBayes("multinomial"))}
    Race(candidates, Documents(texts, labels), "accuracy", 4, 0)
    assert len(counted) == 1


def test_documents_of_weight_0_change_nothing() -> None:
    texts, labels = make_reviews(120)
    more = Documents([*texts, "awful film"], [*labels, "good"], [1.0] * 120 + [0.0])
    assert tune(more, candidates=CANDIDATES, folds=4).n_documents == 120


def test_a_metric_of_one_label_can_choose() -> None:
    result = race(metric="recall:bad")
    assert result.metric == "recall:bad"
    assert result.winner != "useless"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metric": "makro_f1"}, "macro_f1"),
        ({"metric": "log_loss"}, "probabilities"),
        ({"folds": 2}, "folds must be an int >= 3"),
        ({"candidates": {"one": Categorizer()}}, "at least two candidates"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        race(**options)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["x"] * 60, "nothing to choose by"),
        (["x", "y"] * 15, "needs 50 or more"),
        (["x", "y"] * 30 + ["z"], "'z' has only one document"),
    ],
)
def test_documents_that_can_not_judge_are_refused(labels: list[str], words: str) -> None:
    with pytest.raises(InvalidLabel, match=words):
        tune([f"text {place}" for place in range(len(labels))], labels, candidates=CANDIDATES, folds=4)


def test_the_list_of_candidates_begins_simple_and_ends_with_auto() -> None:
    candidates = list_candidates()
    kinds = [type(candidate.model).__name__ for candidate in candidates.values()]
    assert kinds == sorted(kinds, key=["NaiveBayes", "LinearSVM", "LogisticRegression", "NBSVM", "str"].index)
    assert all(candidates[name].calibrate is None for name in candidates if name.endswith(NOT_CALIBRATED))
    names = list(candidates)
    for name in filter(lambda name: name.endswith(NOT_CALIBRATED), names):
        assert names.index(name) == names.index(name.removesuffix(NOT_CALIBRATED)) + 1


def test_the_result_is_shown_in_all_forms() -> None:
    result = race()
    assert "the winner on new documents" in str(result)
    assert result.winner in result.to_html()
    assert result.to_dict()["winner"] == result.winner
    assert list(result.to_frame()["candidate"]) == list(CANDIDATES)


# Candidates are judged as they are fitted.


def test_a_stack_is_judged_on_the_terms_that_it_is_fitted_on() -> None:
    texts, labels = make_reviews(60)
    analyzer = Analyzer(word_ngrams=(1, 2))
    candidates = {"margins": Categorizer(analyzer, LinearSVM()), "stack": Categorizer(analyzer, Stack())}
    of_stack = Race(candidates, Documents(texts, labels), "accuracy", 3, 0).entrants[1].shared.held
    assert of_stack is not None
    assert of_stack.table.analyzer == Categorizer(analyzer, Stack()).fit(texts, labels).table_.analyzer


def test_a_stack_with_a_given_calibration_is_judged_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = make_reviews(60)
    methods = []
    calibrate = tune_module.calibrate_held_out
    monkeypatch.setattr(tune_module, "calibrate_held_out", lambda *given: (methods.append(given[-1]), calibrate(*given))[1])
    stacks = {method: Categorizer(model="auto", calibrate=method) for method in ("auto", "platt")}
    tune(texts, labels, candidates=stacks, folds=3)
    assert "platt" in methods
