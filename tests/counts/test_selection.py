"""Which terms count: measures as their definitions say, a pure function of the table, and exact in all that is done with it."""

import operator
import pickle
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Learned, assert_close, assert_same, deal_folds, learned, plain_texts, some
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.base import clone
from sklearn.feature_selection import chi2
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import GridSearchCV

from tercet import Analyzer, Categorizer, Documents, MostInformative, NaiveBayes, WithoutMostFrequent
from tercet.counts import table as table_module
from tercet.counts.selection import Selector, TermStatistics, keep_terms, select_most
from tercet.counts.table import CountTable
from tercet.errors import InvalidOption, NeverLearned

few_labels = st.sampled_from(["a", "b", "Σ", "Σ"])
whole_or_not = st.sampled_from([1.0, 1.0, 2.0, 1.5, 1 / 3])
some_documents = learned(plain_texts, few_labels, min_size=2, max_size=8, weights=whole_or_not)
SELECTIONS: list[Any] = [
    MostInformative(2),
    MostInformative(3, "chi2"),
    MostInformative(3, "ld", domain="source"),
    WithoutMostFrequent(2, keep=("the",)),
    [WithoutMostFrequent(1), MostInformative(2, "chi2")],
]
MODELS = [NaiveBayes("multinomial", 0.5), NaiveBayes("binary", "table"), NaiveBayes("bernoulli"), NaiveBayes("complement")]
each_selection = pytest.mark.parametrize("select", SELECTIONS, ids=str)
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


@dataclass(frozen=True)
class Only(Selector):
    """These terms, whatever the counts."""

    names: tuple[str, ...]

    def pick(self, statistics: TermStatistics, terms: Any) -> Any:
        spelled = statistics.table.table.terms()
        return terms[[spelled[term] in self.names for term in terms]]


def list_kept(table: CountTable, select: Any, **options: Any) -> list[str]:
    """The terms that are left, in canonical order."""
    statistics = TermStatistics(table, options.pop("clips", False), options.pop("domains", None))
    kept = keep_terms(statistics, options.get("min_documents", 1), select, options.get("max_terms"))
    spelled = table.table.terms()
    return [spelled[term] for term in table.table.order() if kept[term]]


def give_sources(documents: Learned) -> Documents:
    """With a column that has something to do with the texts."""
    sources = [["web", "book", "mail"][len(text) % 3] for text in documents.texts]
    return Documents(*documents, columns={"source": sources})


def pick(documents: Documents, places: Any) -> Documents:
    columns = {name: [column[i] for i in places] for name, column in documents.columns.items()}
    parts = ([column[i] for i in places] for column in (documents.texts, documents.labels, documents.weights))
    return Documents(*parts, columns=columns)


@pytest.fixture(scope="module")
def corpus() -> tuple[list[str], list[int], list[int]]:
    rng = np.random.default_rng(0)
    y, source = rng.integers(0, 4, 300), rng.integers(0, 3, 300)
    texts = [" ".join(f"w{i}" for i in rng.zipf(1.4, 9) % 40 + 3 * a + b) + " all" for a, b in zip(y, source, strict=True)]
    return texts, y.tolist(), source.tolist()


def score(table: CountTable, select: MostInformative, domains: CountTable | None = None) -> dict[str, float]:
    order, spelled = table.table.order(), table.table.terms()
    values = select.score(TermStatistics(table, domains=domains), order)
    return {spelled[term]: value for term, value in zip(order.tolist(), values.tolist(), strict=True)}


def test_information_gain_is_mutual_information_of_presence_and_label(corpus: Any) -> None:
    texts, y, _ = corpus
    for term, value in score(CountTable.of(texts, y), MostInformative(1)).items():
        assert_close(value, mutual_info_score(y, [term in text.split() for text in texts]))


def test_chi2_is_pearsons_of_the_whole_table(corpus: Any) -> None:
    texts, y, _ = corpus
    for term, value in score(CountTable.of(texts, y), MostInformative(1, "chi2")).items():
        present = np.array([term in text.split() for text in texts])
        if present.all():
            assert value == 0
            continue
        cells = np.array([[np.sum((np.array(y) == label) & (present == has)) for label in range(4)] for has in (True, False)])
        assert_close(value * len(y), chi2_contingency(cells, correction=False).statistic)
        of_presence = chi2(present[:, None].astype(float), y)[0][0]
        assert_close(value * len(y) * (~present).mean(), of_presence)


