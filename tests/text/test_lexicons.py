"""Lexicons as values, and the files they come in."""

import json
import pickle
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from tercet import Analyzer, registry
from tercet.errors import InvalidFile, InvalidOption, MissingExtra
from tercet.text.lexicons import Lexicon, load_lexicon, read_lexicon, resolve_lexicon

lexicons = st.dictionaries(st.sampled_from(["joy", "fear", "a-b"]), st.lists(st.sampled_from("abcd")), max_size=3).map(Lexicon)


@given(lexicons, lexicons, lexicons)
def test_joining_is_a_union(a: Lexicon, b: Lexicon, c: Lexicon) -> None:
    assert a | b == b | a
    assert (a | b) | c == a | (b | c)
    assert a | a == a == a | Lexicon({})
    assert all(set((a | b).lists_of(word)) == {*a.lists_of(word), *b.lists_of(word)} for word in "abcd")


@given(lexicons)
def test_a_lexicon_is_a_value(a: Lexicon) -> None:
    for other in [Lexicon.from_dict(json.loads(json.dumps(a.to_dict()))), pickle.loads(pickle.dumps(a)), Lexicon(a.lists)]:
        assert other == a
        assert hash(other) == hash(a)
        assert repr(other) == repr(a)


def test_weights_go_by_sign_and_strength() -> None:
    weights = {"superb": 3, "fine": 0.5, "so": 0, "bad": -1.0, "awful": -3.0}
    assert Lexicon.from_weights(weights) == Lexicon({"positive": ["superb", "fine"], "negative": ["bad", "awful"]})
    strong = Lexicon.from_weights(weights, strong=3)
    assert strong.lists_of("superb") == ("strong_positive",)
    assert strong.lists_of("awful") == ("strong_negative",)
    assert strong.lists_of("bad") == ("weak_negative",)
    assert strong.lists_of("so") == ()


