"""Probable label errors: the ranking, the estimated number, and data that cannot be judged."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import tercet
from tercet import Categorizer, Documents, LinearSVM, MostInformative, NaiveBayes, Stack, find_label_errors
from tercet.auditing.doctor.label_errors import LabelErrors
from tercet.categorizer.fitting import hold_afresh
from tercet.categorizer.held_out.label_noise import LabelNoise, NoiseLoss
from tercet.counts.table import CountTable
from tercet.errors import InvalidLabel, InvalidOption

WORDS = [f"w{i}" for i in range(60)]


def invent(n: int, n_wrong: int, seed: int = 0, n_labels: int = 3) -> tuple[list[str], list[str], list[int]]:
    """Texts whose words lean to their label, labels of which some are wrong, and the positions of these."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_labels
    lean = np.ones((n_labels, len(WORDS)))
    for label in range(n_labels):
        lean[label, label::n_labels] = 6
    shares = lean / lean.sum(axis=1, keepdims=True)
    texts = [" ".join(rng.choice(WORDS, 12, p=shares[code])) for code in codes]
    wrong = rng.choice(n, n_wrong, replace=False)
    codes[wrong] = (codes[wrong] + rng.integers(1, n_labels, n_wrong)) % n_labels
    return texts, [f"l{code}" for code in codes], wrong.tolist()


def average_precision(ranking: list[int], wrong: list[int]) -> float:
    found = np.isin(ranking, wrong)
    return float((np.cumsum(found) / np.arange(1, len(found) + 1))[found].mean())


@pytest.fixture(scope="module")
def planted() -> tuple[list[str], list[str], list[int]]:
    return invent(300, 15)


@pytest.fixture(scope="module")
def found(planted: tuple[list[str], list[str], list[int]]) -> LabelErrors:
    return find_label_errors(*planted[:2])


def test_planted_errors_are_ranked_first(planted: tuple[list[str], list[str], list[int]], found: LabelErrors) -> None:
    wrong = planted[2]
    rng = np.random.default_rng(0)
    by_chance = max(average_precision(rng.permutation(300).tolist(), wrong) for _ in range(1000))
    assert average_precision(found.ranking.tolist(), wrong) > 0.9 > 3 * by_chance
    assert found.n_errors.low <= 15 <= found.n_errors.high
    assert found.n_errors.low > 5


