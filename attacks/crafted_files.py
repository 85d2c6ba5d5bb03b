"""Model files that somebody crafted: changed at random, with a checksum that is right again.

Each must be refused with BadModelFile when it is loaded, or behave like a model: finite numbers, valid JSON, no errors but
those of tercet, no messages of libraries, and no more than 5 seconds. `--only 17,42` repeats single files.
"""

import argparse
import contextlib
import copy
import io
import json
import math
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

import tercet
from tercet.cli.main import run
from tercet.errors import BadModelFile, TercetError
from tercet.kernel.terms.frozen_vocabulary import find_seed, freeze_vocabulary, make_slots
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer
from tercet.store.model_file import ALIGNMENT, BLANK, CHECKSUM_AT, DTYPES, FORMAT, NAMES, digest, read_model

SEED = 15
SECONDS = 5.0  # of processor time for one file
PATIENCE = 60.0  # seconds that a worker may take on a busy machine before it is ended
MEMORY = 4 << 30  # bytes of address space of a worker
COUNTS = {"reduced": 4000, "full": 20_000}

TEXTS = ["what a lovely film", "lovely, lovely", "a dull film 12 €50", "so dull and so very long", "not dull WIN", "a park"]
LABELS = ["+", "+", "-", "-", "+", "-"]
COLUMNS = {"stars": [5, 4, 1, 2, 3.5, -1e300], "place": ["a", "b", "a", "b", "a", "b"]}
QUESTIONS = ["a lovely park", "dull", "", "not in words", "xyz " * 50, "so dull, so very long WIN €50"]
ANSWERS = {"stars": [1.0, 2.0, 3.0, -4.0, 1e200, 0.0], "place": ["a"] * 6}

Value = Any
Model = tuple[dict[str, Any], dict[str, np.ndarray]]  # content and arrays


# Good models, as they are before somebody changes them.


