"""Pruned models: only the selected terms are kept. They predict the same, and refuse every change that would not be exact."""

import json
import pickle
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell
from hypothesis import given
from hypothesis import strategies as st

from tercet import (
    NBSVM,
    Analyzer,
    Categorizer,
    Documents,
    LinearSVM,
    LogisticRegression,
    MostInformative,
    NaiveBayes,
    WithoutMostFrequent,
    load,
    read,
)
from tercet.categorizer.train import train
from tercet.errors import InvalidOption, StaleMargins
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer

WORDS = ["hen", "hens", "fox", "red", "not", "the", "a", "and", "egg", "hole"]
SMOOTHINGS = [Additive(0), Additive(0.5), JelinekMercer(0.3), Dirichlet(20.0), AbsoluteDiscount(0.5), "auto", "table"]
SELECTIONS: list[dict[str, Any]] = [
    {"min_documents": 2},
    {"min_documents": 3, "max_terms": 12},
    {"max_terms": 5},
    {"select": MostInformative(6)},
    {"select": MostInformative(4, by="chi2"), "min_documents": 2},
    {"select": WithoutMostFrequent(3)},
    {"select": [WithoutMostFrequent(2, keep=("not",)), MostInformative(5, by="ld", domain="place")]},
]


def make_documents(n: int = 40, seed: int = 0, weights: bool = False) -> Documents:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    texts = [" ".join(rng.choice(np.roll(WORDS, 3 * code), rng.integers(0, 9), p=SHARES)) for code in codes]
    columns = {"place": rng.choice(["x", "y"], n).tolist(), "stars": rng.normal(size=n).tolist()}
    return Documents(
        texts, np.array(["a", "b", "c"])[codes], weights=rng.choice([0.5, 1, 2], n) if weights else None, columns=columns
    )


SHARES = np.arange(len(WORDS), 0, -1) / np.arange(len(WORDS) + 1).sum()


def assert_same(pruned: Any, whole: Any) -> None:
    asked = make_documents(30, seed=1)
    assert pruned.log_joint(asked).tolist() == whole.log_joint(asked).tolist()
    assert pruned.predict_proba(asked).tolist() == whole.predict_proba(asked).tolist()
    assert pruned.predict(asked).tolist() == whole.predict(asked).tolist()
    assert pruned.most_informative(9) == whole.most_informative(9)
    one = Documents(["the red hen and not a red fox"], columns={"place": ["x"], "stars": [0.5]})
    assert pruned.explain(one) == whole.explain(one)


@pytest.mark.filterwarnings("ignore:.*probability 0 under every label")  # with smoothing 0
@given(
    kind=st.sampled_from(["multinomial", "binary", "bernoulli", "complement"]),
    smoothing=st.sampled_from(SMOOTHINGS),
    vocabulary=st.sampled_from(["union", "shared"]),
    unknown=st.sampled_from(["ignore", "unk"]),
    selection=st.sampled_from(SELECTIONS),
    numeric=st.booleans(),
    weights=st.booleans(),
    calibrate=st.sampled_from([None, "temperature", "isotonic"]),
)
def test_a_pruned_naive_bayes_predicts_the_same(
    kind: Any, smoothing: Any, vocabulary: Any, unknown: Any, selection: Any, numeric: bool, weights: bool, calibrate: Any
) -> None:
    documents = make_documents(weights=weights)
    model = NaiveBayes(kind, smoothing, vocabulary=vocabulary, unknown=unknown)
    options = {**selection, "numeric": ["stars"] if numeric else (), "calibrate": calibrate}
    try:
        whole = Categorizer(Analyzer(word_ngrams=(1, 2)), model, **options).fit(documents)
    except InvalidOption:
        return  # not every kind has every smoothing
    pruned = whole.prune()
    assert_same(pruned, whole)
    assert len(pruned.table_) < len(whole.table_)
    assert pruned.smoothing_ == whole.smoothing_
    if (kind, smoothing) != ("bernoulli", Additive(0)):  # it has no leave-one-out
        ours, theirs = pruned.leave_one_out(documents), whole.leave_one_out(documents)
        assert ours.probabilities.tolist() == theirs.probabilities.tolist()
        assert ours.selection == theirs.selection
    keeps_words = vocabulary == "union" and "select" not in selection
    if kind in ("multinomial", "binary") and keeps_words and smoothing != Additive(0):
        assert pruned.generate("a", 30) == whole.generate("a", 30)
        assert pruned.generate("b") == whole.generate("b")
        assert pruned.perplexity(documents.texts, "a").tolist() == pytest.approx(
            whole.perplexity(documents.texts, "a").tolist(), nan_ok=True, abs=0
        )