def test_less_weight_for_doubtful_labels_ranks_better(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels, wrong = invent(300, 90, n_labels=2)
    weighted = find_label_errors(texts, labels)
    monkeypatch.setattr("tercet.categorizer.held_out.held_out.HeldDocuments.reweigh", lambda held, weights: held)
    unweighted = find_label_errors(texts, labels)
    assert average_precision(weighted.ranking.tolist(), wrong) > average_precision(unweighted.ranking.tolist(), wrong)


def list_counts(table: CountTable | None) -> list[list[Any]]:
    """All counts of a table, its terms in canonical order."""
    assert table is not None
    cells = table.counts.cells(table.table.order())
    return [part.tolist() for part in (table.counts.n_documents(), table.counts.squares(), *cells)]


def test_documents_with_other_weights_are_counted_as_if_they_had_been_learned_with_these_weights() -> None:
    texts, labels, _ = invent(40, 0)
    weights = np.random.default_rng(0).integers(1, 1 << 20, 40)
    numbers = {"numbers": list(range(40)), "place": ["a", "b"] * 20}
    categorizer = Categorizer("words", numeric=["numbers"], select=MostInformative(30, by="ld", domain="place"))
    held = hold_afresh(categorizer.check_options(), iter([Documents(texts, labels, columns=numbers)])).reweigh(weights)
    afresh = hold_afresh(categorizer.check_options(), iter([Documents(texts, labels, weights / (1 << 20), columns=numbers)]))
    for table, expected in ((held.table, afresh.table), (held.domain_table, afresh.domain_table)):
        assert list_counts(table) == list_counts(expected)
    assert held.moments == afresh.moments
    assert held.data.weights.tolist() == weights.tolist() == afresh.data.weights.tolist()


def test_suspects_are_the_start_of_the_ranking_by_score(found: LabelErrors) -> None:
    assert sorted(found.ranking.tolist()) == list(range(300))
    scores = found.scores[found.ranking]
    assert (np.diff(scores) >= 0).all()
    assert ((scores > 0) & (scores <= 1)).all()
    listed = list(found.suspects)
    assert [suspect.probability for suspect in listed] == sorted(suspect.probability for suspect in listed)
    assert [suspect.probability for suspect in listed] == found.scores[[suspect.position for suspect in listed]].tolist()
    assert all(suspect.label != suspect.better for suspect in listed)


def test_order_of_documents_does_not_matter(planted: tuple[list[str], list[str], list[int]], found: LabelErrors) -> None:
    texts, labels, _ = planted
    order = np.random.default_rng(3).permutation(len(texts)).tolist()
    again = find_label_errors([texts[i] for i in order], [labels[i] for i in order])
    assert again.scores.tolist() == found.scores[order].tolist()
    assert again.n_errors == found.n_errors


def test_another_seed_gives_other_folds(planted: tuple[list[str], list[str], list[int]], found: LabelErrors) -> None:
    other = find_label_errors(*planted[:2], seed=1)
    assert other.scores.tolist() != found.scores.tolist()


def test_batches_and_a_list_give_the_same_with_the_same_seed(
    planted: tuple[list[str], list[str], list[int]], found: LabelErrors
) -> None:
    texts, labels, _ = planted
    batches = (Documents(texts[i : i + 70], labels[i : i + 70]) for i in range(0, 300, 70))
    assert find_label_errors(batches).scores.tolist() == found.scores.tolist()


@pytest.mark.parametrize("model", [NaiveBayes(), LinearSVM(), Stack()], ids=lambda model: type(model).__name__)
def test_a_given_categorizer_judges_and_is_not_changed(
    planted: tuple[list[str], list[str], list[int]], model: NaiveBayes | LinearSVM | Stack
) -> None:
    texts, labels, wrong = planted
    categorizer = Categorizer("words", model=model)
    found = find_label_errors(texts, labels, categorizer=categorizer, folds=3)
    assert average_precision(found.ranking.tolist(), wrong) > 0.9
    assert not hasattr(categorizer, "classes_")


@pytest.mark.parametrize("model", [NaiveBayes(), LinearSVM(), "auto"], ids=["bayes", "svm", "auto"])
def test_copies_of_a_text_are_held_out_together(model: NaiveBayes | LinearSVM | str) -> None:
    texts, labels, _ = invent(60, 0, n_labels=2)
    labels[5] = "l0" if labels[5] == "l1" else "l1"
    categorizer = Categorizer("words", model=model)
    copied = find_label_errors(texts + [texts[5]] * 10, labels + [labels[5]] * 10, categorizer=categorizer, folds=3)
    # If a copy had been learned, the wrong label would be probable.
    assert copied.scores[5] < 0.5
    assert np.ptp(copied.scores[[5, *range(60, 70)]]) == 0


def test_documents_of_weight_0_are_not_judged_and_change_nothing() -> None:
    texts, labels, _ = invent(120, 6)
    odd = Documents([*texts, "w0 w1", "w2 w3"], [*labels, "l0", "rare"], [1.0] * 120 + [0.0] * 2)
    with_odd, without = find_label_errors(odd), find_label_errors(Documents(texts, labels, [1.0] * 120))
    assert with_odd.scores[:120].tolist() == without.scores.tolist()
    assert np.isnan(with_odd.scores[120:]).all()
    assert with_odd.ranking[-2:].tolist() == [120, 121]
    assert with_odd.n_errors == without.n_errors
    assert with_odd.n_judged == 120


@pytest.mark.parametrize("n", [30, 120])  # naive Bayes, and a stack
def test_the_only_document_of_a_label_is_not_judged(n: int) -> None:
    texts, labels, _ = invent(n, 0)
    found = find_label_errors([*texts, "quite another text"], [*labels, "alone"])
    assert np.isnan(found.scores[n])
    assert found.ranking[-1] == n
    assert n not in [suspect.position for suspect in found.suspects]
    assert found.n_judged == n


@pytest.mark.parametrize(
    ("texts", "labels", "said"),
    [
        (["a b", "b c", "c d"], ["x", "x", "x"], "1 of 1 label have"),
        (["a b", "b c", "c d"], ["x", "x", "y"], "1 of 2 labels have"),
        (["a b", "b c", "c", "c"], ["x", "x", "y", "y"], "1 of 2 labels have"),
        (["a", "b"], ["x", "y"], "0 of 2 labels have"),
    ],
)
def test_labels_without_two_texts_are_refused(texts: list[str], labels: list[str], said: str) -> None:
    with pytest.raises(InvalidLabel, match=f"{said} at least two different texts, and two such labels are needed"):
        find_label_errors(texts, labels)


@pytest.mark.parametrize("model", [None, NaiveBayes(), LinearSVM(), Stack()])
def test_fewer_documents_than_folds_are_judged(model: NaiveBayes | LinearSVM | Stack | None) -> None:
    categorizer = None if model is None else Categorizer("words", model=model)
    found = find_label_errors(["a b", "b a c", "x y", "y z x"], ["p", "p", "q", "q"], categorizer=categorizer, folds=9)
    assert found.n_judged == 4
    assert not len(found.suspects)


def test_no_documents_are_refused() -> None:
    with pytest.raises(InvalidLabel):
        find_label_errors([], [])


def test_wrong_options_are_refused() -> None:
    texts, labels = ["a", "b", "c", "d"], ["x", "y", "x", "y"]
    with pytest.raises(InvalidOption, match="folds must be an int >= 2, got 1"):
        find_label_errors(texts, labels, folds=1)
    with pytest.raises(InvalidOption, match="categorizer must be a Categorizer or None"):
        find_label_errors(texts, labels, categorizer="auto")  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="seed"):
        find_label_errors(texts, labels, seed=-1)


