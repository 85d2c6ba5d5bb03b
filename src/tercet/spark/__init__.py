"""The same counts on a cluster: train on Spark, predict on Spark. The model is the same, byte for byte.

    df = spark.read.parquet("reviews")                                  # 1. a data frame with texts and labels
    model = tercet.spark.train(df, tercet.Categorizer(), text="review", label="stars")
    tercet.spark.predict(df, model, text="review").show()               # 2. labels beside the input

Needs pyspark (`pip install 'tercet[spark]'`) and Java 17 or newer. Workers need the same Python with tercet.

    partition ─► chunks of documents ─► PartialCounts ─► parts, by shard ─► the sum of each shard ─► State or folder

Read first: `partitions.py` has the two functions that a cluster calls, without the cluster: `count_partition` and `add_rows`.
They raise nothing for bad documents: a row says what is wrong, and the driver raises it (`Problems`). `jobs.py` runs them:
`mapInArrow`, a shuffle by shard, a sort, so that a worker adds one shard at a time, and a second shuffle, from which the
driver fetches one partition at a time. Only this file imports pyspark. `training.py`, `estimating.py` and `predicting.py`
have the public functions, and `arrow_documents.py` turns batches of Arrow into documents.

counts/shards.py cuts a table into shards, categorizer/files/partial_counts.py does the same for all that was counted, and
categorizer/files/sharded_folder.py writes and loads a model as a folder of shards. categorizer/held_out/counting_plan.py says
how to count, and makes of the sum what `fit` makes.

The estimate deals folds by the fingerprint of a text (`assign_by_print`): that needs no other document, so each worker can do
it. Counts are kept by fold, and subtracted from the sum.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.spark.estimating import cross_validate
    from tercet.spark.predicting import evaluate, explain, predict, predict_proba
    from tercet.spark.training import train

__all__ = ["cross_validate", "evaluate", "explain", "predict", "predict_proba", "train"]

HOMES = {
    "cross_validate": "estimating",
    "evaluate": "predicting",
    "explain": "predicting",
    "predict": "predicting",
    "predict_proba": "predicting",
    "train": "training",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'tercet.spark' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"tercet.spark.{HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