def test_ld_is_what_labels_gain_less_what_domains_gain(corpus: Any) -> None:
    texts, y, source = corpus
    domains = CountTable.of(texts[::-1], source[::-1])  # other numbers for the same terms
    for term, value in score(CountTable.of(texts, y), MostInformative(1, "ld", "source"), domains).items():
        present = [term in text.split() for text in texts]
        assert_close(value, mutual_info_score(y, present) - mutual_info_score(source, present))


def test_a_weight_counts_as_so_many_documents(corpus: Any) -> None:
    texts, y, _ = corpus
    double = CountTable.of(texts, y, np.full(len(y), 2 << 20))
    for by in ("information_gain", "chi2"):
        assert score(double, MostInformative(1, by)) == score(CountTable.of(texts * 2, y * 2), MostInformative(1, by))


def test_ties_are_settled_by_canonical_order() -> None:
    # Every term tells one of two equal labels: the same value, though the sums run in another order.
    texts, y = ["d a", "d a", "c b", "c b", "x", "x"], ["p", "p", "q", "q", "r", "r"]
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 4, 2, 0]):
        table = CountTable.of([texts[i] for i in order], [y[i] for i in order])
        for by in ("information_gain", "chi2"):
            assert list_kept(table, [MostInformative(3, by)]) == ["a", "b", "c"]  # type: ignore[arg-type]
        assert list_kept(table, [WithoutMostFrequent(3)]) == ["d", "x"]


@pytest.mark.parametrize("by", ["information_gain", "chi2"])
def test_what_differs_by_rounding_alone_is_a_tie(by: Any) -> None:
    orders = list(permutations((1, 3, 4)))  # so many of the 7 documents of three labels have the term
    rows = [
        (label, " ".join(f"t{i}" for i, n in enumerate(orders) if place < n[label])) for label in range(3) for place in range(7)
    ]
    table = CountTable.of([text for _, text in rows], [label for label, _ in rows])
    assert list_kept(table, [MostInformative(2, by)]) == ["t0", "t1"]


