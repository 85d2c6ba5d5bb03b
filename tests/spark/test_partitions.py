"""Counting in partitions, without a cluster: any partitions, in any order, give the bytes of `fit`."""

import json
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from helpers.labelled_documents import MODELS, some
from hypothesis import given
from hypothesis import strategies as st

import tercet.spark.partitions as partitions
from tercet import Analyzer, Categorizer, Documents, MostInformative, NaiveBayes, WithoutMostFrequent
from tercet.categorizer.files import partial_counts
from tercet.categorizer.files.partial_counts import PartialCounts
from tercet.categorizer.files.save_load import describe_fitted
from tercet.categorizer.held_out.counting_plan import CountingPlan
from tercet.categorizer.train import train
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, TercetError
from tercet.models.smoothing import AbsoluteDiscount
from tercet.spark.arrow_documents import Columns
from tercet.spark.estimating import FoldJudges, list_weighted, sum_prints
from tercet.spark.partitions import (
    PROBLEM,
    PartitionPlan,
    PartRow,
    Problems,
    add_rows,
    add_shard,
    count_partition,
    raise_problems,
)
from tercet.store.model_file import encode_model

WORDS = ["the", "hen", "Hen", "fox", "sat", "and", "é", "你好", "hen-fox", "!", "7"]
COLUMNS = ("text", "label", "weight", "stars", "mailer", "place")
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
rows = st.tuples(
    texts,
    st.sampled_from(["a", "b", "Σ", "a long label"]),
    st.sampled_from([1.0, 1.0, 2.0, 0.1, 0.0, 1 / 3, 1000.0]),
    st.sampled_from([0.0, 1.5, -3.25, 1e300, 1e-300]),
    st.sampled_from(["mutt", "pine", None, ""]),
    st.sampled_from(["x", "y"]),
)
PRIOR = {"a": 0.5, "b": 0.2, "Σ": 0.2, "a long label": 0.1}
OPTIONS: list[dict[str, Any]] = [
    *({"model": model} for model in MODELS),
    {},
    {"analyzer": "words"},
    {"analyzer": Analyzer(word_ngrams=(1, 3), char_ngrams=(2, 3))},
    {"analyzer": Analyzer(word_ngrams=None, char_ngrams=(1, 4))},
    {"numeric": ["stars"], "categorical": ["mailer"]},
    {"numeric": ["n_words", "stars"]},
    {"min_documents": 2, "max_terms": 5},
    {"select": MostInformative(4)},
    {"select": [WithoutMostFrequent(2), MostInformative(5, by="ld", domain="place")]},
    {"remember": False, "model": NaiveBayes(smoothing=AbsoluteDiscount(0.5), prior=PRIOR)},
]


def file_of(categorizer: Categorizer) -> bytes:
    return b"".join(encode_model(*describe_fitted(categorizer.fitted_))[1])


def fit_alone(options: dict[str, Any], table: list[Any], weighted: bool) -> Categorizer:
    text, label, weight, stars, mailer, place = (list(column) for column in zip(*table, strict=True))
    columns = {"stars": stars, "mailer": mailer, "place": place}
    return Categorizer(**options).fit(Documents(text, label, weight if weighted else None, columns))


def make_batch(table: list[Any]) -> Any:
    columns = list(zip(*table, strict=True)) if table else [()] * len(COLUMNS)
    types = [pa.string(), pa.string(), pa.float64(), pa.float64(), pa.string(), pa.string()]
    return pa.RecordBatch.from_arrays(
        [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)], list(COLUMNS)
    )


def make_plan(options: dict[str, Any], weighted: bool, n_shards: int, **more: Any) -> PartitionPlan:
    categorizer = Categorizer(**options)
    domains = [selector.domain for selector in categorizer.check_options().settings.selectors if selector.domain]
    names = [name for name in [*categorizer.numeric, *categorizer.categorical, *domains] if name in COLUMNS]
    columns = Columns.of("text", "label", "weight" if weighted else None, names)
    plan = PartitionPlan(CountingPlan.of(categorizer, columns.make_empty()), columns, n_shards, **more)
    return pickle.loads(pickle.dumps(plan))  # type: ignore[no-any-return]  # as a cluster sends it


