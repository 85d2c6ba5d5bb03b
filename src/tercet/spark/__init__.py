"""The same counts on a cluster: train on Spark, predict on Spark. The model is the same, byte for byte.

    df = spark.read.parquet("reviews")                                  # 1. a data frame with texts and labels
    model = tercet.spark.train(df, tercet.Categorizer(), text="review", label="stars")
    tercet.spark.predict(df, model, text="review").show()               # 2. labels beside the input

Needs pyspark (`pip install 'tercet[spark]'`) and Java 17 or newer. Workers need the same Python with tercet.
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