def test_every_form_has_the_estimate_the_note_and_the_suspects(found: LabelErrors) -> None:
    written = json.loads(json.dumps(found.to_dict()))
    assert written["n_errors"]["value"] == found.n_errors.value
    assert "mbiguous" in written["note"]
    assert [each["position"] for each in written["suspects"]] == found.suspects.positions.tolist()
    assert list(found.to_frame()["position"]) == found.suspects.positions.tolist()
    first, note, _, head, *_ = str(found).splitlines()
    assert first.startswith(f"probable label errors: {found.n_errors:.0f} of 300 documents (fewer than 500 documents: ")
    assert note == found.note
    assert "looks mislabelled" in head
    assert repr(found).startswith("LabelErrors(")


def test_suspects_name_their_file_and_row(tmp_path: Path) -> None:
    texts, labels, _ = invent(60, 3)
    path = str(tmp_path / "data.csv")
    with open(path, "w") as file:
        file.write("text,label\n" + "".join(f"{text},{label}\n" for text, label in zip(texts, labels, strict=True)))
    suspect = find_label_errors(tercet.read(path)).suspects[0]
    assert suspect.row == suspect.position + 2
    assert suspect.place.startswith(path)


def draw_noisy(n: int, n_labels: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Log-probabilities that are right for the true labels, given labels, and how many of these are not the true ones."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 3, (n, n_labels))
    log_proba = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    true = (np.cumsum(np.exp(log_proba), axis=1) > rng.random((n, 1))).argmax(axis=1)
    is_wrong = rng.random(n) < share
    given = np.where(is_wrong, (true + rng.integers(1, n_labels, n)) % n_labels, true)
    return log_proba, given, int(is_wrong.sum())


def test_interval_covers_the_number_of_random_labels() -> None:
    n_covered = 0
    for n_labels, share, seed in [(*kind, seed) for kind in ((2, 0.0), (2, 0.2), (4, 0.05)) for seed in range(5)]:
        log_proba, given, n_wrong = draw_noisy(300, n_labels, share, seed)
        estimate = LabelNoise.fit(log_proba, given).count_errors()
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 300
        n_covered += estimate.low <= n_wrong <= estimate.high
    assert n_covered >= 12  # with a coverage of 95 %, fewer than 12 of 15 have a probability of 0.5 %


def test_sound_labels_are_told_from_random_ones() -> None:
    log_proba, given, n_wrong = draw_noisy(2000, 3, 0.1, 0)
    noise = LabelNoise.fit(log_proba, given)
    assert (noise.p_sound >= 0).all()
    assert (noise.p_sound <= 1).all()
    # A random label may be right, so a little more than the wrong labels is random.
    assert (1 - noise.p_sound).sum() == pytest.approx(noise.count_errors().value * 3 / 2, abs=2)
    assert noise.p_sound[np.exp(log_proba)[np.arange(2000), given] < 1e-3].max() < 0.5
    assert n_wrong > 100


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_a_judge_that_is_too_sure_of_large_documents_is_no_label_noise(share: float) -> None:
    log_proba, given, n_wrong = draw_noisy(1500, 2, share, 5)
    sizes = np.exp(np.random.default_rng(6).uniform(0, 7, 1500)).round()
    too_sure = log_proba * sizes[:, None]
    estimate = LabelNoise.fit(too_sure, given, sizes).count_errors()
    assert estimate.low <= n_wrong <= estimate.high
    assert LabelNoise.fit(too_sure, given).count_errors().low > n_wrong


def test_gradient_of_the_loss_is_the_difference_quotient() -> None:
    log_proba, given, _ = draw_noisy(50, 3, 0.1, 1)
    loss = NoiseLoss(log_proba, given, np.arange(1, 51))
    at = np.array([0.7, -0.4, -2.0, 0.1, -0.3, 0.2])
    assert loss(at)[1] == pytest.approx(approx_fprime(at, lambda x: loss(x)[0], 1e-7), abs=1e-5)


def test_impossible_labels_are_no_numbers_that_break_the_estimate() -> None:
    log_proba, given, _ = draw_noisy(400, 3, 0.05, 4)
    log_proba[np.arange(400), (given + 1) % 3] = -np.inf
    assert np.isfinite(LabelNoise.fit(log_proba, given).count_errors().high)


def test_with_very_many_labels_the_best_labels_of_each_document_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.auditing.doctor.label_errors.MAX_LABELS", 20)
    monkeypatch.setattr("tercet.auditing.doctor.label_errors.MAX_SCORES", 1000)
    rng = np.random.default_rng(0)
    codes = np.arange(600) % 40
    texts = [" ".join([f"topic{code} about{code}", *rng.choice(WORDS, 6)]) for code in codes]
    wrong = rng.choice(600, 12, replace=False)
    codes[wrong] = (codes[wrong] + rng.integers(1, 40, 12)) % 40
    found = find_label_errors(texts, [f"l{code:02}" for code in codes])
    assert average_precision(found.ranking.tolist(), wrong.tolist()) > 0.9
    assert found.n_errors.low <= 12 <= found.n_errors.high
    assert "naive Bayes alone" in found.n_errors.note
    suspects = {suspect.position: suspect.better for suspect in found.suspects}
    assert all(suspects[position] == f"l{position % 40:02}" for position in wrong.tolist())