def list_categorizers() -> Iterator[tuple[str, Any]]:
    """A categorizer of each kind, by name."""
    documents = tercet.Documents(TEXTS, LABELS, columns=COLUMNS)
    three = ["a", "b", "c"] * 2
    everything = tercet.Analyzer(
        word_ngrams=(1, 3),
        char_ngrams=(2, 3),
        skip_grams=[(2, 1)],
        negation="en",
        stop_words=["the"],
        lexicon={"good": ["lovely"], "bad": ["dull", "so very"]},
        patterns={"money": "[$€][0-9]+", "loud": "[A-Z]{3,}"},
        lemmas={"films": "film"},
    )
    smoothings = [Additive(0), Additive(0.5), JelinekMercer(0.3), Dirichlet(20.0), AbsoluteDiscount(0.5)]
    for smoothing in smoothings:
        model = tercet.NaiveBayes("multinomial", smoothing)
        yield f"multinomial {smoothing.registered_name} {smoothing.value}", tercet.Categorizer(model=model).fit(TEXTS, LABELS)
    for kind in ("binary", "bernoulli", "complement"):
        yield kind, tercet.Categorizer(model=tercet.NaiveBayes(kind, 1.0)).fit(TEXTS, three)  # type: ignore[arg-type]
    shared = tercet.NaiveBayes("multinomial", 0.1, vocabulary="shared", unknown="unk")
    yield "shared", tercet.Categorizer(model=shared).fit(TEXTS, LABELS)
    yield "everything", tercet.Categorizer(everything).fit(TEXTS, LABELS)
    yield "auto", tercet.Categorizer(model=tercet.NaiveBayes("multinomial", "auto")).fit(TEXTS, LABELS)
    yield "table", tercet.Categorizer(model=tercet.NaiveBayes("multinomial", "table")).fit(TEXTS, LABELS)
    yield "weights", tercet.Categorizer().fit(TEXTS, LABELS, sample_weight=[1, 0.3, 2, 1, 1, 0])
    yield "numeric", tercet.Categorizer(numeric=["stars", "n_words"]).fit(documents)
    joined = tercet.Documents.join({"title": TEXTS, "text": TEXTS[::-1]}, LABELS, columns=COLUMNS)
    yield "columns", tercet.Categorizer(everything, categorical=["place"], fields=True).fit(joined)
    selected = [tercet.WithoutMostFrequent(1, keep=("not",)), tercet.MostInformative(5, by="ld", domain="place")]
    yield "domains", tercet.Categorizer(select=selected, max_terms=4, min_documents=1).fit(documents)
    yield "pruned", tercet.Categorizer(select=selected, max_terms=4, min_documents=1).fit(documents).prune()
    named = {0: 0.25, 1: 0.75}
    yield "integers", tercet.Categorizer(model=tercet.NaiveBayes("binary", prior=named)).fit(TEXTS, [0, 1] * 3)
    yield "booleans", tercet.Categorizer().fit(TEXTS, [True, False] * 3)
    yield "floats", tercet.Categorizer().fit(TEXTS, np.array([0.0, 1.0] * 3))
    yield "nul", tercet.Categorizer().fit(TEXTS, ["a\0", "b"] * 3)
    yield "surrogate", tercet.Categorizer().fit(["\ud800 x", "y"], ["\ud800", "b"])
    yield "restricted", tercet.Categorizer().fit(TEXTS, three).restrict(["a", "c"])
    yield "forgetful", tercet.Categorizer(remember=False).fit(TEXTS, LABELS)
    weighting = tercet.TermWeighting(tf="log", idf="smooth", norm="l2")
    yield "svm", tercet.Categorizer(model=tercet.LinearSVM(), weighting=weighting).fit(TEXTS, LABELS)
    yield "nbsvm", tercet.Categorizer(model=tercet.NBSVM()).fit(TEXTS, three)
    logistic = tercet.LogisticRegression(class_weight={"+": 2.0, "-": 1.0})
    yield "logistic", tercet.Categorizer(model=logistic).fit(TEXTS, LABELS).learn(["lovely"], ["+"])
    kept = tercet.Categorizer(numeric=["stars"], select=selected, calibrate="temperature", keep_documents=True)
    yield "kept numeric", kept.fit(documents)
    yield "kept weights", tercet.Categorizer(keep_documents=True).fit(TEXTS, LABELS, sample_weight=[1, 0.3, 2, 1, 1, 0])
    yield (
        "kept nbsvm",
        tercet.Categorizer(model=tercet.NBSVM(), keep_documents=True).fit([*TEXTS, "\ud800 été 你好"], [*three, "a"]),
    )
    many = [f"{text} {i % 7}{'!' * (i % 3)}" for i, text in enumerate(TEXTS * 10)]
    auto = tercet.Categorizer(model="auto", calibrate="auto", keep_documents=True)
    yield "auto stack", tercet.train(many, LABELS * 10, categorizer=auto).categorizer
    stack = tercet.Stack([tercet.Member(tercet.NBSVM(), terms="words"), tercet.Member(tercet.LinearSVM())])
    yield "stack", tercet.Categorizer(model=stack, calibrate="platt", min_documents=2).fit(many, three * 10)
    for columns, fields in (["title"], False), (["title", "text"], True):
        yield f"recorded {len(columns)}", train_on_file(columns, fields)
    for method in ("temperature", "length", "platt", "isotonic"):
        yield f"calibrated {method}", tercet.Categorizer(calibrate=method).fit(TEXTS * 3, three * 3)


def train_on_file(columns: list[str], fields: bool) -> tercet.Categorizer:
    """A categorizer with a record of its training: columns, rules for labels, and an estimate."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        rows = zip(TEXTS, TEXTS[::-1], ["Good", "good ", "bad", "bad", "gud", "bad"], COLUMNS["place"], strict=True)
        names = ("title", "text", "label", "place")
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True)) | {"n": 1.5}) + "\n" for row in rows))
        rules = tercet.LabelRules(mapping={"gud": "good"}, fold=True)
        source = tercet.read(path, text=columns, label="label", weight="n", columns=["place"], label_rules=rules, training=True)
        return tercet.train(source, categorizer=tercet.Categorizer(fields=fields, categorical=["place"])).categorizer


def make_models(folder: Path) -> dict[str, Model]:
    """The content and arrays of good files, by name; of each categorizer also the compact form."""
    models = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, categorizer in list_categorizers():
            forms = {name: categorizer}
            with contextlib.suppress(TercetError):  # smoothing 0 has no compact form
                forms[f"compact {name}"] = categorizer.compact()
            for form, saved in forms.items():
                saved.save(folder / "good.tercet")
                file = read_model(folder / "good.tercet")
                models[form] = file.content, {key: array.copy() for key, array in file.arrays.items()}
    return models


# Changes of the description.


def nest(depth: int) -> Value:
    value: Value = []
    for _ in range(depth):
        value = [value]
    return value


NUMBERS = [0, 1, -1, 2, -0.0, 0.5, 1.5, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 1e30, 2**31, 2**32, 2**63, 2**64]
NUMBERS += [-(2**63), 10**400, 1_000_000, 255]
OTHERS = [None, True, False, "", "x", "nan", "\ud800", "\0", "0", "-1", "1" * 5000, "a b", "auto", "isotonic", [], {}, [[]]]
OTHERS += [[0], [None], {"type": "x"}, {"a": 1}, "é" * 3000, "[" * 3000, "(a{1000}){1000}", "<U1000000000", "O", "f" * 200_000]
WIDE = [[0] * 100_000, ["a"] * 50_000, {str(i): i for i in range(20_000)}]


def list_paths(value: Value, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each value in the description; of a long list only the first ones."""
    yield path
    if len(path) > 12:
        return
    if isinstance(value, dict):
        for key, each in value.items():
            yield from list_paths(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value[:4]):
            yield from list_paths(each, (*path, place))


