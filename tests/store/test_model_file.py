"""Law 9: what is loaded is what was saved; a damaged or foreign file is refused in one line; loading runs no code."""

import io
import os
import pickle
import random
import signal
import stat
import time
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors.numpy import load_file, save_file

import tercet
from tercet.errors import BadModelFile, CannotWrite, NeverLearned, OutOfDate
from tercet.models.smoothing import Dirichlet
from tercet.store.model_file import DTYPES, read_model, write_model

TEXTS = ["what a lovely film", "lovely, lovely", "a dull film", "so dull and so very long", "not dull", "a walk in the park"]
LABELS = ["+", "+", "-", "-", "+", "-"]

named_arrays = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda name: name != "__metadata__"),
    st.sampled_from(sorted(DTYPES.values())).flatmap(
        lambda dtype: arrays(dtype, array_shapes(min_dims=1, max_dims=2, min_side=0))
    ),
    max_size=4,
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.tercet"
    tercet.Categorizer().fit(TEXTS, LABELS).save(path)
    return path


@given(content=st.dictionaries(st.text(), values, max_size=3), named=named_arrays)
@settings(max_examples=50)
def test_any_content_and_arrays_are_read_back(tmp_path_factory: Any, content: dict[str, Any], named: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    write_model(path, content, named)
    for verify in (True, False):
        file = read_model(path, verify=verify)
        assert file.content == content
        assert {name: (array.dtype, array.shape, array.tobytes()) for name, array in file.arrays.items()} == {
            name: (array.dtype, array.shape, array.tobytes()) for name, array in named.items()
        }
    theirs = load_file(path)
    assert theirs.keys() == named.keys()
    assert all(theirs[name].tobytes() == array.tobytes() and theirs[name].shape == array.shape for name, array in named.items())


def make_categorizers() -> dict[str, Any]:
    numbers = {"stars": [5.0, 4.0, 1.0, 2.0, 3.0, 1e300], "place": ["a", "b", "a", "b", "a", "b"]}
    documents = tercet.Documents(TEXTS, LABELS, columns=numbers)
    everything = tercet.Analyzer(word_ngrams=(1, 3), char_ngrams=(2, 3), skip_grams=[(2, 1)], negation="en")
    by_domain = tercet.MostInformative(5, by="ld", domain="place")
    named = {0: 0.25, 1: 0.75}
    return {
        "default": tercet.Categorizer().fit(TEXTS, LABELS),
        "everything": tercet.Categorizer(everything, tercet.NaiveBayes(smoothing=0.1)).fit(TEXTS, LABELS),
        "auto": tercet.Categorizer(model=tercet.NaiveBayes(smoothing="auto")).fit(TEXTS, LABELS),
        "table": tercet.Categorizer(model=tercet.NaiveBayes(smoothing="table")).fit(TEXTS, LABELS),
        "bernoulli": tercet.Categorizer(model=tercet.NaiveBayes("bernoulli")).fit(TEXTS, LABELS),
        "weights": tercet.Categorizer().fit(TEXTS, LABELS, sample_weight=[1, 0.3, 2, 1, 1, 0]),
        "numeric": tercet.Categorizer(numeric=["stars", "n_words"]).fit(documents),
        "domains": tercet.Categorizer(select=[tercet.WithoutMostFrequent(1, keep=("not",)), by_domain]).fit(documents),
        "integers": tercet.Categorizer(model=tercet.NaiveBayes(prior=named)).fit(TEXTS, [0, 1, 0, 1, 0, 1]),
        "prior": tercet.Categorizer(model=tercet.NaiveBayes(prior=[0.9, 0.1])).fit(TEXTS, LABELS),
        "booleans": tercet.Categorizer().fit(TEXTS, [True, False] * 3),
        "nul": tercet.Categorizer().fit(TEXTS, ["a\0", "b"] * 3),
        "surrogate": tercet.Categorizer().fit(["\ud800 x", "y"], ["\ud800", "b"]),
        "restricted": tercet.Categorizer().fit(TEXTS, ["a", "b", "c"] * 2).restrict(["a", "c"]),
        "min": tercet.Categorizer(min_documents=2, max_terms=4).fit(TEXTS, LABELS),
        "forgetful": tercet.Categorizer(remember=False).fit(TEXTS, LABELS),
        "preset": tercet.Categorizer.preset("languages").fit(TEXTS, LABELS),
        "NumPy": tercet.Categorizer(
            model=tercet.NaiveBayes(smoothing=Dirichlet(np.float32(0.5))),  # type: ignore[arg-type]
            min_documents=np.int64(1),  # type: ignore[arg-type]
            select=tercet.MostInformative(np.int64(4)),  # type: ignore[arg-type]
        ).fit(TEXTS, LABELS),
        "forgotten": tercet.Categorizer().fit(TEXTS, LABELS).forget(TEXTS[:1], LABELS[:1]),
    }


CATEGORIZERS = make_categorizers()
QUESTIONS = ["a lovely park", "dull", "", "not in words", "xyz"]


def ask(categorizer: Any, name: str) -> Any:
    texts: Any = QUESTIONS
    if name == "numeric":
        texts = tercet.Documents(QUESTIONS, columns={"stars": [1.0, 2.0, 3.0, 4.0, 5.0]})
    return categorizer.log_joint(texts).tolist(), categorizer.predict(texts).tolist(), categorizer.classes_.tolist()


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("name", CATEGORIZERS)
def test_a_loaded_categorizer_is_the_one_that_was_saved(tmp_path: Path, name: str, verify: bool) -> None:
    saved = CATEGORIZERS[name]
    saved.save(tmp_path / "a.tercet")
    loaded = tercet.load(tmp_path / "a.tercet", verify=verify)
    assert isinstance(loaded, tercet.Categorizer)
    assert ask(loaded, name) == ask(saved, name)
    assert loaded.classes_.dtype == saved.classes_.dtype
    assert loaded.table_ == saved.table_
    assert (loaded.smoothing_, loaded.fitted_.settings.is_like(saved.fitted_.settings)) == (saved.smoothing_, True)
    loaded.save(tmp_path / "b.tercet")
    assert (tmp_path / "a.tercet").read_bytes() == (tmp_path / "b.tercet").read_bytes()


@pytest.mark.parametrize("name", CATEGORIZERS)
def test_a_loaded_categorizer_learns_and_forgets_on(tmp_path: Path, name: str) -> None:
    saved = CATEGORIZERS[name]
    saved.save(tmp_path / "a.tercet")
    loaded: Any = tercet.load(tmp_path / "a.tercet")
    label = saved.classes_.tolist()[:1]
    columns = {"stars": [2.0], "place": ["a"]}
    more = tercet.Documents(["a new park, a new film"], label, columns=columns)
    before = loaded.table_.fingerprint()
    assert loaded.learn(more).table_.fingerprint() != before
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutOfDate)  # the smoothing that was chosen for the documents before
        assert ask(loaded, name) == ask(pickle.loads(pickle.dumps(saved)).learn(more), name)
    assert loaded.forget(more).table_.fingerprint() == before
    assert ask(loaded, name) == ask(saved, name)


