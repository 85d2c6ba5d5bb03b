"""`model="auto"`: what it combines, what it leaves out, and the laws that hold for it as for every model."""

import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell

import tercet
from tercet import NBSVM, Analyzer, Categorizer, Documents, LinearSVM, Member, Stack, TermWeighting, load
from tercet.categorizer import auto
from tercet.categorizer.model import stack_model
from tercet.categorizer.model.stack_model import TrainedStack
from tercet.errors import BadModelFile, InvalidOption
from tercet.models import stack as stack_options
from tercet.models import stack as stacking
from tercet.store.model_file import read_model, write_model

RECIPE = Analyzer(tokens="words_and_marks", word_ngrams=(1, 2), char_ngrams=(2, 5), char_ngrams_over="words")
WORDS = Member(NBSVM(), terms="words", name="words")
BOTH = Member(LinearSVM(C=0.5), TermWeighting("log", blocks="kinds"), name="both")
each_number = pytest.mark.parametrize("n_labels", [2, 3])


def make_documents(n_labels: int, n: int = 240, seed: int = 0) -> tuple[list[str], list[str]]:
    """Endings and words of a label's own, and others; some texts repeat a word, some are copies, some are empty."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_labels, n)
    texts = []
    for i, code in enumerate(codes):
        own = [
            f"w{rng.integers(40)}{['ing', 'ed', 'ness'][code]}" if rng.random() < 0.25 else f"x{rng.integers(60)}"
            for _ in range(8)
        ]
        texts.append(" ".join(own[: i % 9]) + ("!" if rng.random() < 0.2 + 0.3 * code else ""))
    texts[7] = texts[9]
    return texts, [["ham", "spam", "eggs"][code] for code in codes]


def fit_auto(n_labels: int, **options: Any) -> Categorizer:
    return Categorizer(model="auto", calibrate="auto", **options).fit(*make_documents(n_labels))


@each_number
def test_the_score_is_the_weighted_sum_of_the_members(n_labels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacking, "MAX_MIXED", 0)
    documents, texts = make_documents(n_labels), make_documents(n_labels, seed=1)[0]
    members = [Member(NBSVM(tol=1e-8), terms="words"), Member(LinearSVM(C=0.5, tol=1e-8), BOTH.weighting)]
    stack = Categorizer(RECIPE, Stack(members)).fit(*documents)
    trained = stack.fitted_.state.trained
    assert isinstance(trained, TrainedStack)
    words = Categorizer(RECIPE.replace(char_ngrams=None), members[0].estimator).fit(*documents).log_joint(texts)
    both = Categorizer(RECIPE, members[1].estimator, weighting=BOTH.weighting).fit(*documents).log_joint(texts)
    weights = [result.weight for result in trained.results]
    constants = stack.log_joint(texts) - weights[0] * words - weights[1] * both
    assert np.abs(constants - constants[0]).max() < 1e-3  # the constants of the labels are left


@each_number
def test_evidence_adds_up_to_the_score(n_labels: int) -> None:
    c, texts = fit_auto(n_labels), make_documents(n_labels, seed=1)[0]
    for model in (c, c.compact()):
        for text in texts[:40]:
            explained = model.explain(text)
            joint = dict(zip(model.classes_.tolist(), model.log_joint([text])[0].tolist(), strict=True))
            found = [explained.prior, *(evidence.value for evidence in explained.evidence)]
            margin = joint[explained.label] - joint[explained.against]
            assert sum(found) == pytest.approx(margin, abs=1e-12 * (abs(margin) + sum(map(abs, found))) + 1e-15)


@each_number
@pytest.mark.parametrize("threads", [1, 3])
def test_the_order_of_documents_and_the_number_of_threads_do_not_matter(n_labels: int, threads: int, tmp_path: Path) -> None:
    texts, labels = make_documents(n_labels)
    order = np.random.default_rng(threads).permutation(len(texts)).tolist()
    written = []
    for number, (some, own, n) in enumerate(
        [(texts, labels, 1), ([texts[i] for i in order], [labels[i] for i in order], threads)]
    ):
        c = Categorizer(model="auto", calibrate="auto", keep_documents=True, threads=n)
        tercet.train(some, own, categorizer=c).categorizer.save(tmp_path / f"{number}.tercet")
        written.append((tmp_path / f"{number}.tercet").read_bytes())
    assert written[0] == written[1]


@each_number
def test_forgetting_gives_the_file_that_never_saw_the_documents(n_labels: int, tmp_path: Path) -> None:
    texts, labels = make_documents(n_labels)

    def train(some: slice) -> Categorizer:
        c = Categorizer(model="auto", calibrate="auto", keep_documents=True)
        return tercet.train(texts[some], labels[some], categorizer=c).categorizer

    whole, rest = train(slice(None)), train(slice(50, None))
    whole.save(tmp_path / "whole.tercet")
    whole.forget(texts[:50], labels[:50]).save(tmp_path / "forgotten.tercet")
    rest.save(tmp_path / "rest.tercet")
    assert (tmp_path / "forgotten.tercet").read_bytes() == (tmp_path / "rest.tercet").read_bytes()
    load(tmp_path / "rest.tercet").learn(texts[:50], labels[:50]).save(tmp_path / "learned.tercet")
    assert (tmp_path / "learned.tercet").read_bytes() == (tmp_path / "whole.tercet").read_bytes()


@each_number
def test_calibrating_again_on_documents_in_another_order_changes_nothing(n_labels: int, tmp_path: Path) -> None:
    texts, labels = make_documents(n_labels)
    c = fit_auto(n_labels)
    c.save(tmp_path / "before.tercet")
    before = (tmp_path / "before.tercet").read_bytes()
    for model in (c, load(tmp_path / "before.tercet")):
        model.retune(texts[::-1], labels[::-1]).save(tmp_path / "after.tercet")
        assert (tmp_path / "after.tercet").read_bytes() == before


def test_training_again_on_more_documents_chooses_the_model_again(tmp_path: Path) -> None:
    texts, labels = make_documents(2)
    c = Categorizer(model="auto").fit(texts[:30], labels[:30])
    assert c.describe()["kind"] == "binary"
    c.learn(texts[30:], labels[30:]).refit(texts, labels).save(tmp_path / "again.tercet")
    assert c.decisions_ == ()
    Categorizer(model="auto").fit(texts, labels).save(tmp_path / "fresh.tercet")
    assert (tmp_path / "again.tercet").read_bytes() == (tmp_path / "fresh.tercet").read_bytes()


def test_held_out_documents_do_not_count_for_the_choice_of_members(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = make_documents(2)
    n_steps, list_members = [], Stack.list_members

    def note_steps(stack: Stack, **sizes: Any) -> list[Member]:
        n_steps.extend([sizes["n_steps"]] if "n_steps" in sizes else [])  # without it, all usual members are asked for
        return list_members(stack, **sizes)

    monkeypatch.setattr(Stack, "list_members", note_steps)
    c = Categorizer(model="auto")
    c.fit(texts, labels)
    c.cross_validate(texts, labels, folds=3)
    assert sum(n_steps[1:]) == 2 * n_steps[0]  # each document is learned by two of three folds


def test_held_out_documents_count_with_their_weight_and_copies_are_judged_together(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = make_documents(2)
    texts[10:20] = texts[20:30]
    given = np.random.default_rng(0).integers(1, 4, len(texts)).astype(float)
    seen, cross_fit = [], stack_model.cross_fit_stacking

    def note(scores: Any, gold: Any, weights: Any, folds: Any) -> Any:
        seen.append((weights, folds))
        return cross_fit(scores, gold, weights, folds)

    monkeypatch.setattr(stack_model, "cross_fit_stacking", note)
    c = Categorizer(model="auto").fit(texts, labels, given)
    assert c.fitted_.state.trained is not None
    assert c.fitted_.state.trained.held_out is not None
    indices = c.fitted_.state.trained.held_out.indices
    ((weights, folds),) = seen
    assert weights.tolist() == given[indices].tolist()
    of_text: dict[str, set[int]] = {}
    for place, fold in zip(indices.tolist(), folds.tolist(), strict=True):
        of_text.setdefault(texts[place], set()).add(fold)
    assert len(of_text) < len(indices)
    assert all(len(own) == 1 for own in of_text.values())


@each_number
def test_members_are_chosen_by_entries_and_margins(n_labels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = make_documents(n_labels)
    n_entries = sum(len(set(RECIPE.terms(text))) for text in texts)
    most = n_entries * (1 if n_labels == 2 else n_labels)
    names = []
    for limit in (most, most - 1):
        monkeypatch.setattr(stack_options, "MAX_STEPS", limit)
        trained = Categorizer(model="auto").fit(texts, labels).fitted_.state.trained
        assert isinstance(trained, TrainedStack)
        names.append([result.name for result in trained.results])
    assert names == [
        ["NB-SVM on words", "NB-SVM on words and characters", "SVM on tf-idf"],
        ["NB-SVM on words", "SVM on tf-idf"],
    ]


def test_the_signature_has_the_seed_of_the_stack() -> None:
    documents = make_documents(2)
    signatures = [tercet.train(*documents, categorizer=Categorizer(model=Stack(seed=n))).estimate.signature for n in (0, 7)]
    assert "of5+seed=0" in signatures[0]
    assert "of5+seed=7" in signatures[1]


@each_number
def test_a_loaded_and_a_pickled_categorizer_predict_the_same(n_labels: int, tmp_path: Path) -> None:
    c, texts = fit_auto(n_labels), make_documents(n_labels, seed=1)[0]
    c.save(tmp_path / "a.tercet")
    loaded = load(tmp_path / "a.tercet")
    for other in (loaded, pickle.loads(pickle.dumps(c))):
        assert other.predict_proba(texts).tolist() == c.predict_proba(texts).tolist()
    assert loaded.model == "auto"
    assert c.compact().predict(texts).tolist() == c.predict(texts).tolist()


def test_the_counts_speak_for_a_stack() -> None:
    c = fit_auto(2)
    assert c.most_informative(3).keys() == {"ham", "spam"}
    assert len(c.generate("ham", n_words=4).split()) == 4
    assert np.isfinite(c.perplexity(["x1 x2"], "ham")).all()


def test_suspects_are_found_among_all_documents() -> None:
    texts, labels = make_documents(2)
    texts[0], labels[0] = "w1ing w2ing w3ing w4ing", "spam"  # all words of ham
    trained = tercet.train(texts, labels)
    assert len(trained.all_suspects) > 0
    assert trained.all_suspects[0].position == 0


def test_a_member_without_weight_is_dropped() -> None:
    rng = np.random.default_rng(0)
    texts, labels = make_documents(2)
    useless = Member(LinearSVM(), TermWeighting("log"), terms="characters", name="useless")
    noisy = [f"{text} q{rng.integers(1000)}" for text in texts]
    c = Categorizer(RECIPE, Stack([BOTH, useless])).fit(noisy, labels)
    trained = c.fitted_.state.trained
    assert isinstance(trained, TrainedStack)
    weights = {result.name: result.weight for result in trained.results}
    assert len(trained.layers) == sum(weights[name] > 0 for name in ("both", "useless"))


# What the sizes of the data decide.


@pytest.mark.parametrize(
    ("texts", "labels", "why"),
    [
        (["so good", "bad"] * 10, ["+", "-"] * 10, "20 documents are too few"),
        (["so good", "bad"] * 60, ["+"] * 120, "one label"),
        ([f"word{i} so" for i in range(19)], [f"label {i}" for i in range(19)], "fewer than two labels have two documents"),
    ],
)
def test_few_documents_get_a_naive_bayes_and_that_is_said(texts: list[str], labels: list[str], why: str) -> None:
    trained = tercet.train(texts, labels)
    assert why in trained.categorizer.decisions_[0]
    assert trained.categorizer.describe()["kind"] == "binary"
    assert trained.categorizer.predict(texts[:1]).tolist() in ([labels[0]], [labels[1]])


def test_a_naive_bayes_that_auto_has_chosen_predicts_the_same_from_its_file(tmp_path: Path) -> None:
    c = Categorizer(model="auto").fit(["so good", "good film", "so bad", "bad plot"], ["+", "+", "-", "-"])
    c.save(tmp_path / "a.tercet")
    assert load(tmp_path / "a.tercet").log_joint(["so good"]).tolist() == c.log_joint(["so good"]).tolist()


def test_the_limits_of_sizes_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = make_documents(2, 50)
    c = Categorizer(model="auto").fit(texts, labels)
    assert (c.describe()["kind"], c.decisions_) == ("stack", ())
    assert Categorizer(model="auto").fit(texts[:49], labels[:49]).describe()["kind"] == "binary"
    n_characters = sum(map(len, texts))
    monkeypatch.setattr(auto, "MAX_CHARACTERS", n_characters)
    assert Categorizer(model="auto").fit(texts, labels).decisions_ == ()
    monkeypatch.setattr(auto, "MAX_CHARACTERS", n_characters - 1)
    assert len(Categorizer(model="auto").fit(texts, labels).decisions_) == 1


def test_weights_do_not_change_the_number_of_entries() -> None:
    texts, labels = make_documents(2, 60)
    n_entries = [
        auto.count_entries(Categorizer(RECIPE).fit(texts, labels, np.full(60, weight)).table_, 60) for weight in (1.0, 0.25)
    ]
    assert n_entries[0] == n_entries[1] == sum(len(set(RECIPE.terms(text))) for text in texts)


def test_learning_and_forgetting_choose_the_recipe_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts, labels = make_documents(2, 160)
    monkeypatch.setattr(auto, "MAX_CHARACTERS", sum(map(len, texts[:120])))

    def fit(n: int) -> Categorizer:
        return Categorizer(model="auto", keep_documents=True).fit(texts[:n], labels[:n])

    small, large = fit(100), fit(160)
    assert small.table_.analyzer != large.table_.analyzer
    changed = [small.learn(texts[100:], labels[100:]), large.forget(texts[100:], labels[100:])]
    for c, fresh in zip(changed, (fit(160), fit(100)), strict=True):
        c.save(tmp_path / "changed.tercet")
        fresh.save(tmp_path / "fresh.tercet")
        assert (tmp_path / "changed.tercet").read_bytes() == (tmp_path / "fresh.tercet").read_bytes()


def test_cross_validation_does_not_calibrate_a_stack_again() -> None:
    documents = make_documents(3)
    plain = Categorizer(model="auto").cross_validate(*documents, folds=3)
    calibrated = Categorizer(model="auto", calibrate="auto").cross_validate(*documents, folds=3)
    assert calibrated.calibrated is not None
    np.testing.assert_allclose(np.exp(calibrated.calibrated), plain.probabilities, atol=1e-12)


def test_very_large_data_leave_out_characters_then_margins(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = make_documents(2)
    monkeypatch.setattr(auto, "MAX_CHARACTERS", 100)
    without = Categorizer(model="auto").fit(*documents)
    assert "character n-grams are left out" in without.decisions_[0]
    assert without.describe()["analyzer"].count("char_ngrams") == 0
    assert without.describe()["kind"] == "stack"
    entries = auto.count_entries(without.table_, len(documents[0]))
    monkeypatch.setattr(auto, "MAX_ENTRIES", entries - 1)
    alone = Categorizer(model="auto").fit(*documents)
    assert alone.decisions_[1].endswith("too many for several members: NB-SVM on words decides alone")
    assert alone.describe()["kind"] == "stack"
    monkeypatch.setattr(auto, "MAX_ENTRIES", 10)
    counted = Categorizer(model="auto").fit(*documents)
    assert "too many for margins" in counted.decisions_[1]
    assert counted.describe()["kind"] == "binary"


def test_too_many_terms_leave_out_characters_before_margins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No cliff: texts with few characters and many n-grams keep the stack, as those with too many characters do."""
    documents = make_documents(2)
    with_characters = Categorizer(model="auto").fit(*documents)
    monkeypatch.setattr(auto, "MAX_ENTRIES", auto.count_entries(with_characters.table_, len(documents[0])) - 1)
    fewer = Categorizer(model="auto").fit(*documents)
    assert (fewer.describe()["kind"], len(fewer.decisions_)) == ("stack", 1)
    assert fewer.decisions_[0].endswith("million terms: character n-grams are left out")
    monkeypatch.undo()
    monkeypatch.setattr(auto, "MAX_CHARACTERS", 100)
    Categorizer(model="auto").fit(*documents).save(tmp_path / "long.tercet")
    fewer.save(tmp_path / "fewer.tercet")
    assert (tmp_path / "fewer.tercet").read_bytes() == (tmp_path / "long.tercet").read_bytes()


