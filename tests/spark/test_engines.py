"""The recipes of docs/spark.md for other engines, run where the package is installed."""

import os
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tercet import Categorizer

DOCS = Path(__file__).parents[2] / "docs" / "spark.md"
TEXTS = ["to be", "or not", "to be so", "not that", "so it goes", "it is not"]
LABELS = ["x", "y", "x", "y", "z", "y"]


def find_recipe(engine: str) -> str:
    found = re.search(rf"<!-- tested: {engine} -->\n```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.filterwarnings("ignore")  # warnings of the engine itself
@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_a_recipe_gives_the_bytes_of_fit(engine: str, tmp_path: Path) -> None:
    package = pytest.importorskip(engine, reason=f"{engine} is not installed: pip install {engine}")
    paths = []
    for k in range(3):
        paths.append(str(tmp_path / f"{k}.parquet"))
        pq.write_table(pa.table({"text": TEXTS[k::3], "label": LABELS[k::3]}), paths[-1])
    names: dict[str, Any] = {"paths": paths}
    if engine == "ray":
        if os.environ.get("TERCET_SPARK") != "1":
            pytest.skip("ray starts a cluster of its own: make test-spark runs it")
        package.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=80_000_000)
    try:
        exec(find_recipe(engine), names)
    finally:
        if engine == "ray":
            package.shutdown()
    names["model"].save(tmp_path / "cluster.tercet")
    Categorizer().fit(TEXTS, LABELS).save(tmp_path / "alone.tercet")
    assert (tmp_path / "cluster.tercet").read_bytes() == (tmp_path / "alone.tercet").read_bytes()