@pytest.mark.parametrize("name", CATEGORIZERS)
def test_a_compact_categorizer_survives(tmp_path: Path, name: str) -> None:
    compact = CATEGORIZERS[name].compact()
    compact.save(tmp_path / "a.tercet")
    loaded = tercet.load(tmp_path / "a.tercet")
    assert ask(loaded, name) == ask(compact, name)
    assert repr(loaded) == repr(compact)
    loaded.save(tmp_path / "b.tercet")
    assert (tmp_path / "a.tercet").read_bytes() == (tmp_path / "b.tercet").read_bytes()


def test_without_fingerprints_only_the_counts_are_kept(tmp_path: Path) -> None:
    CATEGORIZERS["default"].save(tmp_path / "a.tercet", fingerprints=False)
    loaded: Any = tercet.load(tmp_path / "a.tercet")
    assert "fingerprints" not in read_model(tmp_path / "a.tercet").arrays
    with pytest.raises(NeverLearned, match="below zero"):
        loaded.forget(["never seen"], ["+"])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_order_and_number_of_threads_give_the_same_bytes(tmp_path: Path, threads: int) -> None:
    rng = random.Random(threads)
    texts = [" ".join(rng.choices(["hen", "fox", "owl", "sat", "ran"], k=5)) for _ in range(40)] * 50
    labelled = [(text, str(len(text) % 3)) for text in texts]
    files = []
    for name in "ab":
        rng.shuffle(labelled)
        model = tercet.NaiveBayes(smoothing="auto")
        categorizer = tercet.Categorizer(tercet.Analyzer(word_ngrams=(1, 3)), model, threads=threads if name == "a" else 1)
        categorizer.fit(*zip(*labelled, strict=True)).save(tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]


