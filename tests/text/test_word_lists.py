"""Word lists: values that are equal where their words are, and files that say where they are wrong."""

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidFile, InvalidOption
from tercet.text.word_lists import WordList, read_word_list

words = st.lists(st.text(min_size=1).map(str.strip).filter(bool))


@given(words, st.randoms())
def test_order_and_repetition_do_not_matter(some: list[str], random: object) -> None:
    shuffled = some + some[::2]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert WordList(some) == WordList(shuffled, name="other")
    assert hash(WordList(some)) == hash(WordList(shuffled))
    assert list(WordList(some)) == sorted(set(some))


@given(words)
def test_json_pickle_and_copy_keep_a_list(some: list[str]) -> None:
    kept = WordList(some, name="mine")
    assert kept in {kept}
    for other in [
        WordList.from_dict(json.loads(json.dumps(kept.to_dict()))),
        pickle.loads(pickle.dumps(kept)),
        copy.deepcopy(kept),
    ]:
        assert other == kept
        assert hash(other) == hash(kept)
        assert other.name == "mine"


def test_a_pickled_list_is_found_in_another_process() -> None:
    raw = WordList(["a", "b"])
    assert raw in {raw}  # so that the hash is there
    code = (
        "import pickle, sys; from tercet.text.word_lists import WordList\n"
        f"print(pickle.loads({pickle.dumps(raw)!r}) in {{WordList(['a', 'b'])}})"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert out.split() == ["True"]


def test_repr_is_short() -> None:
    assert repr(WordList(map(str, range(1298)), name="en")) == "WordList('en', 1298 words)"
    assert repr(WordList(["a"])) == "WordList(1 word)"


def test_a_list_can_not_be_changed() -> None:
    with pytest.raises(AttributeError, match="can't be changed"):
        WordList(["a"]).name = "b"
    with pytest.raises(AttributeError, match="can't be changed"):
        del WordList(["a"]).name


def test_a_list_is_no_tuple() -> None:
    assert WordList(["a"]) != ("a",)


@pytest.mark.parametrize("bad", ["the", b"the", 3, None, [3], [""], [" a"], ["a\n"]])
def test_what_can_not_be_words_is_refused(bad: object) -> None:
    with pytest.raises(InvalidOption, match="words"):
        WordList(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{}, {"words": ["a"], "nme": "x"}, ["a"]])
def test_what_to_dict_never_wrote_is_refused(bad: object) -> None:
    with pytest.raises(InvalidOption, match="to_dict"):
        WordList.from_dict(bad)  # type: ignore[arg-type]


def test_a_file_has_a_word_a_line_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes("\ufeff# of my own\r\nthe\r\n\r\n  qu'\u2028il \nthe\n".encode())
    assert read_word_list(path) == WordList(["the", "qu'\u2028il"])
    assert read_word_list(str(path)).name == "mine"


def test_a_bad_file_says_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"the\nna\xefve\n")
    with pytest.raises(InvalidFile, match=r"bad.txt, line 2: byte 0xef is not UTF-8"):
        read_word_list(path)
    path.write_text("the\n\na\t1\n")
    with pytest.raises(InvalidFile, match="line 3"):
        read_word_list(path)
    path.write_text("# nothing\n")
    with pytest.raises(InvalidFile, match="no words"):
        read_word_list(path)


def test_comments_may_stand_behind_a_word(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("| of Snowball\n |\nan | x\nthe # article\nof\t| y\nC#\n#hash\na|b\n|:\n")
    assert read_word_list(path) == WordList(["an", "the", "of", "C#", "a|b", "|:"])