@pytest.mark.parametrize("bad", [{"a b": ["x"]}, {"": ["x"]}, {3: ["x"]}, {"a": "xy"}, {"a": [""]}, ["a"], None])
def test_what_is_no_lists_is_refused(bad: object) -> None:
    with pytest.raises(InvalidOption):
        Lexicon(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", ["1", None, float("nan"), True])
def test_weights_are_numbers(bad: float) -> None:
    with pytest.raises(InvalidOption, match="weight of 'x' must be a number"):
        Lexicon.from_weights({"x": bad})


@pytest.mark.parametrize("bad", [0, -1, float("inf"), "3"])
def test_strong_is_a_size(bad: float) -> None:
    with pytest.raises(InvalidOption, match="strong must be"):
        Lexicon.from_weights({"x": 1.0}, strong=bad)


FILES = {
    "positive-words.txt": (
        b"; Opinion lexicon\n;\n\ngood\nna\xefve\nfine \n",
        {"positive-words": ["good", "naïve", "fine"]},
    ),
    "my words.txt": ("# mine\ngut\nschön\n".encode(), {"my_words": ["gut", "schön"]}),
    "clues.tff": (
        b"type=strongsubj len=1 word1=abandoned pos1=adj stemmed1=n priorpolarity=negative\n"
        b"type=weaksubj len=1 word1=able pos1=adj stemmed1=n priorpolarity=positive\r\n"
        b"type=weaksubj len=1 word1=absolute pos1=adj stemmed1=n m priorpolarity=both\n"
        b"type=strongsubj len=1 word1=impassive pos1=adj stemmed1=n polarity=negative priorpolarity=weakneg\n",
        {"strong_negative": ["abandoned", "impassive"], "weak_positive": ["able"], "weak_both": ["absolute"]},
    ),
    "afinn.txt": (
        b"abandon\t-2\ncan't stand\t-3\nwow\t4\nsome\t0\n",
        {"negative": ["abandon", "can't stand"], "positive": ["wow"]},
    ),
    "vader.txt": (b"$:\t-1.5\t0.8\t[-1, -1]\n:)\t2.0\t1.1\t[1, 2]\n", {"negative": ["$:"], "positive": [":)"]}),
    "nrc.txt": (
        b"abandon\tfear\t1\nabandon\tjoy\t0\nabacus\ttrust\t1\nabandon\tnegative\t1\n",
        {"fear": ["abandon"], "trust": ["abacus"], "negative": ["abandon"]},
    ),
    "swn.txt": (
        b"# POS\tID\tPosScore\tNegScore\tSynsetTerms\tGloss\n"
        b"a\t00001740\t0.125\t0\table#1\thaving the means\n"
        b"a\t00002098\t0\t0.75\tunable#1 ill_at_ease#2\tnot having\n"
        b"n\t00002099\t0.5\t0\tmixed#2\tx\n"
        b"n\t00002100\t0\t0.75\tmixed#1\tx\n"
        b"n\t00002101\t0\t0\tplain#1\tx\n",
        {"positive": ["able"], "negative": ["unable", "ill at ease", "mixed"]},
    ),
    "inquirer.csv": (
        b'Entry,Source,Positiv,Negativ,Othtags,Defined\nABANDON,H4Lvd,,Negativ,SUPV,"x, y"\n'
        b"ABOUT#1,H4Lvd,Positiv,,,\nABOUT#2,H4,,Negativ,,\n",
        {"Negativ": ["abandon"], "Positiv": ["about"]},
    ),
    "liwc.dic": (
        b"%\n1\tfunct\n22\tpos emo\n  3\tverb  \n%\nhappi*\t22\nkind of\t1\t3\r\nglad\t\t22 3\n;)\t22\n",
        {"funct": ["kind of"], "pos_emo": ["happi*", "glad", ";)"], "verb": ["kind of", "glad"]},
    ),
    "with percent.txt": (b"full\n%\n", {"with_percent": ["full", "%"]}),
}


@pytest.mark.parametrize("name", FILES)
def test_each_form_is_known_by_its_content(name: str, tmp_path: Path) -> None:
    raw, lists = FILES[name]
    (tmp_path / name).write_bytes(raw)
    assert read_lexicon(tmp_path / name) == Lexicon(lists)


def test_a_liwc_dictionary_is_counted_by_category(tmp_path: Path) -> None:
    (tmp_path / "mine.dic").write_text("%\n1\tjoy\n2\tnegate\n%\nhappi*\t1\nnot\t2\nno one\t2\n")
    analyzer = Analyzer(word_ngrams=None, lexicon=tmp_path / "mine.dic", negation="en")
    assert analyzer.terms("Happiness! No one is not happily") == ["LEX:joy", "LEX:negate", "NOT_LEX:negate", "NOT_LEX:joy"]
    assert Analyzer.from_dict(analyzer.to_dict()) == analyzer
    assert analyzer.lexicon.lists_of("happily") == ("joy",)
    assert analyzer.lexicon.lists_of("happ") == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\tjoy\n%\nglad\t1\n", "line 2: '%' is one of 1 lines %; a LIWC dictionary begins with one"),
        ("%\n1\tjoy\nglad\t1\n", "line 1: '%' is one of 1 lines %; a LIWC dictionary begins with one"),
        ("%\n%\n%\n", "one of 3 lines %"),
        ("%\n1\tjoy\n%\nglad\t2\n", r"line 4: 'glad\\t2' has the category 2, which no line between the two lines % names"),
        ("%\n1\tjoy\n%\nglad\n", "line 4: 'glad' is not a word, a tab and numbers of categories"),
        ("%\n1\tjoy\n%\nlike\t(02 134)125/464\n", "is not a word, a tab and numbers of categories"),
        ("%\n1 joy\n%\nglad\t1\n", "line 2: '1 joy' is not a new number, a tab and the name of a category"),
        ("%\n1\tjoy\n1\tgrief\n%\nglad\t1\n", "line 3: .* is not a new number"),
        ("%\n1\tjoy\n%\n", "line 3: '%' is the last line; words must follow the categories"),
    ],
)
def test_a_damaged_liwc_dictionary_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "mine.dic").write_text(text)
    with pytest.raises(InvalidFile, match=f"^mine.dic, .*{why}"):
        read_lexicon(tmp_path / "mine.dic")


def test_weights_of_a_file_can_be_parted_by_strength(tmp_path: Path) -> None:
    (tmp_path / "afinn.txt").write_bytes(FILES["afinn.txt"][0])
    lists = {"weak_negative": ["abandon"], "strong_negative": ["can't stand"], "strong_positive": ["wow"]}
    assert read_lexicon(tmp_path / "afinn.txt", strong=3) == Lexicon(lists)
    assert load_lexicon("vader", strong=2).lists_of("superb") == ("strong_positive",)
    with pytest.raises(InvalidOption, match="strong must be"):
        read_lexicon(tmp_path / "afinn.txt", strong=0)


def test_a_folder_is_all_its_lists(tmp_path: Path) -> None:
    for name in ["positive-words.txt", "afinn.txt", "clues.tff"]:
        (tmp_path / name).write_bytes(FILES[name][0])
    (tmp_path / "README.TXT").write_text("not a list\tof words")
    (tmp_path / "notes.md").write_text("not a list\tof words")
    (tmp_path / "more.txt").mkdir()
    (tmp_path / "UP.TXT").write_text("up\n")
    joined = (
        Lexicon({"UP": ["up"]})
        | Lexicon(FILES["positive-words.txt"][1])
        | Lexicon(FILES["afinn.txt"][1])
        | Lexicon(FILES["clues.tff"][1])
    )
    assert read_lexicon(str(tmp_path)) == joined


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("good\t1\nbad\n", r"bad.txt, line 2: 'bad' is not a word, a tab and a weight"),
        ("good\nbad\t-1\n", r"line 1: 'good' is not a word, a tab and a weight"),
        ("# mine\ngood,3\nbad\n", r"line 3: 'bad' is not a word, a comma and a weight"),
        ("good;3\nbad,2\n", r"line 2: 'bad,2' is not a word, a semicolon and a weight"),
        ("good 3\nbad -2\nugly\n", r"line 3: 'ugly' is not a word, a blank and a weight"),
        ("good\x00\n", r"bad.txt, line 1: has a NUL"),
        ("good\tjoy\t1\n\nbad\tjoy\t2\n", r"line 3: .*0 or 1"),
        ("type=weaksubj word1=a priorpolarity=positive\ntype=odd word1=b priorpolarity=positive", "line 2: .*strongsubj"),
        ("good\nbad\tx\n", "line 2: .*has a tab"),
        ("", "is empty"),
        ("; only talk\n", "has no words"),
        ("so\t0\n", "has no words"),
    ],
)
def test_a_bad_file_says_the_line(raw: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(raw)
    with pytest.raises(InvalidFile, match=message):
        read_lexicon(path)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="there is no list to read"):
        read_lexicon(tmp_path)