def test_any_flipped_bit_is_detected(model: Path, tmp_path: Path) -> None:
    good = model.read_bytes()
    rng = random.Random(0)
    places = [(i, bit) for i in range(300) for bit in (0, 5, 7)] + [
        (rng.randrange(len(good)), rng.randrange(8)) for _ in range(1000)
    ]
    for place, bit in places:
        bad = bytearray(good)
        bad[place] ^= 1 << bit
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(BadModelFile):
            tercet.load(tmp_path / "bad")


def test_random_damage_does_no_harm_though_nobody_verifies(model: Path, tmp_path: Path) -> None:
    good = model.read_bytes()
    n_header = int.from_bytes(good[:8], "little")
    rng = random.Random(1)
    n_loaded = 0
    for _ in range(1000):
        bad = bytearray(good)
        for _ in range(rng.randrange(1, 8)):
            bad[rng.randrange(0 if rng.random() < 0.02 else n_header, len(good))] = rng.choice(
                [0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)]
            )
        (tmp_path / "bad").write_bytes(bad)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                categorizer: Any = tercet.load(tmp_path / "bad", verify=False)
                n_loaded += 1
                categorizer.predict(TEXTS)
                categorizer.explain("a lovely film")
                categorizer.learn(["a new park"], ["+"])
            except (ValueError, OverflowError, MemoryError):
                pass  # refused
    assert n_loaded > 400, "most damage is not in the header"


def set_type(kind: str) -> Any:
    return lambda content, arrays: content["labels"].update(type=kind)


def set_labels(*values: Any) -> Any:
    return lambda content, arrays: content["labels"].update(values=list(values))


def flatten(name: str) -> Any:
    return lambda content, arrays: arrays.update({name: arrays[name].reshape(1, -1)})


HOSTILE = [
    set_type("<U1000000000"),
    set_type("O"),
    set_labels("-", "+"),
    set_labels("+", "+"),
    set_labels("+"),
    set_labels("+", "-", "x"),
    set_labels(["+"], ["-"]),
    lambda content, arrays: content["trained"].update(smoothing="auto"),
    lambda content, arrays: content["trained"].update(smoothing=3),
    lambda content, arrays: content.update(trained={"damping": "binary"}),
    lambda content, arrays: content.update(kind=[]),
    lambda content, arrays: arrays.update(fingerprints=np.zeros((3, 7), np.uint8)),
    flatten("table/unit"),
    flatten("table/labels"),
    flatten("table/lengths"),
]


@pytest.mark.parametrize("change", HOSTILE)
def test_a_hostile_file_with_a_good_checksum_is_refused(model: Path, tmp_path: Path, change: Any) -> None:
    good = read_model(model)
    content, arrays = good.content, dict(good.arrays)
    change(content, arrays)
    write_model(tmp_path / "bad", content, arrays)
    with pytest.raises(BadModelFile):
        tercet.load(tmp_path / "bad").predict(TEXTS)


def grow_header(data: bytes, old: bytes, new: bytes) -> bytes:
    n = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + n].rstrip().replace(old, new, 1)
    header += b" " * (-(len(header) + 8) % 64)
    return len(header).to_bytes(8, "little") + header + data[8 + n :]


def test_a_header_with_numbers_that_no_array_has_is_refused(model: Path, tmp_path: Path) -> None:
    good = model.read_bytes()
    for place in (b'"shape":[1e999]', b'"shape":[9999999999999999999]'):
        (tmp_path / "bad").write_bytes(grow_header(good, b'"shape":[1]', place))
        with pytest.raises(BadModelFile):
            tercet.load(tmp_path / "bad", verify=False)


