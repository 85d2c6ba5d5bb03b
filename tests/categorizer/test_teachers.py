"""Models that learn from teachers: what is combined, what is estimated on gold documents alone, and what is refused."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Categorizer, Documents, Rule
from tercet.categorizer.teachers import teaching
from tercet.categorizer.teachers.combination import TeachersReport, combine_rows, compare_pairs, judge_teachers
from tercet.categorizer.teachers.teaching import N_FOLDS, deal_folds, predict_gold, teach
from tercet.categorizer.teachers.text_votes import ask_words, combine_texts, soften
from tercet.categorizer.teachers.votes import TaughtRows, read_votes
from tercet.data.label_rules import LabelRules
from tercet.errors import InvalidLabel, InvalidOption, NoEstimate, TercetError
from tercet.text.analyzer import Analyzer

SPORTS, BANKS = ["team", "goal", "match", "coach", "referee", "cup"], ["bank", "rate", "loan", "market", "bond", "fee"]
LABELS = ("business", "sports")
N, N_GOLD = 240, 60
DRAW = random.Random(0)
RIGHT = [LABELS[DRAW.random() < 0.5] for _ in range(N)]
TEXTS = [
    " ".join([*DRAW.choices(SPORTS if right == "sports" else BANKS, k=3), *DRAW.choices("abcdefgh", k=3), str(i)])
    for i, right in enumerate(RIGHT)
]
GOLD = [right if i < N_GOLD else None for i, right in enumerate(RIGHT)]
NAIVE = Categorizer("words", threads=1)


def answer(accuracy: float, coverage: float, seed: int) -> list[str | None]:
    draw = random.Random(seed)
    said = [right if draw.random() < accuracy else LABELS[right == "business"] for right in RIGHT]
    return [own if draw.random() < coverage else None for own in said]


COLUMNS: dict[str, list[Any]] = {"llm": answer(0.9, 1.0, 1), "old": answer(0.8, 0.7, 2), "crowd": answer(0.7, 1.0, 3)}
TAUGHT = Documents(TEXTS, GOLD, columns=COLUMNS)


def fresh(**changes: Any) -> Categorizer:
    return Categorizer(**NAIVE.get_params(deep=False) | changes)


def train(documents: Documents = TAUGHT, teachers: Any = tuple(COLUMNS), **more: Any) -> Any:
    return tercet.train(documents, teachers=list(teachers) if isinstance(teachers, tuple) else teachers, **more)


def read(documents: Documents = TAUGHT, teachers: Any = tuple(COLUMNS)) -> TaughtRows:
    return read_votes(documents, list(teachers) if isinstance(teachers, tuple) else teachers, Analyzer())


def write(model: Any, folder: Path) -> bytes:
    model.save(folder / "written.tercet")
    return (folder / "written.tercet").read_bytes()


def mix(documents: Documents, seed: int) -> Documents:
    order = list(range(len(documents.texts)))
    random.Random(seed).shuffle(order)
    return documents.pick(order)


# The model and its bytes.


@pytest.mark.parametrize("gold", [True, False])
def test_order_and_threads_do_not_change_a_byte(gold: bool, tmp_path: Path) -> None:
    documents = TAUGHT if gold else Documents(TEXTS, columns=COLUMNS)
    expected = write(train(documents, categorizer=fresh()).categorizer, tmp_path)
    for seed, threads in ((1, 1), (2, 3)):
        found = train(mix(documents, seed), categorizer=fresh(threads=threads)).categorizer
        assert write(found, tmp_path) == expected


def test_order_does_not_change_a_byte_of_the_default_model(tmp_path: Path) -> None:
    default = {"model": "auto", "calibrate": "auto"}
    found = [train(own, categorizer=Categorizer(**default)) for own in (TAUGHT, mix(TAUGHT, 5))]
    assert write(found[0].categorizer, tmp_path) == write(found[1].categorizer, tmp_path)
    assert found[0].teachers.to_dict() == found[1].teachers.to_dict()


def test_a_perfect_teacher_gives_the_labels_of_the_gold_model() -> None:
    documents = Documents(TEXTS, GOLD, columns={"perfect": RIGHT, "poor": answer(0.6, 1.0, 4)})
    learned = soften(documents, rows := read(documents, ("perfect", "poor")), combine_rows(rows))
    best = {
        text: label for text, label, weight in zip(learned.texts, learned.labels, learned.weights, strict=True) if weight > 0.5
    }
    assert best == dict(zip(TEXTS, RIGHT, strict=True))
    taught = train(documents, ("perfect", "poor"), categorizer=fresh()).categorizer
    assert (taught.predict(TEXTS) == fresh().fit(TEXTS, RIGHT).predict(TEXTS)).all()


def test_gold_documents_are_learned_with_their_label_and_weight_1() -> None:
    wrong = [LABELS[right == "business"] for right in RIGHT]
    documents = Documents(TEXTS, GOLD, columns={"wrong": wrong, "llm": COLUMNS["llm"]})
    learned = soften(documents, rows := read(documents, ("wrong", "llm")), combine_rows(rows))
    known = {text: (label, weight) for text, label, weight in zip(learned.texts, learned.labels, learned.weights, strict=True)}
    assert all(known[TEXTS[i]] == (RIGHT[i], 1.0) for i in range(N_GOLD))


def test_documents_that_nobody_has_labelled_are_not_learned(tmp_path: Path) -> None:
    silent = [None if i >= N - 10 else own for i, own in enumerate(COLUMNS["llm"])]
    documents = Documents(TEXTS, GOLD, columns={"llm": silent})
    found = train(documents, ("llm",), categorizer=fresh())
    assert (found.n_documents, found.teachers.n_unlabelled) == (N - 10, 10)
    assert "10 documents without any label are not learned." in found.teachers.notes
    shorter = documents.pick(range(N - 10))
    assert write(found.categorizer, tmp_path) == write(train(shorter, ("llm",), categorizer=fresh()).categorizer, tmp_path)


def test_copies_of_one_text_can_not_be_judged() -> None:
    found = train(Documents(["x"] * N, GOLD, columns=COLUMNS), categorizer=fresh())
    assert not found.has_estimate


def test_combined_labels_are_better_than_the_best_teacher() -> None:
    found = combine_rows(read()).proba.argmax(axis=1)
    assert np.mean([LABELS[code] == right for code, right in zip(found.tolist(), RIGHT, strict=True)]) > 0.9


def test_several_text_columns_are_learned() -> None:
    documents = Documents.join({"title": TEXTS, "body": TEXTS[::-1]}, GOLD, columns=COLUMNS)
    found = train(documents, categorizer=fresh())
    assert found.categorizer.text_columns_ == ("title", "body")
    assert found.has_estimate


def test_columns_of_the_documents_are_learned_too() -> None:
    texts = [str(i) for i in range(N)]
    documents = Documents(texts, GOLD, columns={**COLUMNS, "desk": [f"d{right}" for right in RIGHT]})
    model = train(documents, categorizer=fresh(categorical=["desk"])).categorizer
    asked = Documents(["x", "x"], columns={"desk": ["dsports", "dbusiness"]})
    assert model.predict(asked).tolist() == ["sports", "business"]


def test_labels_keep_their_type() -> None:
    codes = [2 if right == "sports" else 10 for right in RIGHT]
    gold = [code if i < N_GOLD else None for i, code in enumerate(codes)]
    shares = [json.dumps({"2": 0.75, "10": 0.25} if code == 2 else {"10": 1.0}) for code in codes]
    found = train(Documents(TEXTS, gold, columns={"shares": shares, "codes": codes}), ("shares", "codes"), categorizer=fresh())
    assert found.categorizer.classes_.tolist() == [2, 10]
    assert [own.accuracy.value for own in found.teachers.teachers] == [1.0, 1.0]
    without = train(Documents(TEXTS, columns={"shares": shares, "codes": codes}), ("shares", "codes"), categorizer=fresh())
    assert without.categorizer.classes_.tolist() == [2, 10]


def test_words_repair_errors_that_have_nothing_to_do_with_the_text() -> None:
    rows = read()
    without, found = combine_rows(rows), combine_texts(TAUGHT, rows)
    right = np.array([LABELS.index(own) for own in RIGHT])
    assert (found.proba.argmax(axis=1) == right).mean() > (without.proba.argmax(axis=1) == right).mean() + 0.02
    assert len(found.powers) == len(COLUMNS) + 1
    assert any("Words of the texts had a say" in note for note in train(categorizer=fresh()).teachers.notes)


def test_words_that_say_nothing_have_no_say() -> None:
    documents = Documents([str(i) for i in range(N)], GOLD, columns=COLUMNS)
    assert len(combine_texts(documents, read(documents)).powers) == len(COLUMNS)


def test_without_gold_labels_words_have_no_say() -> None:
    documents = Documents(TEXTS, columns=COLUMNS)
    assert (combine_texts(documents, rows := read(documents)).proba == combine_rows(rows).proba).all()


def test_words_are_asked_about_a_text_that_they_were_not_learned_from() -> None:
    rows = read()
    combined = combine_rows(rows)
    answers = ask_words(TAUGHT, rows, combined).list_answers()
    for row in (0, 100, 200):
        others = np.array([i for i in range(N) if i != row])
        proba = combined.proba[others]
        model = Categorizer().fit(soften(TAUGHT.pick(others.tolist()), rows.pick(others), replace(combined, proba=proba)))
        assert LABELS[answers[row]] == model.predict([TEXTS[row]])[0]


# The estimate of the model.


def test_no_gold_document_that_judges_had_a_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fold is the training without its gold documents: their texts are not learned, whoever has labelled them."""
    copies = Documents([*TEXTS, *TEXTS[:5]], [*GOLD, *[None] * 5], columns={k: [*v, *v[:5]] for k, v in COLUMNS.items()})
    learned: list[Documents] = []
    fit = Categorizer.fit

    def note(self: Categorizer, documents: Documents, **more: Any) -> Categorizer:
        learned.append(documents)
        return fit(self, documents, **more)

    rows = read(copies)
    with monkeypatch.context() as patch:
        patch.setattr(Categorizer, "fit", note)
        predicted = predict_gold(copies, rows, fresh(), None)
    folds = deal_folds(copies.texts, rows.gold)
    assert len(learned) == 2 * N_FOLDS  # each fold also asks the words
    for fold, documents in enumerate(learned[1::2]):
        held, left = np.flatnonzero((folds == fold) & rows.is_gold), np.flatnonzero(folds != fold)
        assert not set(documents.texts) & {copies.texts[row] for row in held}
        others = rows.pick(left)
        known = copies.pick(left.tolist())
        assert not set(learned[2 * fold].texts) & {copies.texts[row] for row in held}
        expected = soften(known, others, combine_texts(known, others))
        assert (documents.texts, documents.labels, documents.weights) == (expected.texts, expected.labels, expected.weights)
        answers = fit(fresh(), expected).predict(copies.pick(held.tolist())).tolist()
        assert answers == [LABELS[code] for code in predicted[held]]