def change_content(rng: random.Random, content: dict[str, Any]) -> str:
    """Change one value of the description in place, and tell what was done."""
    path = rng.choice([path for path in list_paths(content) if path])
    holder: Any = content
    for key in path[:-1]:
        holder = holder[key]
    key, old = path[-1], holder[path[-1]]
    what = rng.random()
    if what < 0.12:
        del holder[key]
        return f"delete {path}"
    if what < 0.2 and isinstance(old, list) and old:
        changes: list[Callable[[], Any]] = [
            old.reverse,
            old.pop,
            lambda: old.append(old[0]),
            lambda: old.extend(old * 3),
            old.clear,
        ]
        rng.choice(changes)()
        return f"length or order of {path}"
    if what < 0.28 and isinstance(old, dict):
        old[rng.choice(["extra", "type", "values", "smoothing"])] = copy.deepcopy(rng.choice(OTHERS))
        return f"one more key in {path}"
    if what < 0.4 and isinstance(old, int | float) and not isinstance(old, bool):
        holder[key] = rng.choice([-old, old + 1, old * 1e300, old / 1e300, old - 1, old * 2])
    elif what < 0.48:
        other = rng.choice(list(list_paths(content)))
        value: Any = content
        for step in other:
            value = value[step]
        holder[key] = copy.deepcopy(value)
    elif what < 0.5:
        holder[key] = copy.deepcopy(rng.choice(WIDE))
        return f"something wide at {path}"
    elif what < 0.52:
        holder[key] = nest(rng.choice([50, 200]))
        return f"something deep at {path}"
    elif what < 0.62:
        holder[key] = [old] if rng.random() < 0.5 else {"type": old}
    else:
        holder[key] = copy.deepcopy(rng.choice(NUMBERS if rng.random() < 0.6 else OTHERS))
    return f"{path} = {str(holder[key])[:60]!r}"


# Changes of arrays.