def test_a_vocabulary_that_can_not_be_copied_stays_as_it_was(tmp_path: Path) -> None:
    tercet.Categorizer().fit(["dull film", "a film"], ["-", "+"]).save(tmp_path / "good")
    content, arrays, *_ = read_model(tmp_path / "good")
    twice = np.frombuffer(arrays["table/words.bytes"].tobytes().replace(b"dull", b"film"), np.uint8)
    write_model(tmp_path / "bad", content, arrays | {"table/words.bytes": twice})
    with pytest.raises(BadModelFile, match="the vocabulary is damaged"):
        tercet.load(tmp_path / "bad")
    categorizer: Any = tercet.load(tmp_path / "bad", verify=False)
    for _ in range(2):
        with pytest.raises(ValueError, match="the vocabulary is damaged"):
            categorizer.learn(["new words"], ["+"])
        assert categorizer.predict(["new words"]).tolist() == ["+"]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def zip_file(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("model", data)
    return buffer.getvalue()


def foreign_tensors(_: bytes) -> bytes:
    from safetensors.numpy import save

    return bytes(save({"weights": np.zeros(100, np.float32)}, {"format": "pt"}))


REFUSED: list[tuple[Any, str]] = [
    (lambda data: b"", "is empty: it is not a model"),
    (cut, "is damaged"),
    (lambda data: data[:300], "is damaged: its end is missing"),
    (lambda data: data[:20], "is no model of tercet"),
    (lambda data: data + b"\0", "is damaged: its checksum is wrong"),
    (lambda data: pickle.dumps({"model": 1}), "is no model of tercet, but a pickle"),
    (zip_file, "is no model of tercet, but a zip archive"),
    (lambda data: b"text,label\nwhat a film,pos\n" * 20, "is no model of tercet: nothing was read"),
    (foreign_tensors, "is no model of tercet, but a safetensors file of another program"),
    (
        lambda data: data.replace(b'"format":"tercet 4"', b'"format":"tercet 6"'),
        "has format 6, and this tercet knows formats up to 5",
    ),
    (lambda data: data.replace(b'"format":"tercet 4"', b'"format":"tercet 1"'), "which was never released"),
    (lambda data: data.replace(b'"format":"tercet 4"', b'"format":"sonnet 2"'), "of another program"),
    (lambda data: data.replace(b"categorizer", b"categorisers"), "is damaged"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_what_is_no_model_is_refused_in_one_line(model: Path, tmp_path: Path, change: Any, message: str) -> None:
    (tmp_path / "bad").write_bytes(change(model.read_bytes()))
    for verify in (True, False) if "checksum" not in message else (True,):
        with pytest.raises(BadModelFile, match=message) as caught:
            tercet.load(tmp_path / "bad", verify=verify)
        assert "\n" not in str(caught.value)
        assert str(tmp_path / "bad") in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadModelFile, match=r"does not exist: check the name and the folder"):
        tercet.load(tmp_path / "missing")
    with pytest.raises(BadModelFile, match="is a folder"):
        tercet.load(tmp_path)
    with pytest.raises(CannotWrite, match="is a folder"):
        CATEGORIZERS["default"].save(tmp_path)
    with pytest.raises(CannotWrite, match=r"can't be written: No such file"):
        CATEGORIZERS["default"].save(tmp_path / "missing" / "model")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CannotWrite, match="not a regular file"):
        CATEGORIZERS["default"].save(tmp_path / "pipe")
    with pytest.raises(BadModelFile, match="not a regular file"):
        tercet.load(tmp_path / "pipe")


def test_a_full_disk_leaves_what_was_there(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "model.tercet"
    place.write_bytes(b"what was there")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(CannotWrite, match=r"No space left on device\. What was there before is still there"):
        CATEGORIZERS["default"].save(place)
    assert place.read_bytes() == b"what was there"
    assert os.listdir(tmp_path) == ["model.tercet"]


def test_a_saved_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    place, link = tmp_path / "model", tmp_path / "link"
    place.touch(mode=0o640)
    link.symlink_to(place)
    CATEGORIZERS["default"].save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert ask(tercet.load(place), "") == ask(CATEGORIZERS["default"], "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    place = tmp_path / "model.tercet"
    contents = [({"which": which}, {"numbers": np.full(300_000, which, np.uint8)}) for which in (0, 1)]
    good = []
    for content in contents:
        write_model(place, *content)
        good.append(place.read_bytes())
    rng = random.Random(0)
    for _ in range(40):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads that a fork may leave behind
            child = os.fork()
        if child == 0:
            while True:
                for content in contents:
                    write_model(place, *content)
        time.sleep(rng.random() * 0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert place.read_bytes() in good


def test_files_of_the_library_are_told_apart(tmp_path: Path) -> None:
    save_file({"a": np.zeros(3, np.float32)}, tmp_path / "a")
    with pytest.raises(BadModelFile, match="another program"):
        tercet.load(tmp_path / "a")