def test_a_gold_label_changes_no_prediction_of_its_own_document() -> None:
    other = list(GOLD)
    rows = read()
    folds = deal_folds(TEXTS, rows.gold)
    before = predict_gold(TAUGHT, rows, fresh(), None)
    for row in np.flatnonzero(folds == 0).tolist():
        other[row] = LABELS[RIGHT[row] == "business"]
    swapped = Documents(TEXTS, other, columns=COLUMNS)
    gold = read(swapped).gold
    # The same folds: the labels of one fold alone are other ones.
    changed = TaughtRows(rows.labels, gold, rows.teachers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teaching, "deal_folds", lambda *_: folds)
        after = predict_gold(swapped, changed, fresh(), None)
    assert (before[folds == 0] == after[folds == 0]).all()
    assert (before[folds == 0] >= 0).all()


def test_folds_have_equal_shares_of_each_label_and_all_copies_of_a_text() -> None:
    texts, gold = [*TEXTS, *TEXTS[:9]], np.array([LABELS.index(right) for right in RIGHT] + [-1] * 9)
    folds = deal_folds(texts, gold)
    assert (folds[N:] == folds[:9]).all()
    for code in (0, 1):
        counts = np.bincount(folds[:N][gold[:N] == code], minlength=N_FOLDS)
        assert counts.max() - counts.min() <= 1