def shuffle(parts: list[PartRow], draw: Any) -> list[PartRow]:
    """As a cluster sorts them: by fold and shard, the rows of a shard in any order."""
    return sorted(draw.draw(st.permutations(parts)) if len(parts) < 40 else parts, key=lambda row: row[:2])


def run(table: list[Any], plan: PartitionPlan, draw: Any) -> list[PartRow]:
    """The sums, after the table was cut into partitions, and these into batches."""
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(table)), max_size=4)))
    found: list[PartRow] = []
    for begin, end in zip([0, *cuts], [*cuts, len(table)], strict=True):
        middle = draw.draw(st.integers(begin, end))
        batches = [make_batch(table[begin:middle]), make_batch(table[middle:end])]
        if draw.draw(st.booleans()):
            next(count_partition(iter(batches), plan), None)  # a worker that was ended in the middle; another one tries again
        found += count_partition(iter(batches), plan)
    return list(add_rows(shuffle(found, draw), plan))


@given(st.data(), st.lists(rows, min_size=1, max_size=9), st.sampled_from(OPTIONS), st.booleans(), st.integers(1, 5))
@some(1.5)
def test_any_partitions_give_the_bytes_of_fit(
    draw: Any, table: list[Any], options: dict[str, Any], weighted: bool, n_shards: int
) -> None:
    if weighted and not any(row[2] for row in table):
        return
    try:
        alone = fit_alone(options, table, weighted)
    except TercetError as error:
        alone, refused = None, error
    plan = make_plan(options, weighted, n_shards)
    order = draw.draw(st.permutations(table))
    total = add_shard((row.part for row in run(order, plan, draw)), plan)
    if alone is None:
        with pytest.raises(type(refused), match=str(refused)[:20].replace("(", ".")):
            plan.counting.finish(Categorizer(**options), total)
        return
    assert file_of(plan.counting.finish(Categorizer(**options), total)) == file_of(alone)


@given(st.data(), st.lists(rows, min_size=1, max_size=9), st.integers(1, 4))
def test_large_shards_are_cut_into_several_parts(draw: Any, table: list[Any], n_shards: int) -> None:
    plan = make_plan({}, False, n_shards)
    small = pytest.MonkeyPatch()
    with small.context() as patch:
        patch.setattr(partial_counts, "PART_BYTES", 48)
        patch.setattr(partitions, "CHUNK_BYTES", draw.draw(st.sampled_from([1, 60])))
        found = run(table, plan, draw)
        assert max(row.shard for row in found) < n_shards
    total = add_shard((row.part for row in found), plan)
    assert file_of(plan.counting.finish(Categorizer(), total)) == file_of(fit_alone({}, table, False))


@given(st.data(), st.lists(rows, min_size=1, max_size=12), st.integers(2, 4))
def test_a_pruned_sum_has_the_bytes_of_prune(draw: Any, table: list[Any], n_shards: int) -> None:
    options = {"min_documents": 2, "select": MostInformative(3)}
    plan = make_plan(options, True, n_shards)
    alone = fit_alone(options, table, True) if any(row[2] for row in table) else None
    if alone is None:
        return
    pruned = list(add_rows(iter(run(table, plan, draw)), plan, min_documents=2))
    total = add_shard((row.part for row in pruned), plan)
    assert len(total.table) <= len(alone.table_)
    assert file_of(plan.counting.finish(Categorizer(**options), total).prune()) == file_of(alone.prune())  # type: ignore[arg-type]