def test_the_memory_bound_does_not_show(corpus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, y, _ = corpus
    table = CountTable.of(texts, y)
    selections = [[MostInformative(9)], [MostInformative(9, "chi2")], [WithoutMostFrequent(9)]]
    whole = [list_kept(table, select) for select in selections]
    monkeypatch.setattr(table_module, "MAX_BLOCK_CELLS", 1)
    monkeypatch.setattr(table_module, "MIN_BLOCK_TERMS", 3)
    assert [list_kept(table, select) for select in selections] == whole


def test_ten_thousand_labels_need_no_room_for_empty_cells() -> None:
    n = 10_000
    texts = [f"own{i} shared{i % 7} all" for i in range(n)]
    table = CountTable.of(texts, np.arange(n))
    kept = list_kept(table, [MostInformative(7)])
    assert kept == sorted(f"shared{i}" for i in range(7))
    gains = score(table, MostInformative(1))
    assert_close(gains["own5"], -(np.log(1 / n) / n + (1 - 1 / n) * np.log1p(-1 / n)))
    assert gains["all"] == 0


def test_each_step_narrows_what_the_one_before_left() -> None:
    table = CountTable.of(["a a a b c", "b c d", "b c d", "b d e e e e e e e"], ["x", "y", "y", "x"])
    assert list_kept(table, [], min_documents=2, max_terms=2) == ["b", "c"]  # a and e are counted more often, in one document
    assert list_kept(table, [WithoutMostFrequent(1)], min_documents=2, max_terms=1) == ["c"]
    assert list_kept(table, [WithoutMostFrequent(1)], max_terms=1) == ["b"]  # without e
    assert list_kept(table, [WithoutMostFrequent(1)], max_terms=1, clips=True) == ["c"]  # without b
    assert list_kept(table, [WithoutMostFrequent(2), MostInformative(1)], min_documents=2) == ["d"]


def test_max_terms_keeps_the_first_of_many_equally_frequent_terms() -> None:
    occurrences = np.random.default_rng(0).integers(1, 4, 5000)
    kept = select_most(occurrences, 2000)
    expected = sorted(range(5000), key=lambda term: (-occurrences[term], term))[:2000]
    assert kept.tolist() == sorted(expected)


def test_exactly_the_most_frequent_words_are_dropped() -> None:
    table = CountTable.of(["Not so good", "not so bad", "not not so so", "NEVER so"], ["-", "+", "+", "-"])
    by_frequency = ["so", "not", "bad", "good", "never"]
    for k in range(1, 6):
        assert set(list_kept(table, [WithoutMostFrequent(k)])) == set(by_frequency[k:])


def test_negation_is_not_dropped_with_the_most_frequent_if_that_is_asked_for() -> None:
    texts, y = ["Not so good", "not so bad", "not not so so", "NEVER so"], ["-", "+", "+", "-"]
    words = CountTable.of(texts, y)
    assert "not" in list_kept(words, [WithoutMostFrequent(2, keep="negations")])
    assert "so" not in list_kept(words, [WithoutMostFrequent(2, keep="negations")])
    assert {"not", "so"} <= set(list_kept(words, [WithoutMostFrequent(2, keep=["So", "Not"])]))  # type: ignore[arg-type]
    pairs = CountTable.of(texts, y, analyzer=Analyzer(word_ngrams=(1, 2)))
    assert [term for term in list_kept(pairs, [WithoutMostFrequent(99, "negations")]) if "so" in term] == ["never so", "not so"]


@each_selection
@each_model
@given(some_documents, st.integers(2, 3), st.integers(1, 2), st.sampled_from([None, 2]))
@some(0.12)
def test_folds_select_anew_as_by_retraining(
    select: Any, model: NaiveBayes, rows: Learned, folds: int, min_documents: int, max_terms: Any
) -> None:
    documents = give_sources(rows)
    asked = Categorizer("words", model, select=select, min_documents=min_documents, max_terms=max_terms)
    classes, codes = np.unique(rows.labels, return_inverse=True)
    assume(folds <= len(codes))
    fold_of = deal_folds(asked, documents, folds=folds, seed=1)
    held = asked.cross_validate(documents, folds=folds, seed=1)
    for fold in range(folds):
        (inside,), (outside,) = np.nonzero(fold_of == fold), np.nonzero(fold_of != fold)
        fresh = clone(asked).fit(pick(documents, outside))
        expected = np.full((len(inside), len(classes)), -np.inf)
        expected[:, np.isin(classes, fresh.classes_)] = fresh.log_joint([rows.texts[i] for i in inside])
        assert_close(held.log_joint[inside], expected)


@each_selection
@pytest.mark.parametrize("vocabulary", ["union", "shared"])
@pytest.mark.parametrize("copies", ["own", "all"])
@given(some_documents)
@some(0.1)
def test_leaving_out_holds_the_selection_fixed(select: Any, vocabulary: Any, copies: str, rows: Learned) -> None:
    documents = give_sources(rows)
    model = Categorizer("words", NaiveBayes("multinomial", vocabulary=vocabulary), select=select).fit(documents)
    domains = CountTable.of(documents.texts, documents.columns["source"], rows.units)
    selectors = select if isinstance(select, list) else [select]
    names = tuple(list_kept(model.table_, selectors, domains=domains))
    fixed = Categorizer("words", model.model, select=Only(names))
    held = model.leave_one_out(documents, copies=copies)
    for i, text in enumerate(rows.texts):
        left = [k for k in range(len(rows.texts)) if k != i and (copies == "own" or rows.texts[k] != text)]
        if left:
            fresh = fixed.fit(*rows.pick(left))
            expected = np.full(len(held.labels), -np.inf)
            expected[np.isin(held.labels, fresh.classes_)] = fresh.log_joint([text])[0]
            assert_close(held.log_joint[i], expected)


@each_selection
@each_model
@given(some_documents, some_documents, st.randoms(use_true_random=False))
@some(0.1)
def test_full_counts_are_kept_so_that_parts_add_up(select: Any, model: NaiveBayes, a: Learned, b: Learned, random: Any) -> None:
    texts = a.texts + b.texts
    one, other, whole = (Categorizer("words", model, select=select).fit(give_sources(part)) for part in (a, b, a + b))
    one.predict(texts)  # what was selected before must not be remembered
    assert_same(one + other, whole, texts)
    assert_same(pickle.loads(pickle.dumps(other)) + one, whole, texts)
    learned_on = Categorizer("words", model, select=select).fit(give_sources(b)).learn(give_sources(a))
    assert_same(learned_on, whole, texts)
    places = list(range(len(texts)))
    random.shuffle(places)
    assert_same(Categorizer("words", model, select=select, threads=2).fit(give_sources((a + b).pick(places))), whole, texts)
    assert_same(whole.forget(give_sources(b)), one, texts)
    assert one.fitted_.state.domains == whole.fitted_.state.domains


def test_a_document_of_another_domain_was_never_learned() -> None:
    texts, y = ["hen", "fox", "hen fox"], ["h", "f", "f"]
    select = MostInformative(1, "ld", "source")
    for remember in (True, False):
        model = Categorizer(select=select, remember=remember).fit(Documents(texts, y, columns={"source": ["w", "w", "b"]}))
        before = model.table_.fingerprint()
        with pytest.raises(NeverLearned):
            model.forget(Documents(["hen"], ["h"], columns={"source": ["b"]}))
        assert model.table_.fingerprint() == before


@pytest.mark.parametrize("kind", ["multinomial", "binary", "bernoulli", "complement"])
@each_selection
def test_all_answers_go_through_the_selection(select: Any, kind: Any, corpus: Any) -> None:
    texts, y, source = corpus
    model = Categorizer("words", NaiveBayes(kind), select=select).fit(Documents(texts, y, columns={"source": source}))
    domains = CountTable.of(texts, source)
    selectors, clips = select if isinstance(select, list) else [select], kind in ("binary", "bernoulli")
    names = list_kept(model.table_, selectors, clips=clips, domains=domains)
    assert 0 < len(names) < len(model.table_)
    # The same words alone, read by a categorizer that selects nothing.
    plain = [" ".join(word for word in text.split() if word in names) for text in texts]
    other = Categorizer("words", NaiveBayes(kind)).fit(plain, y)
    assert_close(model.log_joint(texts), other.log_joint(texts))
    assert_close(model.log_likelihood(texts), other.log_likelihood(texts))
    assert model.predict(texts).tolist() == other.predict(texts).tolist()
    assert_close(model.restrict([0, 2]).log_joint(texts), other.restrict([0, 2]).log_joint(texts))
    assert_close(model.compact().predict_proba(texts), other.compact().predict_proba(texts))
    assert model.compact().scorer().table.terms() == names
    assert {term for rows in model.most_informative(99).values() for term, _ in rows} == set(names)
    explained = model.explain(texts[0])
    assert {piece.term for piece in explained.evidence} <= {*names, "(absent terms)"}
    assert set(texts[0].split()) - set(names) == set(explained.unknown)
    scores = dict(zip(model.classes_.tolist(), model.log_joint(texts[:1])[0].tolist(), strict=True))
    odds = explained.prior + sum(piece.value for piece in explained.evidence)
    assert_close(odds, scores[explained.label] - scores[explained.against])
    if kind in ("multinomial", "binary"):
        assert set(model.generate(0, 50).split()) <= set(names)


def test_a_chosen_smoothing_is_that_of_the_selected_terms(corpus: Any) -> None:
    texts, y, _ = corpus
    select = MostInformative(9)
    model = Categorizer("words", NaiveBayes(smoothing="auto"), select=select).fit(texts, y)
    names = tuple(list_kept(model.table_, [select]))
    fixed = Categorizer("words", NaiveBayes(smoothing="auto"), select=Only(names)).fit(texts, y)
    assert model.smoothing_ == fixed.smoothing_ == model.retune(texts, y).smoothing_


def test_reports_say_how_terms_were_selected(corpus: Any) -> None:
    texts, y, _ = corpus
    for options in ({"select": MostInformative(5)}, {"max_terms": 5}):
        model = Categorizer("words", **options).fit(texts, y)  # type: ignore[arg-type]
        left_out, folds = model.leave_one_out(texts, y), model.cross_validate(texts, y, folds=3)
        assert "selection held fixed" in left_out.report.note
        assert "selection held fixed" in str(left_out.report)
        assert "|selection:fixed|" in left_out.report.signature
        assert "selected again for each fold" in folds.report.note
        assert "|selection:anew|" in folds.report.sign("macro_f1")
    exact = Categorizer("words", min_documents=2).fit(texts, y).leave_one_out(texts, y)
    assert "select" not in exact.report.note + exact.report.signature


def test_scikit_learn_reaches_the_options_of_a_selection(corpus: Any) -> None:
    texts, y, _ = corpus
    model = Categorizer("words", select=MostInformative(5))
    assert model.get_params()["select__k"] == 5
    assert clone(model).select == model.select
    assert repr(clone(model)) == repr(model)
    assert "MostInformative(k=5, by='information_gain'" in repr(model)
    search = GridSearchCV(model, {"select__k": [np.int64(1), 20], "select__by": ["information_gain", "chi2"]}, cv=2)
    assert search.fit(texts, y).best_params_["select__k"] == 20
    assert model.select == MostInformative(5)
    changed = model.set_params(select__by="ld", select__domain="source")
    assert changed.select == MostInformative(5, "ld", "source")
    several = clone(Categorizer(select=[WithoutMostFrequent(2), MostInformative(3)]))
    assert several.fit(texts, y).predict(texts[:2]).shape == (2,)


def test_shards_of_unlike_selections_do_not_add_up() -> None:
    one, other = (Categorizer(select=select).fit(["a", "b"], ["x", "y"]) for select in (None, MostInformative(1)))
    with pytest.raises(InvalidOption, match="count differently"):
        one + other
    assert reduce(operator.add, [other, other]).table_.n_documents.tolist() == [2, 2]


def test_a_selection_that_was_set_after_fit_waits_for_the_next_fit() -> None:
    texts, y = ["a b", "b c"], ["x", "y"]
    model = Categorizer("words").fit(texts, y)
    before = model.log_joint(texts).tolist()
    assert model.set_params(select=MostInformative(1)).log_joint(texts).tolist() == before
    assert model.fit(texts, y).log_joint(texts).tolist() != before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MostInformative(0), "k must be an int >= 1, got 0"),
        (lambda: MostInformative(3, "gini"), "by must be one of information_gain, chi2, ld, got 'gini'"),
        (lambda: MostInformative(3, "ld"), "Name the column with the source of each document"),
        (lambda: MostInformative(3, "chi2", "source"), "by='chi2' with domain='source'"),
        (lambda: MostInformative(3, "ld", 5), "domain must be the name of a column"),
        (lambda: WithoutMostFrequent(2.5), "k must be an int >= 1, got 2.5"),
        (lambda: WithoutMostFrequent(2, keep="not"), "keep must be a list of words or 'negations', got 'not'"),
        (lambda: WithoutMostFrequent(2, keep=None), "keep must be a list of words or 'negations', got None"),
        (lambda: Categorizer(select="chi2").fit(["a"], ["x"]), "select must be MostInformative"),
        (lambda: Categorizer(select=[None]).fit(["a"], ["x"]), "select must be MostInformative"),
        (lambda: Categorizer(select=MostInformative(3, "ld", "source")).fit(["a"], ["x"]), "have no column 'source'"),
        (
            lambda: Categorizer(select=[MostInformative(3, "ld", d) for d in "ab"]).fit(["a"], ["x"]),
            "select must be of one domain",
        ),
    ],
)
def test_a_selection_that_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        make()