@pytest.mark.parametrize("model", [NBSVM(), LinearSVM(), LogisticRegression(multi="softmax")], ids=repr)
@pytest.mark.parametrize("selection", SELECTIONS, ids=repr)
@pytest.mark.parametrize("calibrate", [None, "platt"])
def test_pruned_margins_predict_the_same(model: Any, selection: Any, calibrate: Any) -> None:
    whole = Categorizer(Analyzer(word_ngrams=(1, 2)), model, calibrate=calibrate, **selection).fit(make_documents(weights=True))
    pruned = whole.prune()
    assert_same(pruned, whole)
    assert len(pruned.table_) < len(whole.table_)
    assert_same(pruned.compact(), whole.compact())


@pytest.mark.parametrize("selection", SELECTIONS, ids=repr)
@pytest.mark.parametrize("model", [NaiveBayes(), LinearSVM()], ids=repr)
def test_a_pruned_model_is_the_same_in_a_file_a_copy_and_a_pickle(model: Any, selection: Any, tmp_path: Path) -> None:
    whole = Categorizer(model=model, **selection).fit(make_documents())
    pruned = whole.prune()
    whole.save(tmp_path / "whole.tercet")
    pruned.save(tmp_path / "a.tercet")
    loaded: Any = load(tmp_path / "a.tercet")
    again: Any = load(tmp_path / "whole.tercet")
    for other in (loaded, copy(pruned), pickle.loads(pickle.dumps(pruned)), again.prune(), pruned.prune()):
        assert_same(other, whole)
        assert other.is_pruned_
        assert other.table_ == pruned.table_
        other.save(tmp_path / "b.tercet")
        assert (tmp_path / "a.tercet").read_bytes() == (tmp_path / "b.tercet").read_bytes()
    assert (tmp_path / "a.tercet").stat().st_size < (tmp_path / "whole.tercet").stat().st_size
    assert not whole.is_pruned_
    assert not load(tmp_path / "whole.tercet").is_pruned_  # type: ignore[union-attr]


@pytest.mark.parametrize("model", [NaiveBayes(), LinearSVM()], ids=repr)
def test_terms_of_several_columns_are_pruned(model: Any, tmp_path: Path) -> None:
    data = tmp_path / "tickets.csv"
    rows = [f"{a},{b},{label}" for a, b, label in zip(WORDS * 3, WORDS[3:] * 5, "xyz" * 10, strict=False)]
    data.write_text("\n".join(["subject,mailer,queue", *rows]))
    stream = read(data, text=["subject", "mailer"], label="queue")
    whole = Categorizer(model=model, fields=True, min_documents=4).fit(stream)
    pruned = whole.prune()
    pruned.save(tmp_path / "a.tercet")
    asked = read(data, text=["subject", "mailer"], label="queue")
    for other in (pruned, load(tmp_path / "a.tercet")):
        for part in asked:
            assert other.log_joint(part).tolist() == whole.log_joint(part).tolist()
    assert len(pruned.table_) < len(whole.table_)


CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "learn": lambda c, d: c.learn(d),
    "partial_fit": lambda c, d: c.partial_fit(d.texts, d.labels),
    "forget": lambda c, d: c.forget(d),
    "add": lambda c, d: c + c,
    "add to a whole model": lambda c, d: Categorizer(min_documents=2).fit(d) + c,
    "relabel": lambda c, d: c.relabel(d.texts, d.labels, d.labels),
    "refit": lambda c, d: c.refit(d),
    "retune": lambda c, d: c.retune(d),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("model", [NaiveBayes(), LinearSVM()], ids=repr)
def test_a_pruned_model_refuses_every_change_of_its_counts(name: str, model: Any) -> None:
    documents = make_documents()
    pruned = Categorizer(model=model, min_documents=2).fit(documents).prune()
    before = pruned.table_.fingerprint()
    with pytest.raises(InvalidOption, match=r"pruned model can't .* not be exact\. Use the model from before") as caught:
        CHANGES[name](pruned, documents)
    assert "\n" not in str(caught.value)
    assert pruned.table_.fingerprint() == before