@given(st.data(), st.lists(rows, min_size=1, max_size=9), st.integers(2, 4), st.integers(0, 3))
def test_the_folds_sum_to_the_whole(draw: Any, table: list[Any], folds: int, seed: int) -> None:
    plan = make_plan({"numeric": ["stars"]}, False, 2, folds=folds, seed=seed)
    found = run(table, plan, draw)
    assert {row.fold for row in found} <= set(range(folds))
    total = add_shard((row.part for row in found), plan)
    finished = plan.counting.finish(Categorizer(numeric=["stars"]), total)
    assert file_of(finished) == file_of(fit_alone({"numeric": ["stars"]}, table, False))


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        (pa.int8(), [1, -2, 1]),
        (pa.int64(), [1, -2, 1]),
        (pa.bool_(), [True, False, True]),
        (pa.float32(), [1.0, 2.0, 1.0]),
        (pa.binary(), [b"\xff", b"", b"a"]),
        (pa.large_string(), ["b", "a", "b\0"]),
    ],
)
def test_labels_of_each_type_give_the_bytes_of_fit(kind: Any, labels: list[Any]) -> None:
    documents = ["a hen", "the fox", "a hen"]
    plan = PartitionPlan(CountingPlan.of(Categorizer(), Documents([], [])), Columns.of("t", "y", None, []), 3)
    batch = pa.RecordBatch.from_arrays([pa.array(documents), pa.array(labels, kind)], ["t", "y"])
    found = [row for k in range(3) for row in count_partition([batch.slice(k, 1)], plan)]
    finished = plan.counting.finish(Categorizer(), add_shard((row.part for row in found), plan))
    assert file_of(finished) == file_of(Categorizer().fit(documents, labels))


def find_problems(batches: list[Any], plan: PartitionPlan) -> Problems:
    found = list(count_partition(iter(batches), plan))
    assert found[-1].shard == PROBLEM
    return Problems.join(row.part for row in add_rows(iter(sorted(found)), plan) if row.shard == PROBLEM)


def test_all_missing_texts_and_labels_are_counted() -> None:
    good, bad = ("a", "x", 1.0, 0.0, "", "x"), (None, None, None, 0.0, "", "x")
    plan = make_plan({}, True, 2)
    taken = iter([make_batch([good, bad]), make_batch([bad, good, bad])])
    with pytest.raises(TercetError, match="3 have no label: 'label' is null; 3 have no text: 'text' is null; 3 have no weight"):
        raise_problems(find_problems(list(taken), plan))
    assert next(taken, None) is None


@pytest.mark.parametrize(
    ("options", "row", "error"),
    [
        ({}, ("a", "x", -1.0, 0.0, "", "x"), InvalidMatrix),
        ({"numeric": ["stars"]}, ("a", "x", 1.0, float("inf"), "", "x"), InvalidMatrix),
        ({"numeric": ["stars"]}, ("a", "x", 1.0, None, "", "x"), InvalidMatrix),
    ],
)
def test_an_error_of_a_partition_is_an_error_of_tercet(options: dict[str, Any], row: Any, error: type) -> None:
    with pytest.raises(error, match="a partition can't be counted"):
        raise_problems(find_problems([make_batch([row]), make_batch([row])], make_plan(options, True, 2)))


def test_an_error_while_adding_is_an_error_of_tercet() -> None:
    plan = make_plan({}, False, 1)
    parts = [part for labels in (["x"], [1]) for _, part in plan.counting.count([Documents(["a"], labels)]).split(1)]
    with pytest.raises(InvalidLabel, match="two types"):
        plan.add(add_rows([PartRow(0, 0, part) for part in parts], plan))


def test_several_text_columns_are_joined_as_by_documents() -> None:
    subject, body, labels = ["hen", None, "fox"], ["a\x1fb", "the", None], ["x", "y", "x"]
    columns = Columns.of(["subject", "body"], "label", None, [])
    categorizer = Categorizer(fields=True)
    plan = PartitionPlan(CountingPlan.of(categorizer, columns.make_empty()), columns, 3)
    batch = pa.RecordBatch.from_pydict({"subject": subject, "body": body, "label": labels})
    found = [row for k in (2, 0, 1) for row in count_partition([batch.slice(k, 1)], plan)]
    alone = Categorizer(fields=True).fit(Documents.join({"subject": subject, "body": body}, labels))
    assert file_of(plan.counting.finish(categorizer, add_shard((row.part for row in found), plan))) == file_of(alone)