def test_the_record_has_the_estimate_and_the_teachers(tmp_path: Path) -> None:
    found = train(categorizer=fresh())
    record = found.categorizer.record_
    assert record.estimate["accuracy"] == found.estimate.accuracy
    assert (record.is_checked, record.teachers, found.estimate.n) == (True, tuple(COLUMNS), N_GOLD)
    assert f"teachers:3|folds:{N_FOLDS}+of=gold" in record.signature
    assert found.method == "5 folds of 60 gold documents"
    found.categorizer.save(tmp_path / "m.tercet")
    assert tercet.load(tmp_path / "m.tercet").record_ == record


def test_the_estimate_stays_that_of_gold_documents_after_changes(tmp_path: Path) -> None:
    model = train(categorizer=fresh(keep_documents=True)).categorizer
    before, record = write(model, tmp_path), model.record_
    more = ["a new team", "a new bank"], ["sports", "business"]
    model.learn(*more)
    assert model.record_.estimate == record.estimate
    assert not model.is_current_
    model.forget(*more)
    assert write(model, tmp_path) == before
    assert model.is_current_


@pytest.mark.parametrize("n_gold", [0, 19])
def test_with_few_gold_labels_nothing_has_been_checked(n_gold: int, tmp_path: Path) -> None:
    documents = Documents(TEXTS, [right if i < n_gold else "" for i, right in enumerate(RIGHT)], columns=COLUMNS)
    found = train(documents, categorizer=fresh(keep_documents=True))
    assert (found.has_estimate, found.categorizer.record_.estimate, found.categorizer.record_.is_checked) == (False, {}, False)
    with pytest.raises(NoEstimate, match=r"Nothing has been checked.*`tercet check`"):
        _ = found.estimate
    assert "no estimate" in repr(found)
    assert "nothing has been checked: labels of the texts come from teachers" in found.categorizer._repr_html_()
    assert "Nothing has been checked" in found._repr_html_()
    found.categorizer.learn(["a team"], ["sports"])
    assert found.categorizer.record_.guess == "labels of the texts come from teachers"