def test_a_pruned_model_can_be_fitted_again_on_other_documents() -> None:
    pruned = Categorizer(min_documents=2).fit(make_documents()).prune()
    again = pruned.fit(make_documents(seed=2))
    assert not again.is_pruned_
    assert again.forget(make_documents(seed=2)) is again


def test_a_pruned_model_knows_the_documents_that_it_learned() -> None:
    documents = make_documents()
    for remember in (True, False):
        whole = Categorizer(min_documents=3, remember=remember).fit(documents)
        pruned = whole.prune()
        ours, theirs = pruned.leave_one_out(documents), whole.leave_one_out(documents)
        assert ours.log_joint.tolist() == theirs.log_joint.tolist()
    assert Categorizer(min_documents=3).fit(documents).prune().count_learned(documents) == 40


def test_a_model_without_a_selection_has_nothing_to_prune() -> None:
    with pytest.raises(InvalidOption, match=r"nothing to prune.*min_documents=2"):
        Categorizer().fit(make_documents()).prune()


def test_stale_margins_are_not_pruned() -> None:
    stale = Categorizer(model=LinearSVM(), min_documents=2).fit(make_documents()).learn(make_documents(seed=3))
    with pytest.raises(InvalidOption, match="refit"):
        stale.prune()
    with pytest.warns(StaleMargins):
        stale.predict(["hen"])


@pytest.mark.parametrize("remember", [True, False])
def test_the_record_of_a_pruned_model_is_current(remember: bool) -> None:
    documents = make_documents()
    whole = train(documents, categorizer=Categorizer(min_documents=2, remember=remember)).categorizer
    pruned = whole.prune()
    assert whole.record_ is not None
    assert pruned.record_ is not None
    assert pruned.is_current_
    assert pruned.record_.estimate == whole.record_.estimate
    stale = whole.learn(["more"], ["a"]).prune()
    assert stale.record_ is not None
    assert not stale.is_current_


# The command line.


def test_train_prunes_says_so_and_predicts_the_same(shell: Shell) -> None:
    shell("tercet train reviews.csv -o whole.tercet --min-documents 2")
    done = shell("tercet train reviews.csv -o small.tercet --min-documents 2 --prune")
    n_left = len(load("small.tercet").table_)
    assert f"terms pruned, {n_left} left: the model can't learn or forget, and predicts the same\n" in done.out
    assert shell("tercet predict small.tercet reviews.csv").out == shell("tercet predict whole.tercet reviews.csv").out
    assert "pruned" in shell("tercet inspect small.tercet").out
    facts = json.loads(shell("tercet inspect small.tercet --json").out)
    assert facts["pruned"] is True
    assert facts["record"]["is_current"] is True
    assert json.loads(shell("tercet inspect whole.tercet --json").out)["pruned"] is False
    summary = json.loads(shell("tercet train reviews.csv -o c.tercet --min-documents 2 --prune --json").out)
    assert summary["pruned_terms"] + facts["terms"] == summary["terms"]


@pytest.mark.parametrize(
    ("options", "remedy"),
    [(["--prune"], "--min-documents 2"), (["--prune", "--compact", "--min-documents", "2"], "give one of the two")],
)
def test_train_refuses_to_prune_nothing(shell: Shell, options: list[str], remedy: str) -> None:
    done = shell("tercet train reviews.csv -o bad.tercet " + " ".join(options))
    assert (done.code, done.out) == (2, "")
    assert remedy in done.err
    assert done.err.count("\n") == 1
    assert not Path("bad.tercet").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "small.tercet", "reviews.csv"],
        ["forget", "small.tercet", "reviews.csv"],
        ["relabel", "small.tercet", "reviews.csv"],
        ["merge", "small.tercet", "small.tercet", "-o", "sum.tercet"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_that_change_counts_refuse_a_pruned_model(shell: Shell, arguments: list[str]) -> None:
    shell("tercet train reviews.csv -o small.tercet --min-documents 2 --prune")
    before = Path("small.tercet").read_bytes()
    done = shell("tercet " + " ".join(arguments))
    assert done.code == 2
    assert "pruned" in done.err
    assert Path("small.tercet").read_bytes() == before
    assert not Path("sum.tercet").exists()