def test_vader_is_there() -> None:
    vader = load_lexicon("vader")
    assert vader.lists_of("good") == vader.lists_of(":)") == ("positive",)
    assert vader.lists_of("horrible") == ("negative",)


def test_vader_has_the_signs_that_its_package_gives() -> None:
    theirs = SentimentIntensityAnalyzer().lexicon
    vader = load_lexicon("vader")
    assert set(vader.lists["positive"]) == {word for word, weight in theirs.items() if weight > 0}
    assert set(vader.lists["negative"]) == {word for word, weight in theirs.items() if weight < 0}


def test_other_names_are_refused() -> None:
    with pytest.raises(InvalidOption, match="lexicon must be one of vader"):
        load_lexicon("vade")


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vaderSentiment", None)
    with pytest.raises(MissingExtra, match=r"needs vaderSentiment, which is not installed: pip install 'tercet\[lexicons\]'"):
        load_lexicon("vader")


@pytest.mark.parametrize(
    "raw",
    [
        "word,score\ngood,3\nnot bad,1e-3\nbad,-2\nso,0\n",
        "# mine\ngood 3\nnot bad .5\nbad -2\n",
        "good;3\nnot bad;1,5\nbad;-2;adjective\n",
        "Term\tValence\tn\ngood\t3\t7\nnot bad\t1,5\t7\nbad\t-2e0\t7\n",
        '"word","weight"\n"good",3\n"not bad",1\n"bad",-2\n',
    ],
)
def test_weights_stand_behind_any_separator(raw: str, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(raw)
    assert read_lexicon(tmp_path / "mine.csv") == Lexicon({"positive": ["good", "not bad"], "negative": ["bad"]})


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("catch 22\ngood\nbad\nugly\n", ["catch 22", "good", "bad", "ugly"]),
        ("1,000\nsorry, mate\n", ["1,000", "sorry, mate"]),
        (";;;;\n; talk\n;\n#\n# talk\n;)\n#happy\n;3\n", [";)", "#happy", ";3"]),
    ],
)
def test_what_only_looks_like_weights_or_comments_are_words(raw: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(raw)
    assert read_lexicon(tmp_path / "mine.txt") == Lexicon({"mine": words})


def test_comments_may_stand_before_any_form(tmp_path: Path) -> None:
    for name in ("clues.tff", "afinn.txt", "nrc.txt", "inquirer.csv"):
        raw, lists = FILES[name]
        (tmp_path / name).write_bytes(b"# talk\n\n; talk, 1\n" + raw)
        assert read_lexicon(tmp_path / name) == Lexicon(lists)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_wide_letters_are_refused(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_bytes("good\nbad\n".encode(encoding))
    with pytest.raises(InvalidFile, match=r"wide.txt.*(is UTF-16|has a NUL)"):
        read_lexicon(tmp_path / "wide.txt")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"none\.txt' can't be read \(No such file"):
        read_lexicon(tmp_path / "none.txt")


def test_an_option_takes_lexicons_in_many_forms(tmp_path: Path) -> None:
    lexicon = Lexicon({"mine": ["good"]})
    (tmp_path / "mine.txt").write_text("good\n")
    for value in (lexicon, {"mine": ["good"]}, registry.write(lexicon), tmp_path / "mine.txt"):
        assert resolve_lexicon(value) == lexicon
    assert resolve_lexicon("vader") == load_lexicon("vader")
    assert resolve_lexicon({"lists": ["good"]}) == Lexicon({"lists": ["good"]})
    assert resolve_lexicon(None) is None


@pytest.mark.parametrize("bad", [{}, {"a": []}, Lexicon({}), {"type": "lists", "lists": {}}, "mine.txt", ["good"], 3])
def test_an_option_without_words_is_refused(bad: object) -> None:
    with pytest.raises(InvalidOption, match="lexicon must be None"):
        resolve_lexicon(bad)


def test_the_list_that_is_wrong_is_named() -> None:
    with pytest.raises(InvalidOption, match="the list 'joy' of a lexicon must be a list of words, got 'glad'"):
        Lexicon({"joy": "glad"})