def test_unlabelled_texts_of_held_out_gold_documents_are_left_out() -> None:
    pool = Documents(["a", "b", "a"])
    assert teaching.leave_out_texts(pool, {"a"}).texts == ["b"]  # type: ignore[union-attr]
    assert teaching.leave_out_texts(pool, {"a", "b"}) is None
    assert teaching.leave_out_texts(None, {"a"}) is None


# The report on teachers.


def judge(documents: Documents = TAUGHT, teachers: Any = tuple(COLUMNS)) -> TeachersReport:
    rows = read(documents, teachers)
    return judge_teachers(rows, combine_rows(rows), documents.texts, threads=1)


def test_accuracies_are_those_on_gold_documents() -> None:
    for own in judge().teachers:
        cells = COLUMNS[own.name]
        voted = [i for i in range(N_GOLD) if cells[i] is not None]
        right = sum(cells[i] == RIGHT[i] for i in voted)
        assert own.accuracy.value == right / len(voted)
        assert (own.accuracy.low, own.accuracy.high) == tercet_wilson(right, len(voted))
        assert own.basis == f"on {len(voted)} gold labels"
        assert own.coverage == sum(cell is not None for cell in cells) / N


def tercet_wilson(right: int, n: int) -> tuple[float, float]:
    from tercet.evaluation.intervals import wilson

    found = wilson(right, n)
    return found.low, found.high


def test_a_tie_of_votes_is_half_an_answer() -> None:
    tied = ['["sports", "business"]' if i % 2 else right for i, right in enumerate(RIGHT)]
    (own,) = judge(Documents(TEXTS, GOLD, columns={"tied": tied}), ("tied",)).teachers
    assert own.accuracy.value == 0.75