def test_a_member_that_is_left_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = make_documents(3)
    assert Categorizer(model="auto").fit(*documents).decisions_ == ()
    monkeypatch.setattr("tercet.models.stack.MAX_STEPS", 100)
    (said,) = Categorizer(model="auto").fit(*documents).decisions_
    assert said.endswith("NB-SVM on words and characters is left out")


@pytest.mark.parametrize(
    ("limit", "value", "n_few"), [("MIN_DOCUMENTS", 50, 40), ("MAX_CHARACTERS", 1500, 60), ("MAX_ENTRIES", 4000, 60)]
)
def test_kept_documents_that_cross_a_limit_give_the_file_of_all_documents(
    limit: str, value: int, n_few: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(auto, limit, value)
    documents = Documents(*make_documents(3, n=100))
    few, rest = documents.pick(range(n_few)), documents.pick(range(n_few, 100))

    def save(c: Categorizer) -> bytes:
        c.save(tmp_path / f"{len(list(tmp_path.iterdir()))}.tercet")
        return max(tmp_path.iterdir(), key=lambda path: int(path.stem)).read_bytes()

    def fit(some: Documents) -> Categorizer:
        return Categorizer(model="auto", keep_documents=True).fit(some)

    c, before, whole = fit(few), save(fit(few)), save(fit(documents))
    assert fit(few).decisions_ != fit(documents).decisions_
    assert save(c.learn(rest)) == whole
    assert save(c.forget(rest)) == before
    assert save(fit(few) + fit(documents).forget(few)) == whole
    assert save(fit(documents).forget(few) + fit(few)) == whole


def test_kept_documents_choose_again_when_all_of_them_are_passed() -> None:
    texts, labels = make_documents(3, n=100)
    c = Categorizer(model="auto", keep_documents=True).fit(texts[:40], labels[:40])
    c.learn(texts[40:], labels[40:], later=True).refit(texts, labels)
    whole = Categorizer(model="auto").fit(texts, labels)
    assert c.describe() == whole.describe()
    assert c.decisions_ == whole.decisions_ == ()
    assert c.predict_proba(texts).tolist() == whole.predict_proba(texts).tolist()


def test_parts_that_auto_counts_differently_are_merged(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr(auto, "MAX_CHARACTERS", 2000)
    texts, labels = make_documents(2, n=180)
    rows = [json.dumps({"text": f"x {text}", "label": label}) for text, label in zip(texts, labels, strict=True)]
    for name, part in {"few": rows[:60], "many": rows[60:], "both": rows}.items():
        (shell.folder / f"{name}.jsonl").write_text("\n".join(part))
        shell.do(f"tercet train {name}.jsonl -o {name}.tercet")
    assert load("few.tercet").describe()["analyzer"] != load("many.tercet").describe()["analyzer"]
    shell.do("tercet merge few.tercet many.tercet -o merged.tercet")
    assert (shell.folder / "merged.tercet").read_bytes() == (shell.folder / "both.tercet").read_bytes()


def test_a_rare_label_does_not_stop_it() -> None:
    texts, labels = make_documents(2)
    c = tercet.train([*texts, "quite another thing"], [*labels, "rare"]).categorizer
    assert c.classes_.tolist() == ["ham", "rare", "spam"]
    assert np.isfinite(c.predict_log_proba(texts)).all()


def test_a_given_recipe_changes_the_words_and_keeps_the_characters() -> None:
    c = Categorizer(Analyzer(word_ngrams=(1, 1)), "auto").fit(*make_documents(2))
    assert c.table_.analyzer == Analyzer(word_ngrams=(1, 1), char_ngrams=(2, 5), char_ngrams_over="words")
    own = Categorizer(Analyzer(char_ngrams=(3, 3)), "auto").fit(*make_documents(2))
    assert own.table_.analyzer == Analyzer(char_ngrams=(3, 3))


def test_a_stream_is_read_once() -> None:
    texts, labels = make_documents(2)
    c = Categorizer(model="auto").fit(Documents(iter(texts), labels))
    assert c.predict(texts).tolist() == Categorizer(model="auto").fit(texts, labels).predict(texts).tolist()


def test_it_works_in_a_grid_search() -> None:
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(Categorizer(model="auto"), {"min_documents": [1, 2], "analyzer": [None, Analyzer()]}, cv=2)
    assert search.fit(*make_documents(2, 120)).best_score_ > 0.4


def test_what_it_can_not_do_is_said() -> None:
    texts, labels = make_documents(2)
    with pytest.raises(InvalidOption, match="weighting"):
        Categorizer(model="auto", weighting=TermWeighting()).fit(texts, labels)
    with pytest.raises(InvalidOption, match="numeric"):
        Categorizer(model="auto", numeric=["price"]).fit(texts, labels)
    with pytest.raises(InvalidOption, match="use cross_validate"):
        Categorizer(model="auto").fit(texts, labels).leave_one_out(texts, labels)
    with pytest.raises(InvalidOption, match="model"):
        Categorizer(model="best").fit(texts, labels)


def test_a_damaged_stack_is_refused(tmp_path: Path) -> None:
    fit_auto(2).save(tmp_path / "a.tercet")
    file = read_model(tmp_path / "a.tercet", verify=True)
    trained = file.content["trained"]
    member = trained["members"][0]
    for damage in ({"name": ""}, {"name": 7}, {"weight": -1.0}, {"weight": "1"}, {"estimate": {}}):
        changed = trained | {"members": [member | damage]}
        write_model(tmp_path / "b.tercet", file.content | {"trained": changed}, file.arrays)
        with pytest.raises(BadModelFile):
            load(tmp_path / "b.tercet")
    for name, array in (("block_starts", np.array([1], np.uint32)), ("block_numbers", np.array([255], np.uint8))):
        write_model(tmp_path / "b.tercet", file.content, {**file.arrays, f"trained/{name}": array})
        with pytest.raises(BadModelFile):
            load(tmp_path / "b.tercet")


def test_rare_labels_are_named() -> None:
    texts, labels = make_documents(2)
    found = Categorizer(model="auto").fit([*texts, "odd one"], [*labels, "odd"])
    assert [member.name for member in found.members_][:1] == ["NB-SVM on words"]
    (said,) = found.decisions_
    assert said.startswith("labels with fewer than 5 documents")
    assert said.endswith(": 'odd'")
    assert Categorizer(model="auto").fit(texts, labels).decisions_ == ()


def test_suspects_of_a_stack_have_credible_probabilities() -> None:
    texts = [f"{word} film number{i}" for i in range(40) for word in ("lovely wonderful", "dull boring")]
    labels = ["+", "-"] * 40
    labels[6] = "-"
    suspects = tercet.train(texts, labels).suspects
    assert suspects[0].position == 6
    assert 1e-4 < suspects[0].probability < 0.5  # one label in eighty is wrong, not one in a billion


def test_members_are_attributes_of_a_fitted_stack_only() -> None:
    texts, labels = make_documents(2)
    fitted = Categorizer(model="auto").fit(texts, labels)
    assert fitted.members_[0].name == "NB-SVM on words"
    assert Categorizer().fit(texts, labels).members_ == ()


def test_wrong_uses_of_auto_name_the_remedy() -> None:
    with pytest.raises(InvalidOption, match=r"model must be 'auto', a NaiveBayes"):
        Categorizer(model="best").fit(["a", "b"], ["x", "y"])
    with pytest.raises(InvalidOption, match=r"model='auto' can't use numbers"):
        Categorizer(model="auto", numeric=["n_words"]).fit(["a", "b"], ["x", "y"])
    with pytest.raises(InvalidOption, match=r"Try Categorizer\(model='auto'\)"):
        tercet.train(["a", "b"], ["x", "y"], categorizer="auto")  # type: ignore[arg-type]


# The command line.


def test_train_without_options_combines_models(shell: Shell) -> None:
    told = shell.do("tercet train reviews.csv -o auto.tercet")
    for word in ("NB-SVM on words", "SVM on tf-idf", "stack of linear models; calibrated", "weight", "held-out"):
        assert word in told.out
    assert "CPU time: " in told.err  # a time is no result: equal inputs print equal results
    assert "before" not in told.out  # the weights of the stack make its probabilities right: there is no second number
    assert re.search(r"^members +NB-SVM on words \d", shell.do("tercet inspect auto.tercet").out, re.MULTILINE)
    written = (shell.folder / "auto.tercet").read_bytes()
    facts = json.loads(shell.do("tercet train reviews.csv -o auto.tercet --model auto --json").out)
    assert [member["name"] for member in facts["members"]][-1] == "stack"
    assert all(member["cpu_seconds"] >= 0 for member in facts["members"][:-1])
    assert (shell.folder / "auto.tercet").read_bytes() == written
    same = Categorizer(model="auto", calibrate="auto", keep_documents=True)
    tercet.train(tercet.read("reviews.csv"), categorizer=same).categorizer.save("same.tercet")
    assert (shell.folder / "same.tercet").read_bytes() == written
    shell.do("tercet inspect auto.tercet --config > recipe.toml")
    shell.do("tercet train reviews.csv -o again.tercet --config recipe.toml")
    assert (shell.folder / "again.tercet").read_bytes() == written


def test_options_of_naive_bayes_choose_it_and_say_so(shell: Shell) -> None:
    told = shell.do("tercet train reviews.csv -o plain.tercet --smoothing 0.5")
    assert "--smoothing is an option of naive Bayes" in told.err
    assert load("plain.tercet").describe()["kind"] == "binary"
    shell.do("tercet train reviews.csv -o plain.tercet --fast")
    assert load("plain.tercet").describe()["kind"] == "binary"
    refused = shell("tercet train reviews.csv -o plain.tercet --fast --model svm")
    assert refused.code == 2
    assert "--fast is naive Bayes" in refused.err