def change_values(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """Some or all values, each to an extreme one."""
    changed = array.copy()
    if not changed.size:
        return changed
    if changed.dtype.kind == "f":
        most = float(np.finfo(changed.dtype).max)
        pool = [math.nan, math.inf, -math.inf, 0.0, -1.0, min(1e30, most), -min(1e30, most), min(1e38, most), 5e-324, most]
    else:
        top = np.iinfo(changed.dtype).max
        pool = [0, 1, 2, top, top - 1, top // 2, top // 2 + 1, min(128, top), min(255, top), np.iinfo(changed.dtype).min]
    flat = changed.reshape(-1)
    places = range(len(flat)) if rng.random() < 0.2 else [rng.randrange(len(flat)) for _ in range(rng.choice([1, 1, 2, 5]))]
    value = rng.choice(pool)
    for place in places:
        flat[place] = value if rng.random() < 0.8 else rng.choice(pool)
    return changed


def change_little(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """All values multiplied, or one of them a little larger or smaller: what remains may look like a model."""
    changed = array.copy()
    if changed.dtype.kind == "f":
        with np.errstate(all="ignore"):
            return (changed * rng.choice([-1, 0, 1e-30, 1e-3, 1e3, 1e13, 1e14])).astype(array.dtype)
    if changed.size:
        place, step = rng.randrange(changed.size), rng.choice([1, 1, 2, np.iinfo(changed.dtype).max])
        with np.errstate(all="ignore"):
            changed.reshape(-1)[place] += changed.dtype.type(step)  # the largest number subtracts 1
    return changed


def change_shape(rng: random.Random, array: np.ndarray) -> np.ndarray:
    flat = array.reshape(-1)
    changes: list[Callable[[], np.ndarray]] = [
        lambda: flat[:-1],
        lambda: flat[:0],
        lambda: flat[: len(flat) // 2],
        lambda: np.concatenate([flat, flat]),
        lambda: np.concatenate([flat, flat[-1:]]),
        lambda: array.reshape(1, -1),
        lambda: array.reshape(-1, 1),
        lambda: array[::-1],
        lambda: np.sort(flat),
        lambda: array.T,
        lambda: np.zeros((0, 5), array.dtype),
        lambda: np.zeros((5, 0), array.dtype),
        lambda: np.zeros((), array.dtype),
        lambda: np.concatenate([array, array]),
        lambda: array[:1],
    ]
    return rng.choice(changes)()


def change_type(rng: random.Random, array: np.ndarray) -> np.ndarray:
    dtype = np.dtype(rng.choice(list(DTYPES.values())))
    with np.errstate(all="ignore"):
        if rng.random() < 0.5 or array.nbytes % dtype.itemsize:
            return array.astype(dtype)
    return np.frombuffer(array.tobytes(), dtype)


def change_bytes(rng: random.Random, array: np.ndarray) -> np.ndarray:
    raw = bytearray(array.tobytes())
    for _ in range(rng.choice([1, 2, 5, 20])):
        if raw:
            raw[rng.randrange(len(raw))] = rng.choice([0, 1, 0x7F, 0x80, 0xC3, 0xFF, rng.randrange(256)])
    return np.frombuffer(bytes(raw), array.dtype).reshape(array.shape)


def change_arrays(rng: random.Random, arrays: dict[str, np.ndarray]) -> str:
    """Change one array, and tell what was done."""
    name, what = rng.choice(list(arrays)), rng.random()
    if what < 0.1:
        del arrays[name]
        return f"no array {name}"
    if what < 0.15:
        arrays[name + rng.choice(["x", ".slots", "/y"])] = arrays[name]
        return f"one more array like {name}"
    if what < 0.22:
        arrays[name] = arrays[rng.choice(list(arrays))]
        return f"another array for {name}"
    change = rng.choice([change_values, change_values, change_little, change_little, change_shape, change_type, change_bytes])
    arrays[name] = change(rng, arrays[name])
    return f"{change.__name__} of {name}"


# Files with a checksum.


def write_file(content: dict[str, Any], arrays: dict[str, np.ndarray], change_header: Callable[[bytes], bytes]) -> bytes:
    """The bytes of a model file with a right checksum, also of values that tercet would not write."""
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    places, end = {}, 0
    for name, array in ordered:
        places[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)  # to write what is too deep to be read
    described = json.dumps(content, separators=(",", ":"), check_circular=False)
    sys.setrecursionlimit(limit)
    metadata = {"checksum": BLANK.decode(), "content": described, "format": f"tercet {FORMAT}"}
    header = change_header(json.dumps({"__metadata__": metadata, **places}, separators=(",", ":")).encode())
    header += b" " * (-(len(header) + 8) % ALIGNMENT)
    head = len(header).to_bytes(8, "little") + header
    parts = [np.ascontiguousarray(array).tobytes() for _, array in ordered]
    checksum = digest(head, *parts)
    return head[:CHECKSUM_AT] + checksum.encode() + head[CHECKSUM_AT + 64 :] + b"".join(parts)


HEADER_CHANGES = [
    (b'"shape":[', b'"shape":[0,'),
    (b'"shape":[', b'"shape":[4611686018427387904,4,'),
    (b'"shape":[', b'"shape":[-1,'),
    (b'"shape":[', b'"shape":[1e999,'),
    (
        b'"shape":[',
        b'"shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,',
    ),
    (b'"shape":[', b'"shape":[NaN,'),
    (b'"data_offsets":[', b'"data_offsets":[-'),
    (b'"data_offsets":[0,', b'"data_offsets":[1,'),
    (b'"data_offsets":[0,', b'"data_offsets":["0",'),
    (b'"dtype":"U', b'"dtype":"F'),
    (b'"dtype":"', b'"dtype":"x'),
    (b'"dtype":"U8"', b'"dtype":"BOOL"'),
    (b"tercet 2", b"tercet 99999999999999999999999"),
    (b"tercet 2", b"tercet x"),
    (b'\\"kind\\":', b'\\"kind\\":\\"compact\\",\\"kind\\":'),
    (b'\\"values\\":[', b'\\"values\\":[NaN,'),
    (b'\\"value\\":', b'\\"value\\":-Infinity,\\"x\\":'),
    (b'\\"prior\\":', b'\\"prior\\":\\"uniform\\",\\"prior\\":'),
    (b"\\", b"\\\\"),
    (b"tercet", b"terc\xffet"),
    (b":", b":" + b"[" * 100_000),
]


def make_mutant(models: dict[str, Model], number: int, seed: int) -> tuple[str, bytes]:
    """What was changed, and the bytes of the file."""
    rng = random.Random(f"{seed} {number}")
    name = rng.choice(list(models))
    content, arrays = copy.deepcopy(models[name][0]), dict(models[name][1])
    done = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if content and rng.random() < 0.6:
            done.append(change_content(rng, content))
        elif arrays:
            done.append(change_arrays(rng, arrays))

    def change_header(header: bytes) -> bytes:
        if rng.random() > 0.03:
            return header
        old, new = rng.choice(HEADER_CHANGES)
        done.append(f"{old!r} → {new[:30]!r}")
        places = [place for place in range(len(header)) if header.startswith(old, place) and place > CHECKSUM_AT + 64]
        place = rng.choice(places) if places else len(header)
        return header[:place] + new + header[place + len(old) :]

    data = write_file(content, arrays, change_header)
    return f"{name}: {'; '.join(done)}", data


# Files that are made to be slow.


def list_slow(models: dict[str, Model]) -> Iterator[tuple[str, bytes]]:
    """Files that would take minutes or gigabytes if nothing were bounded."""

    def change(name: str, **arrays: np.ndarray) -> Model:
        return copy.deepcopy(models[name][0]), models[name][1] | arrays

    def write(model: Model) -> bytes:
        return write_file(*model, lambda header: header)

    def with_patterns(patterns: list[tuple[str, str]]) -> bytes:
        model = change("everything")
        model[0]["analyzer"]["patterns"] = [{"type": "regex", "name": name, "regex": regex} for name, regex in patterns]
        return write(model)

    def with_terms(vocabulary: dict[str, np.ndarray]) -> Model:
        """A table with these terms, each once in one document."""
        n = max(int(array.max()) + 1 for name, array in vocabulary.items() if name.endswith(".terms"))
        ones = {name: np.ones(n, np.uint8) for name in ("sizes", "occurrences", "documents")}
        arrays = {f"table/{name}": array for name, array in (vocabulary | ones | {"labels": np.zeros(n, np.uint8)}).items()}
        content, own = change("multinomial additive 0.5")
        return content, {name: array for name, array in own.items() if not name.startswith("table/")} | arrays | {
            name: own[name]
            for name in (
                "table/unit",
                "table/label_documents",
                "table/length_labels",
                "table/lengths",
                "table/length_documents",
            )
        }

    yield "30,000 patterns", with_patterns([(f"p{i}", f"a{i}b+") for i in range(30_000)])
    yield "a regex of 6 MB", with_patterns([("p", "(a|b)" * 1_200_000)])
    yield "a wrong regex of 6 MB", with_patterns([("p", "(" * 6_000_000)])
    yield "1,000 regexes of 1,000 repeats", with_patterns([(f"p{i}", f"(a{{1,1000}}){i}") for i in range(1000)])
    yield "60 hard regexes", with_patterns([(f"p{i}", rf"(?i)(\pL{{1,30}}x?){{1,9}}{i}") for i in range(60)])
    yield "many word classes", with_patterns([(f"p{i}", rf"\pL+\PL+[^a]{{0,200}}{i}") for i in range(500)])
    model = change("numeric")
    for name in ("sums", "products"):
        model[0]["moments"][name]["units"] = ["f" * 500_000] * len(model[0]["moments"][name]["units"])
    yield "moments of a megabyte", write(model)
    model = change("numeric")
    model[0]["moments"]["n"]["units"] = ["1" + "0" * 3_000_000] * 2
    yield "documents of a megabyte", write(model)
    model = change("numeric")
    model[0]["moments"]["sums"]["shape"] = [2, 10**9]
    yield "moments of a wide shape", write(model)
    model = change("compact numeric")
    model[0]["numeric"] = [f"c{i}" for i in range(50_000)]
    yield "50,000 columns", write(model)
    model = change("numeric")
    model[0]["settings"]["numeric"] = [f"c{i}" for i in range(50_000)]
    yield "50,000 columns to learn", write(model)
    model = change("multinomial additive 0.5")
    model[0]["labels"] = {"type": "text", "values": [f"{i:06}" for i in range(200_000)]}
    yield "200,000 labels without counts", write(model)
    model = change("multinomial additive 0.5", **{"table/label_documents": np.full(30_000, 100, np.uint8)})
    model[0]["labels"] = {"type": "text", "values": [f"{i:06}" for i in range(30_000)]}
    yield "30,000 labels", write(model)
    model = change("everything")
    model[0]["analyzer"]["char_ngrams"] = [1, 2**31 - 1]
    yield "character n-grams of any length", write(model)
    model = change("everything")
    model[0]["analyzer"]["skip_grams"] = [[n, g] for n in range(2, 900) for g in range(1, 900)]
    yield "800,000 kinds of skip-grams", write(model)
    model = change("everything")
    model[0]["analyzer"]["word_ngrams"] = [1, 2**31 - 1]
    yield "word n-grams of any length", write(model)
    model = change("everything")
    model[0]["analyzer"]["lexicon"] = {"type": "lists", "lists": {f"l{i}": ["lovely"] for i in range(30_000)}}
    yield "30,000 lists with the same word", write(model)
    model = change("everything")
    model[0]["analyzer"]["lemmas"] = {"type": "lemmas", "name": None, "lemmas": {f"w{i}": "x" for i in range(100_000)}}
    yield "100,000 lemmas", write(model)
    model = change("domains")
    model[0]["settings"]["select"] *= 10_000
    yield "20,000 selectors", write(model)
    model = change("calibrated isotonic")
    steps = [list(range(100_000)), sorted(random.Random(0).random() for _ in range(100_000))]
    model[0]["calibrator"]["calibration"]["steps"] = [steps] * 3
    yield "300,000 isotonic steps", write(model)
    words, last = 1 + np.arange(20_000, dtype=np.uint32), np.zeros(20_000, np.uint32)
    first = np.concatenate([[0], (words[:-1] - 1) | np.uint32(1 << 31)]).astype(np.uint32)
    chain = freeze_vocabulary([(0, (b"a",))]) | {"ngrams.pairs": np.stack([first, last], axis=1), "ngrams.terms": words}
    seed = find_seed(chain["ngrams.pairs"].tobytes())
    keys = [(a << 32) | b for a, b in chain["ngrams.pairs"].tolist()]
    chain |= {"ngrams.seed": np.array(seed, np.uint64), "ngrams.slots": make_slots(keys, seed)}
    yield "n-grams of 20,000 words", write(with_terms(chain))
    full = freeze_vocabulary([(0, (b"%07d" % i,)) for i in range(20_000)])
    slots = np.stack(
        [np.arange(len(full["words.slots"]), dtype=np.uint32) % 20_000, np.zeros(len(full["words.slots"]), np.uint32)], axis=1
    )
    yield "a hash table without gaps", write(with_terms(full | {"words.slots": slots}))
    equal = freeze_vocabulary([(0, (b"a",))])
    equal |= {"words.bytes": np.full(50_000, 97, np.uint8), "words.ends": np.arange(50_001, dtype=np.uint64)}
    yield "50,000 equal words", write(with_terms(equal | {"words.terms": np.arange(50_000, dtype=np.uint32)}))
    model = change("binary", **{"table/sizes": np.full(1000, 4_000_000_000, np.uint32)})
    yield "terms with 4,000,000,000 cells", write(model)
    model = change("binary", **{"table/lengths": np.full(10, 4_000_000_000, np.uint32)})
    yield "documents with 4,000,000,000 terms", write(model)


# What is asked of a file that was loaded.


class Wrong(Exception):
    """A file did what none may do."""


def refuse_constant(name: str) -> None:
    raise Wrong(f"JSON with {name}")


def check_json(text: str) -> None:
    try:
        json.loads(text, parse_constant=refuse_constant)
    except ValueError as error:
        raise Wrong(f"no JSON: {text[:100]!r}: {error}") from error


def check_scores(name: str, scores: Any) -> None:
    """-inf is the score of an impossible label; a probability is from 0 to 1, and all of a row sum to 1."""
    scores = np.asarray(scores, np.float64)
    if np.isnan(scores).any() or np.isposinf(scores).any():
        raise Wrong(f"{name} has {scores[~np.isfinite(scores)][:3]}")
    if name == "predict_proba" and len(scores) and scores.shape[1] and np.abs(scores.sum(axis=1) - 1).max() > 1e-6:
        raise Wrong(f"{name} sums to {scores.sum(axis=1)[:3]}")


def ask(model: Any, folder: Path) -> None:
    """All operations on a loaded model; each may refuse with an error of tercet."""
    documents: Any = tercet.Documents(QUESTIONS, columns=ANSWERS)
    one = tercet.Documents(QUESTIONS[:1], columns={name: values[:1] for name, values in ANSWERS.items()})
    answers: dict[str, Callable[[], Any]] = {
        "predict": lambda: model.predict(documents).tolist(),
        "predict_proba": lambda: check_scores("predict_proba", model.predict_proba(documents)),
        "log_joint": lambda: check_scores("log_joint", model.log_joint(documents)),
        "log_likelihood": lambda: check_scores("log_likelihood", model.log_likelihood(documents)),
        "predict_sets": lambda: model.predict_sets(documents),
        "abstain": lambda: model.predict(documents, abstain_below=0.9),
        "explain": lambda: check_json(json.dumps(model.explain(one).to_dict(), default=str)),
        "explain as text": lambda: (str(model.explain(one)), model.explain(one).to_html()),
        "most_informative": lambda: [
            check_scores("most_informative", [value for _, value in terms if value != math.inf])
            for terms in model.most_informative(5).values()
        ],
        "describe": lambda: str(model.describe()),
        "repr": lambda: repr(model),
        "save": lambda: (model.save(folder / "again.tercet"), tercet.load(folder / "again.tercet")),
        "learn": lambda: learn_and_forget(model),
        "predict after learn": lambda: check_scores("predict_proba", model.predict_proba(documents)),
        "save after learn": lambda: model.save(folder / "again.tercet"),
    }
    for name, answer in answers.items():
        try:
            answer()
        except BadModelFile as error:
            raise Wrong(f"{name}: refused only after load: {error}") from error
        except TercetError:
            pass
        except Wrong as error:
            raise Wrong(f"{name}: {error}") from error
        except Exception as error:
            raise Wrong(f"{name}: {type(error).__name__}: {error}\n{traceback.format_exc(limit=-4)}") from error


def learn_and_forget(model: Any) -> None:
    label = model.classes_[:1]
    more = tercet.Documents(["a new park, a new film"], label, columns={"stars": [2.0], "place": ["a"]})
    model.learn(more)
    check_scores("predict_proba", model.predict_proba(tercet.Documents(QUESTIONS, columns=ANSWERS)))
    model.forget(more)


def ask_program(path: Path, folder: Path) -> None:
    """`inspect`, `predict` and `explain` of the command line: exit code 0 or 2, one line for an error, valid JSON."""
    questions = folder / "questions.jsonl"
    if not questions.exists():
        rows = [{"text": text, "stars": 1.0, "place": "a"} for text in QUESTIONS[:3]]
        questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for arguments in (["inspect", path, "--json"], ["inspect", path], ["predict", path, questions, "--json", "--top", "2"]):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([str(argument) for argument in arguments])
        if code not in (0, 2):
            raise Wrong(f"{arguments[0]}: exit code {code}: {err.getvalue()[-500:]}")
        if "--json" in arguments and code == 0:
            texts = [out.getvalue()] if arguments[0] == "inspect" else out.getvalue().splitlines()
            for text in texts:
                check_json(text)


def try_file(data: bytes, folder: Path) -> str:
    """ "refused" or "works"; an error where it does what no file may do."""
    path = folder / "crafted.tercet"
    path.write_bytes(data)
    try:
        model = tercet.load(path)
    except BadModelFile as error:
        message = str(error)
        if "\n" in message or len(message) > 2000:
            raise Wrong(f"a message of {len(message)} characters: {message[:200]!r}") from error
        return "refused"
    except Exception as error:
        raise Wrong(f"load: {type(error).__name__}: {error}\n{traceback.format_exc(limit=-4)}") from error
    ask(model, folder)
    ask_program(path, folder)
    return "works"


# Workers, and one that watches them.


def work(connection: Connection) -> None:
    """Try the files that arrive, one by one. What libraries write on standard error goes to a file, to be seen."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ["TERCET_THREADS"] = "1"
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        noise = os.open(folder / "noise", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(noise, 2)
        while (data := connection.recv()) is not None:
            size, begin = os.fstat(noise).st_size, time.process_time()
            try:
                with np.errstate(all="ignore"):
                    result = try_file(data, folder)
            except Wrong as error:
                result = str(error)
            if os.fstat(noise).st_size > size:
                written = (folder / "noise").read_bytes()[size:]
                result = f"{len(written)} bytes on standard error: {written[:300]!r}"
            connection.send((result, time.process_time() - begin))


class Worker:
    """A process that tries files; a new one takes its place when it dies or hangs."""

    def __init__(self) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.task: tuple[str, str] | None = None
        self.begin = 0.0

    def give(self, name: str, what: str, data: bytes) -> None:
        self.task, self.begin = (name, what), time.monotonic()
        self.connection.send(data)

    def end(self) -> None:
        self.process.kill()
        self.process.join()


def try_all(files: Iterator[tuple[str, str, bytes]], n_workers: int) -> Iterator[tuple[str, str, str, float]]:
    """Name, what was changed, result and seconds of each file."""
    workers = [Worker() for _ in range(n_workers)]
    for worker in workers:
        if file := next(files, None):
            worker.give(*file)
    while busy := [worker for worker in workers if worker.task is not None]:
        ready = wait([worker.connection for worker in busy], timeout=1.0)
        for worker in busy:
            assert worker.task is not None
            name, what = worker.task
            if worker.connection in ready:
                try:
                    result, seconds = worker.connection.recv()
                except EOFError:
                    worker.process.join()
                    result, seconds = f"the process died: exit code {worker.process.exitcode}", 0.0
                    workers.remove(worker)
            elif time.monotonic() - worker.begin > PATIENCE:
                result, seconds = f"no answer in {PATIENCE:.0f} s", PATIENCE
                worker.end()
                workers.remove(worker)
            else:
                continue
            if seconds > SECONDS and result in ("refused", "works"):
                result = f"{result}, after {seconds:.1f} s"
            yield name, what, result, seconds
            worker.task = None
            file = next(files, None)
            if file and worker not in workers:
                worker = Worker()
                workers.append(worker)
            if file:
                worker.give(*file)
    for worker in workers:
        worker.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help=f"{COUNTS['full']:,} files instead of {COUNTS['reduced']:,}")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", help="numbers of files to repeat, with commas; 'slow' for those that are made to be slow")
    parser.add_argument("--skip-slow", action="store_true")
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    parser.add_argument("--count", type=int, help="how many files")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    count = options.count or COUNTS["full" if options.full else "reduced"]
    with tempfile.TemporaryDirectory() as name:
        models = make_models(Path(name))

    def list_files() -> Iterator[tuple[str, str, bytes]]:
        if not options.skip_slow if options.only is None else options.only == "slow":
            yield from (("slow", *file) for file in list_slow(models))
        numbers = range(options.first, options.first + count)
        if options.only is not None:
            numbers = [int(number) for number in options.only.split(",") if number != "slow"]  # type: ignore[assignment]
        yield from ((f"file {number}", *make_mutant(models, number, options.seed)) for number in numbers)

    begin, results, slowest = time.monotonic(), Counter[str](), (0.0, "")
    for name, what, result, seconds in try_all(list_files(), options.workers):
        slowest = max(slowest, (seconds, f"{name}, {what[:100]}"))
        is_good = result in ("refused", "works")
        results[result if is_good else "failed"] += 1
        if not is_good:
            print(f"FAILED seed {options.seed}, {name}: {what}\n    {result}", flush=True)
        elif options.only is not None:
            print(f"{name}: {what}: {result}, {seconds:.2f} s")
    passed = results["refused"] + results["works"]
    print(f"crafted model files: seed {options.seed}, {results['refused']} refused at load, {results['works']} behave finitely")
    print(f"slowest: {slowest[0]:.2f} s ({slowest[1]}); all in {time.monotonic() - begin:.0f} s")
    print(f"{passed} passed, {results['failed']} failed")
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