def test_confusions_are_those_on_gold_documents() -> None:
    (own, *_) = judge().teachers
    counted = {
        (gold, said): sum(RIGHT[i] == gold and COLUMNS["llm"][i] == said for i in range(N_GOLD))
        for gold, said in (LABELS, LABELS[::-1])
    }
    assert {(pair.gold, pair.predicted): pair.documents for pair in own.confusions} == {k: n for k, n in counted.items() if n}


def test_words_where_a_teacher_is_wrong_are_found() -> None:
    blind = [LABELS[right == "business"] if "referee" in text else right for text, right in zip(TEXTS, RIGHT, strict=True)]
    documents = Documents(TEXTS, GOLD, columns={"blind": blind, **COLUMNS})
    found = judge(documents, ("blind", *COLUMNS)).teachers
    assert found[0].words[0] == "referee"
    assert "referee" not in found[1].words


def test_without_gold_labels_three_teachers_are_judged_by_agreement() -> None:
    found = judge(Documents(TEXTS, columns=COLUMNS))
    for own in found.teachers:
        voted = [i for i in range(N) if COLUMNS[own.name][i] is not None]
        true = np.mean([COLUMNS[own.name][i] == RIGHT[i] for i in voted])
        assert own.accuracy.low <= true <= own.accuracy.high
        assert own.basis == "by agreement of 3 teachers"
        assert "shared error can't be seen" in own.accuracy.note
    assert "Without gold labels nobody can see whether teachers make the same errors." in found.notes
    assert found.to_dict() == judge(mix(Documents(TEXTS, columns=COLUMNS), 8)).to_dict()


def test_without_gold_labels_two_teachers_are_not_judged() -> None:
    found = judge(Documents(TEXTS, columns=COLUMNS), ("llm", "old"))
    assert [own.basis for own in found.teachers] == ["nothing", "nothing"]
    assert all(np.isnan(own.accuracy.value) for own in found.teachers)
    assert "not known: give gold labels of some texts, or three teachers" in found.to_table()
    assert found.to_dict()["teachers"][0]["accuracy"]["value"] is None


def test_teachers_that_are_wrong_together_are_named_and_count_as_one() -> None:
    documents = Documents(TEXTS, GOLD, columns={"llm": COLUMNS["llm"], "one": COLUMNS["crowd"], "two": COLUMNS["crowd"]})
    found = judge(documents, ("llm", "one", "two"))
    assert [(pair.first, pair.second) for pair in found.shared] == [("one", "two")]
    assert [own.power for own in found.teachers] == [1.0, 0.5, 0.5]
    n_both = sum(COLUMNS["crowd"][i] != RIGHT[i] for i in range(N_GOLD))
    assert f"one and two are wrong together on {n_both} of 60 gold documents" in found.to_table()
    assert "count together as one" in found.to_table()
    assert found.to_dict()["shared_errors"][0]["teachers"] == ["one", "two"]


def test_independent_teachers_are_rarely_suspected() -> None:
    rng, n_suspected = np.random.default_rng(3), 0
    for seed in range(100):
        columns = {name: answer(accuracy, 1.0, 1000 + 3 * seed + k) for k, (name, accuracy) in enumerate(ACCURACIES.items())}
        order = rng.permutation(N)[:100]
        gold = [RIGHT[i] if i in order else None for i in range(N)]
        pairs = compare_pairs(read(Documents(TEXTS, gold, columns=columns), tuple(columns)))
        n_suspected += any(pair.is_suspicious for pair in pairs)
    assert n_suspected <= 10


ACCURACIES = {"a": 0.9, "b": 0.8, "c": 0.7}


def test_every_form_shows_the_teachers() -> None:
    found = judge()
    for shown in (found.to_table(), found.to_html(), found.to_markdown(), found.to_latex(), json.dumps(found.to_dict())):
        assert all(name in shown for name in COLUMNS)
    trained = train(categorizer=fresh())
    assert "stands on" in trained._repr_html_()


# What teachers may say.