def test_no_documents_and_no_weights_are_refused_as_by_fit() -> None:
    plan = make_plan({}, True, 2)
    with pytest.raises(InvalidLabel, match="there are no documents"):
        plan.counting.finish(Categorizer(), PartialCounts(plan.counting.analyzer))
    found = list(count_partition([make_batch([("a", "x", 0.0, 0.0, "", "x")])], plan))
    with pytest.raises(InvalidMatrix, match="zero for every document"):
        plan.counting.finish(Categorizer(), add_shard((row.part for row in found), plan))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "auto"}, "all documents at once"),
        ({"calibrate": "auto"}, "calibrate_on"),
        ({"keep_documents": True}, "bring all texts to one machine"),
    ],
)
def test_what_is_not_a_sum_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        CountingPlan.of(Categorizer(**options), Documents([], []))


def test_labels_of_two_types_are_refused() -> None:
    plan = make_plan({}, False, 2)
    total = PartialCounts(plan.counting.analyzer)
    for _, part in plan.counting.count([Documents(["a"], ["x"])]).split(2):
        total.add(part)
    part = next(part for _, part in plan.counting.count([Documents(["a"], [1])]).split(2))
    with pytest.raises(InvalidLabel, match="two types"):
        total.add(part)


def test_shards_are_even() -> None:
    words = [f"w{i}" for i in range(4000)]
    counts = make_plan({}, False, 8).counting.count([Documents([" ".join(words)], ["x"])])
    sizes = np.zeros(8)
    for shard, part in counts.split(8):
        sizes[shard] += len(part)
    assert sizes.max() < 1.3 * sizes.mean()


@given(
    st.data(),
    st.lists(rows, min_size=2, max_size=12),
    st.sampled_from(OPTIONS),
    st.booleans(),
    st.integers(2, 4),
    st.integers(0, 2),
)
@some(1)
def test_the_folds_judge_as_on_one_machine(
    draw: Any, table: list[Any], options: dict[str, Any], weighted: bool, folds: int, seed: int
) -> None:
    options = options | {"rules": {"(?i)fox": table[0][1]}} if draw.draw(st.booleans()) else options
    text, label, weight, stars, mailer, place = (list(column) for column in zip(*table, strict=True))
    columns = {"stars": stars, "mailer": mailer, "place": place}
    documents = Documents(text, label, weight if weighted else None, columns)
    plan = make_plan(options, weighted, 2, folds=folds, seed=seed)
    found = run(table, plan, draw)
    try:
        alone = train(documents, categorizer=Categorizer(**options), folds=folds, seed=seed, folds_by="fingerprint")
    except TercetError as error:
        if "in one fold" in str(error):
            assert len(list_weighted(found)) < 2
        return
    fitted = plan.counting.finish(Categorizer(**options), plan.add(found))
    trained = fitted.fitted_.state.trained
    assert trained is not None
    judges = pickle.loads(pickle.dumps(FoldJudges(plan, fitted.fitted_.settings, trained, found)))
    cells: Counter[tuple[int, int]] = Counter()
    total = np.zeros(2, np.uint64)
    for batch in (make_batch(table[:1]), make_batch(table[1:])):
        for row in judges.judge([batch]):
            own, judged = json.loads(row.part)
            total += np.array(own, np.uint64)
            cells.update({(gold, predicted): n for gold, predicted, n in judged})
    assert judges.report(cells, fitted.table_.labels).to_dict() == alone.estimate.to_dict()
    if fitted.fitted_.state.prints is not None:
        assert (sum_prints(fitted.fitted_.state.prints.sorted()) == total).all()