def test_kept_words_may_come_from_a_generator() -> None:
    select = WithoutMostFrequent(3, keep=(word for word in ["not", "so"]))  # type: ignore[arg-type]
    assert select.keep == ("not", "so")


def test_only_words_are_stop_words() -> None:
    texts, y = ["so good so not $5", "so bad so not $7"], ["+", "-"]
    analyzer = Analyzer(
        char_ngrams=(2, 2), lexicon={"p": ["good", "bad"]}, patterns={"money": r"[$]\d"}, tag_terms="universal", negation="en"
    )
    table = CountTable.of(texts, y, analyzer=analyzer)
    gone = set(list_kept(table, [])) - set(list_kept(table, [WithoutMostFrequent(99, "negations")]))
    assert gone == {"word:so", "word:good", "word:bad", "word:5", "word:7"}
    without = analyzer.replace(char_ngrams=None)
    table = CountTable.of(texts, y, analyzer=without)
    gone = set(list_kept(table, [])) - set(list_kept(table, [WithoutMostFrequent(1)]))
    assert gone == {"so"}  # though each tag and pattern is as frequent


def test_without_words_nothing_is_a_stop_word() -> None:
    recipes = [Analyzer(word_ngrams=None, char_ngrams=(2, 2)), Analyzer(tokens="characters"), Analyzer(tokens="bytes")]
    for analyzer in recipes:
        table = CountTable.of(["nono nothing", "another no"], ["a", "b"], analyzer=analyzer)
        assert list_kept(table, [WithoutMostFrequent(5)]) == list_kept(table, [])


def test_negation_in_a_header_is_not_dropped() -> None:
    text = "Subject: not so not so\nTo: not so\n\nnot so"
    table = CountTable.of([text, text], ["a", "b"], analyzer=Analyzer(header_fields=True, word_ngrams=(1, 2)))
    kept = list_kept(table, [WithoutMostFrequent(999, "negations")])
    assert {"subject:not", "to:not", "not", "not so", "to:not to:so"} <= set(kept)
    assert {"subject:so", "to:so", "so", "subject:subject"}.isdisjoint(kept)