def list_votes(cells: list[Any], gold: list[Any] | None = None, **more: Any) -> list[list[float]]:
    """The votes of a teacher beside one that knows "a" and "b"."""
    columns = {"other": ["a", "b", *["b"] * (len(cells) - 2)], "own": cells}
    documents = Documents([f"text {i}" for i in range(len(cells))], gold, columns=columns)
    rows = read_votes(documents, ["other", "own"], Analyzer(), **more)
    assert rows.labels.tolist() == ["a", "b"]
    votes: list[list[float]] = rows.teachers[1].votes.toarray().tolist()
    return votes


@pytest.mark.parametrize(
    ("cell", "votes"),
    [
        ("a", [1.0, 0.0]),
        ("", [0.0, 0.0]),
        ("  ", [0.0, 0.0]),
        (None, [0.0, 0.0]),
        (float("nan"), [0.0, 0.0]),
        ('{"a": 0.75, "b": 0.25}', [0.75, 0.25]),
        ({"a": 0.75, "b": 0.25}, [0.75, 0.25]),
        ({"a": 1, "b": None}, [1.0, 0.0]),
        ('{"a": 0.5, "b": 0.505}', [0.5 / 1.005, 0.505 / 1.005]),
        (' ["a", "b", "b", "b"]', [0.25, 0.75]),
        (["a", "b", None, ""], [0.5, 0.5]),
        ("[]", [0.0, 0.0]),
        (np.array(["b", "b"]), [0.0, 1.0]),
        (np.str_("b"), [0.0, 1.0]),
    ],
)
def test_a_cell_has_a_label_probabilities_votes_or_nothing(cell: Any, votes: list[float]) -> None:
    assert list_votes(["a", "b", cell])[2] == pytest.approx(votes)


def test_labels_of_teachers_are_read_by_the_rules_of_the_reader() -> None:
    rules = LabelRules(mapping={"A!": "a"})
    assert list_votes([" a ", "b", "A!", '{"A!": 1}'], rules=rules)[2:] == [[1.0, 0.0]] * 2


def test_a_gold_label_may_begin_like_json() -> None:
    documents = Documents(["1", "2", "3"], ["[x]", "{y}", None], columns={"own": ["[x]", "{y}", "{y}"]})
    assert read(documents, ("own",)).teachers[0].list_answers().tolist() == [0, 1, 1]


def test_the_first_rule_that_is_found_votes_and_does_not_decide() -> None:
    rules = [Rule("team|goal", "sports"), Rule("bank|team", "business")]
    teachers = {"rules": rules, "same": {"team|goal": "sports", "bank|team": "business"}, "llm": COLUMNS["llm"]}
    rows = read(TAUGHT, teachers)
    expected = [1 if "team" in text or "goal" in text else 0 if "bank" in text else -1 for text in TEXTS]
    assert rows.teachers[0].list_answers().tolist() == rows.teachers[1].list_answers().tolist() == expected
    model = train(TAUGHT, teachers, categorizer=fresh()).categorizer
    assert not model.rules
    assert model.predict_proba(["team"]).max() < 1


def test_a_mapping_may_name_columns_and_has_lists() -> None:
    one = read(TAUGHT, {"a": "llm", "b": COLUMNS["old"], "c": np.array(COLUMNS["crowd"], object)})
    two = read()
    for own, other in zip(one.teachers, two.teachers, strict=True):
        assert (own.list_answers() == other.list_answers()).all()
    assert [own.name for own in one.teachers] == ["a", "b", "c"]


# What is refused.


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ('{"a": 0.9, "b": 0.2}', r"the teacher 'own', document 2 \(counted from 0\): the probabilities add up to 1.1"),
        ('{"a": 0.97}', "add up to 0.97"),
        ("{}", "add up to 0"),
        ('{"a": 1.2, "b": -0.2}', "the probability of 'b' is -0.2"),
        ('{"a": NaN, "b": 1}', "the probability of 'a' is nan"),
        ('{"a": "much"}', "the probability of 'a' is 'much'"),
        ('{"a": true}', "the probability of 'a' is True"),
        ('{"a": 0.9', "begins like JSON, but can't be read"),
        ("[" * 100_000, "begins like JSON, but can't be read"),
        ('["a", ["b"]]', "a vote is not a label"),
        ('["a", {"b": 1}]', "a vote is not a label"),
    ],
)
def test_a_bad_cell_is_refused_with_its_place(cell: str, message: str) -> None:
    with pytest.raises(InvalidLabel, match=message):
        list_votes(["a", "b", cell])


def refuse(documents: Documents, teachers: Any, message: str, error: type[TercetError] = InvalidLabel, **more: Any) -> None:
    model = fresh()
    with pytest.raises(error, match=message) as caught:
        train(documents, teachers, categorizer=model, **more)
    assert "\n" not in str(caught.value)
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["sports"] * N, "the teacher 'own' always says 'sports' where it says anything.*Leave it out"),
        (["sports", *[None] * (N - 1)], "always says 'sports'"),
        (['{"sports": 0.7, "business": 0.3}'] * N, "always says"),
        ([None] * N, "the teacher 'own' says nothing: all its cells are empty"),
        (GOLD, "says exactly the gold labels"),
        ([f"id {i}" for i in range(N)], "240 different labels for 240 documents: they look like ids"),
        (["spots", *RIGHT[1:]], "the teacher 'own' says 'spots', which no gold label and no other teacher says.*Did you mean"),
        (["x", "y", *RIGHT[2:]], r"says 'x', 'y', which.*Replace them \(--map-labels FILE\), empty such cells"),
        (RIGHT[1:], "has 239 answers for 240 documents"),
    ],
)
def test_a_bad_teacher_is_refused(cells: list[Any], message: str) -> None:
    refuse(TAUGHT, {"llm": COLUMNS["llm"], "own": cells}, message)


@pytest.mark.parametrize(
    ("teachers", "message"),
    [
        ([], "teachers must be names of columns"),
        ("llm", "teachers must be names of columns"),
        (3, "teachers must be names of columns"),
        (["lm"], r"no column 'lm' of a teacher: there is 'llm', 'old', 'crowd'.*Did you mean 'llm'\?"),
        (["llm", "llm"], "each once"),
        ({"own": 3}, "the teacher 'own' must be a list of answers, or rules"),
        ({"own": {}}, "there is no rule in it"),
    ],
)
def test_bad_teachers_are_refused(teachers: Any, message: str) -> None:
    refuse(TAUGHT, teachers, message, InvalidOption)


def test_rules_that_say_one_label_or_nothing_are_refused() -> None:
    refuse(TAUGHT, {"rules": {"team": "sports"}}, "always says 'sports'.*a last rule '.=LABEL' speaks for all other texts")
    refuse(TAUGHT, {"rules": {"zebra": "sports", "lion": "business"}}, "no rule is found in any text")


def test_other_bad_input_is_refused() -> None:
    refuse(TAUGHT, ["llm"], "folds=3 can't be chosen with teachers", InvalidOption, folds=3)
    weighted = Documents(TEXTS, GOLD, [1.0] * N, COLUMNS)
    refuse(weighted, ["llm"], "leave other weights out", InvalidOption)
    refuse(Documents(TEXTS, GOLD[1:], columns=COLUMNS), ["llm"], "239 gold labels for 240 documents")


def test_a_label_that_two_teachers_know_needs_no_gold_label() -> None:
    cells = [["rare" if i == N - 1 else own for i, own in enumerate(COLUMNS[name])] for name in ("llm", "crowd")]
    rows = read(TAUGHT, dict(zip("ab", cells, strict=True)))
    assert rows.labels.tolist() == ["business", "rare", "sports"]
    assert (rows.gold >= 0).sum() == N_GOLD
    assert rows.labels[rows.gold[0]] == RIGHT[0]


def test_the_result_does_not_change_the_categorizer_before_all_is_well() -> None:
    taught = teach(TAUGHT, list(COLUMNS), model := fresh())
    assert not model.__sklearn_is_fitted__()
    assert taught.n_documents == N
