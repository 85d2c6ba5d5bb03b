"""Identifying languages: the builder and the identifier on invented texts. `test_real_languages.py` has the real sources."""

import json
import math
import pickle
import zipfile
from hashlib import sha256
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.language_models import COMMON_LABELS as COMMON
from helpers.language_models import LANGUAGES, build_tiny_models, invent_texts, make_sources, write_tiny_models
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.cache_folder import choose_folder
from tercet.errors import BadModelFile, InvalidOption, InvalidText, ModelNotBuilt, SourceNotFound
from tercet.languages import lingua_counts, sources
from tercet.languages.answers import LabelNames, Languages
from tercet.languages.building import build_models, make_runs
from tercet.languages.codes import ALIASES, GROUPS, LONG, SHORT, shorten_label
from tercet.languages.common_words import list_common_words
from tercet.languages.identifier import LanguageIdentifier, choose_folded, choose_labels
from tercet.languages.installing import name_model_file
from tercet.languages.model import LanguageModel
from tercet.languages.ngram_counts import (
    Alphabet,
    OrderCounts,
    add_counts,
    choose_alphabet,
    count_texts,
    mark_boundaries,
    split_words,
)
from tercet.languages.sources import Sources
from tercet.languages.text_sources import Texts, TextSource
from tercet.languages.transliteration import SPELLING, respell, simplify_counts
from tercet.languages.writers import MILLIONS
from tercet.languages.writing_systems import find_system

LATIN = Alphabet("LATIN", tuple(sorted(map(ord, "abcdefghijklmnopqrstuvwxyzčćđšž"))), 5)
CYRILLIC = Alphabet("CYRILLIC", tuple(sorted(map(ord, SPELLING))), 5)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return write_tiny_models(tmp_path_factory.mktemp("languages"))


@pytest.fixture
def cache(folder, monkeypatch):
    monkeypatch.setenv("TERCET_CACHE", str(folder))


def as_dict(counts):
    return {n: dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True)) for n, found in counts.items()}


# Counts


@given(st.lists(st.text("abcdef", min_size=1, max_size=7), min_size=1, max_size=8))
def test_boundaries_follow_from_counts_of_letters_alone(words):
    """Counts without boundaries, as lingua publishes them, give the counts with boundaries back, exactly."""
    counted = count_texts([" ".join(words)], LATIN)
    letters = {}
    for n in range(1, 6):
        grams = [word[i : i + n] for word in words for i in range(len(word) - n + 1)]
        rows = LATIN.encode(np.array([ord(c) for gram in grams for c in gram], np.uint32)).reshape(-1, n)
        keys = np.array([int("".join(f"{s:08b}" for s in row), 2) for row in rows.tolist()], np.uint64)
        letters[n] = OrderCounts.of(keys, np.ones(len(keys), np.int64))
    assert as_dict(mark_boundaries(letters, LATIN.n_bits)) == as_dict(counted)


@given(st.lists(st.text("".join(SPELLING), min_size=1, max_size=6), min_size=1, max_size=8))
def test_counts_of_cyrillic_serbian_become_those_of_the_latin_spelling(words):
    text = " ".join(words)
    latin = "".join(SPELLING.get(letter, letter) for letter in text)
    assert as_dict(respell(count_texts([text], CYRILLIC), CYRILLIC, LATIN)) == as_dict(count_texts([latin], LATIN))


def test_counts_of_parts_add_up():
    whole = count_texts(["ab abc", "cab"], LATIN)
    assert as_dict(add_counts([count_texts(["ab abc"], LATIN), count_texts(["cab"], LATIN)])) == as_dict(whole)


def test_simplified_characters_take_the_place_of_traditional_ones():
    alphabet = Alphabet("HAN", tuple(sorted(map(ord, "人这這国國"))), 1)
    number = {c: alphabet.encode(np.array([ord(c)], np.uint32)).item() for c in "人这這国國"}
    traditional = OrderCounts.of(np.array([number[c] for c in "人這國"], np.uint64), np.array([50, 30, 20]))
    texts = OrderCounts.of(np.array([number["这"]], np.uint64), np.array([3]))
    found = dict(zip(*map(np.ndarray.tolist, simplify_counts(traditional, texts, alphabet)), strict=True))
    assert found == {number["人"]: 50, number["这"]: 40, number["国"]: 10}


def test_the_alphabet_has_room_for_the_most_frequent_letters():
    alphabet = choose_alphabet("LATIN", [{97 + i: 1 / (i + 1) for i in range(400)}], 5)
    assert len(alphabet.letters) == 253
    assert alphabet.letters == tuple(range(97, 97 + 253))


def publish(path, texts_by_code):
    """A wheel like that of lingua, with the counts of these words."""
    import brotli

    with zipfile.ZipFile(path, "w") as wheel:
        for code, text in texts_by_code.items():
            words = text.split()
            for n, name in enumerate(lingua_counts.FILES, 1):
                grams = [word[i : i + n] for word in words for i in range(len(word) - n + 1)]
                begins = (
                    [gram[:-1] for gram in grams]
                    if n == 1
                    else [w[i : i + n - 1] for w in words for i in range(len(w) - n + 2)]
                )
                shares = {}
                for gram in sorted(set(grams)):
                    a, b = grams.count(gram), begins.count(gram[:-1])
                    shares.setdefault(f"{a // math.gcd(a, b)}/{b // math.gcd(a, b)}", []).append(gram)
                content = json.dumps({"language": code, "ngrams": {share: " ".join(found) for share, found in shares.items()}})
                wheel.writestr(f"lingua/language-models/{code}/{name}.json.br", brotli.compress(content.encode()))


def test_published_shares_become_counts_again(tmp_path):
    pytest.importorskip("brotli")
    text = "der die das der und die oder unter under wieder lieder"
    publish(tmp_path / "a.whl", {"de": text, "ru": "мир и мы"})
    published = lingua_counts.PublishedCounts(tmp_path / "a.whl")
    assert published.list_codes() == ["de", "ru"]
    assert as_dict(published.count("de", LATIN)) == as_dict(count_texts([text], LATIN))


def test_a_wheel_that_is_not_the_published_one_is_refused(tmp_path):
    (tmp_path / lingua_counts.WHEEL).write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(SourceNotFound, match="SHA-256"):
        lingua_counts.fetch_wheel(tmp_path)


def test_without_network_the_error_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(lingua_counts, "FETCH", ("-c", "import sys; sys.exit('no network')"))
    with pytest.raises(SourceNotFound, match="no network"):
        lingua_counts.fetch_wheel(tmp_path)
    assert not any(tmp_path.iterdir())


# Codes


def test_every_short_code_has_one_long_code():
    assert len(LONG) == len(SHORT) == 182
    assert all(len(short) == 2 and len(long) == 3 for short, long in LONG.items())
    assert not any(alias in ALIASES for alias in ALIASES.values())


def test_groups_have_labels_of_their_own():
    for group, (_, members) in GROUPS.items():
        assert len(members) > 1
        assert group not in members
        assert group not in COMMON


def test_a_group_has_the_code_of_its_language_if_that_is_one():
    for group, (_, members) in GROUPS.items():
        codes = {shorten_label(member) for member in members}
        assert (shorten_label(group) in codes) == (len(codes) == 1)


# Models


def test_two_builds_give_equal_bytes(tmp_path):
    digests = []
    for number in range(2):
        for name, model in build_models(make_sources()).items():
            model.save(tmp_path / f"{name}{number}")
            digests.append(sha256((tmp_path / f"{name}{number}").read_bytes()).hexdigest())
    assert digests[:3] == digests[3:]


def test_a_loaded_model_is_the_saved_one(folder):
    for name, model in build_tiny_models().items():
        loaded = LanguageModel.load(name_model_file(name, folder))
        assert (loaded.labels, loaded.names, loaded.sources) == (model.labels, model.names, model.sources)
        assert np.array_equal(loaded.letters, model.letters)
        for ours, theirs in zip(loaded.systems, model.systems, strict=True):
            assert ours[:4] == theirs[:4]
            assert all(np.array_equal(a, b) for a, b in zip(ours.rows, theirs.rows, strict=True))


def test_a_damaged_or_foreign_file_is_refused(folder, tmp_path):
    content = name_model_file("small", folder).read_bytes()
    path = name_model_file("small", tmp_path)
    generator = np.random.default_rng(0)
    for place in [9, 200, len(content) - 1, *generator.integers(0, len(content), 20).tolist()]:
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x40]) + content[place + 1 :])
        with pytest.raises(BadModelFile, match="tercet languages --build"):
            LanguageModel.load(path)
    for other in (b"", content[:-1], content[:100], pickle.dumps([]), b"{}"):
        path.write_bytes(other)
        with pytest.raises(BadModelFile, match="tercet languages --build"):
            LanguageIdentifier("small", folder=tmp_path)
    tercet.Categorizer().fit(["good", "bad"], ["x", "y"]).save(path)
    with pytest.raises(BadModelFile, match="no model of languages"):
        LanguageIdentifier("small", folder=tmp_path)


def test_crafted_files_with_a_right_checksum_are_refused(folder, tmp_path):
    model = build_tiny_models()["small"]
    system = model.systems[0]
    bad = [
        model._replace(labels=model.labels[:-1]),
        model._replace(labels=(model.labels[0], *model.labels[:-1])),
        model._replace(typical=model.typical[:-1]),
        model._replace(typical=model.typical + np.inf),
        model._replace(letters=model.letters[:, :3].copy()),
        model._replace(systems=(system._replace(n_bits=20), *model.systems[1:])),
        model._replace(systems=(system._replace(labels=system.labels + 1000), *model.systems[1:])),
        model._replace(systems=(system, system)),
        model._replace(systems=(system._replace(rows=system.rows._replace(costs=system.rows.costs[:-1])), *model.systems[1:])),
        model._replace(systems=(system._replace(rows=system.rows._replace(keys=system.rows.keys[::-1])), *model.systems[1:])),
    ]
    path = name_model_file("small", tmp_path)
    for crafted in bad:
        crafted.save(path)
        with pytest.raises(BadModelFile):
            LanguageModel.load(path)


def test_every_letter_is_in_one_run():
    runs = make_runs([LATIN, CYRILLIC]).tolist()
    assert all(first <= last for first, last, _, _ in runs)
    assert all(before[1] < after[0] for before, after in pairwise(runs))


def test_nothing_to_build_from_is_an_error():
    with pytest.raises(SourceNotFound):
        build_models(Sources([TextSource("none", "0", "none", [Texts("mlt_Latn", ["a"])])], None, {}))


# Answers


def test_each_language_is_found(folder):
    for name in ("full", "small", "wide"):
        identifier = LanguageIdentifier(name, folder=folder)
        for label in COMMON if name != "wide" else LANGUAGES:
            found = identifier.identify(invent_texts(label, 20))
            assert np.mean([answer == label for answer in found.labels]) > 0.85, (name, label)


def test_an_unknown_language_is_unknown(folder):
    identifier = LanguageIdentifier(folder=folder)
    for label in ("haw_Latn", "chv_Cyrl"):
        assert np.mean([code == "und" for code in identifier.identify(invent_texts(label, 20)).codes]) > 0.8
    sure = LanguageIdentifier(unknown=False, folder=folder)
    assert "und" not in sure.identify(invent_texts("haw_Latn", 20)).codes


@pytest.mark.parametrize(
    "text", ["", " \n", "12345", "1,5 % …", "😀😀", "https://example.com/a/b?c=d", "www.example.com", "me@example.org", "ᏣᎳᎩ"]
)
def test_a_text_without_words_is_unknown(folder, text):
    for unknown in (True, False):
        found = LanguageIdentifier(unknown=unknown, folder=folder).identify_one(text)
        assert (found.code, found.name, found.probability) == ("und", "unknown", 1.0)


def test_case_accents_addresses_and_numbers_change_nothing(folder):
    import unicodedata

    identifier = LanguageIdentifier(folder=folder)
    for label in ("mlt_Latn", "ltz_Latn", "kir_Cyrl"):
        for text in invent_texts(label, 5):
            found = identifier.identify_one(text)
            assert identifier.identify_one(text.upper()) == found
            assert identifier.identify_one(unicodedata.normalize("NFD", text)) == found
            assert identifier.identify_one(f"{text} 2024 https://example.com/Some/Words @somebody 😀") == found
            assert identifier.identify_one(f"a=b;[c]{{d}}_e@host.com {text}") == found


def test_programs_are_unknown(folder):
    identifier = LanguageIdentifier(folder=folder)
    for line in ["for (int i = 0; i < n; ++i) { sum += x[i]; }", "def f(self): return self.values[0]", "<a href='x'>y</a>"]:
        assert identifier.identify_one(line).code == "und"


def test_one_and_many_agree(folder):
    identifier = LanguageIdentifier(folder=folder)
    texts = [text for label in LANGUAGES for text in invent_texts(label, 4)] + ["", "12", "\ud800"]
    alone = [identifier.identify_one(text) for text in texts]
    assert list(identifier.identify(texts)) == alone
    found = identifier.identify(texts, top=3)
    assert [answer.code for answer in found] == [answer.code for answer in alone]
    # With one answer, languages that can't win any more are not looked at to the end.
    assert [answer.probability for answer in found] == pytest.approx([answer.probability for answer in alone], abs=1e-6)
    assert list(found) == [found[i] for i in range(len(texts))]
    assert [found.ranked(i)[0] for i in range(len(texts))] == list(found)
    for i in range(len(texts)):
        probabilities = [answer.probability for answer in found.ranked(i)]
        assert probabilities == sorted(probabilities, reverse=True)
        assert 0 < sum(probabilities) <= 1 + 1e-6


def test_any_container_gives_the_same_answers(cache):
    texts = [text for label in COMMON for text in invent_texts(label, 2)]
    expected = tercet.identify_languages(texts).codes
    for container in (tuple(texts), iter(texts), np.array(texts), pd.Series(texts), pl.Series(texts), pa.array(texts)):
        assert tercet.identify_languages(container).codes == expected
    frame = pd.DataFrame({"text": texts})
    frame["language"] = tercet.identify_languages(frame["text"]).codes
    assert frame["language"].tolist() == expected
    assert tercet.identify_languages(texts).to_frame().columns.tolist() == ["language", "name", "probability"]


def test_threads_and_no_texts(cache):
    texts = [text for label in COMMON for text in invent_texts(label, 300)]
    one, two = (tercet.identify_languages(texts, threads=threads) for threads in (1, 2))
    assert list(one) == list(two)
    assert len(tercet.identify_languages([])) == 0
    assert tercet.identify_languages([]).codes == []


def test_only_restricts_the_answers(cache):
    texts = [text for label in COMMON for text in invent_texts(label, 4)]
    assert set(tercet.identify_languages(texts, only=["mt", "uzb"], unknown=False).codes) <= {"mt", "uz", "und"}
    assert set(tercet.identify_languages(texts, only=["kir_Cyrl"]).codes) <= {"ky", "und"}
    with pytest.raises(InvalidOption, match=r"Did you mean 'mt'"):
        tercet.identify_languages(texts, only=["mtx"])
    with pytest.raises(InvalidOption, match=r"Did you mean 'lb'"):
        tercet.identify_languages(texts, only=["luxembourgish"])
    for wrong in ("mt,uz", [], [3]):
        with pytest.raises(InvalidOption):
            tercet.identify_languages(texts, only=wrong)


def test_a_group_stands_for_its_members():
    assert choose_labels(("hbs",), ("bos_Latn", "deu_Latn", "srp_Latn")).tolist() == [1, 0, 1]


def test_an_identifier_can_be_sent_to_another_process(folder):
    identifier = LanguageIdentifier("small", only=["mt", "lb"], folder=folder)
    copy = pickle.loads(pickle.dumps(identifier))
    text = invent_texts("mlt_Latn", 1)[0]
    assert copy.identify_one(text) == identifier.identify_one(text)
    assert copy.identify_one("так") == identifier.identify_one("так")


def test_only_the_beginning_of_a_huge_text_is_read(folder):
    identifier = LanguageIdentifier(folder=folder)
    maltese, cyrillic = " ".join(invent_texts("mlt_Latn", 3)), " ".join(invent_texts("kir_Cyrl", 20))
    huge = (maltese + " ") * (2**20 // len(maltese) + 1)
    assert identifier.identify([huge[: 2**20] + cyrillic * 20_000, pa.array([huge[: 2**20] + cyrillic])[0].as_py()]).codes == [
        "mt",
        "mt",
    ]
    assert identifier.identify(pa.array([huge[: 2**20] + cyrillic * 20_000])).codes == ["mt"]


def test_what_is_no_text_is_refused(folder):
    identifier = LanguageIdentifier(folder=folder)
    for wrong in (None, 3, b"abc", ["a"]):
        for ask in (identifier.identify_one, identifier.segment):
            with pytest.raises(InvalidText):
                ask(wrong)
    with pytest.raises(InvalidText):
        identifier.identify("one text")
    with pytest.raises(InvalidText):
        identifier.identify(["one", None])


def test_a_model_that_is_not_built_is_an_error_that_says_how(tmp_path):
    with pytest.raises(ModelNotBuilt, match="tercet languages --build"):
        LanguageIdentifier(folder=tmp_path)
    with pytest.raises(InvalidOption):
        LanguageIdentifier("large", folder=tmp_path)


def test_without_the_wide_model_the_others_work(folder, tmp_path):
    name_model_file("small", tmp_path).write_bytes(name_model_file("small", folder).read_bytes())
    identifier = LanguageIdentifier("small", folder=tmp_path)
    assert identifier.identify_one(invent_texts("mlt_Latn", 1)[0]).code == "mt"


def test_a_model_that_was_built_again_is_loaded_again(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path))
    text = invent_texts("mlt_Latn", 1)
    for name in ("small", "full"):
        name_model_file("full", tmp_path).unlink(missing_ok=True)
        name_model_file("full", tmp_path).write_bytes(name_model_file(name, folder).read_bytes())
        assert tercet.identify_languages(text).codes == ["mt"]


def test_the_cache_folder_follows_the_system(monkeypatch, tmp_path):
    monkeypatch.delenv("TERCET_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for platform, variable, end in (
        ("linux", "", ".cache/tercet"),
        ("linux", "rel/ative", ".cache/tercet"),
        ("darwin", "", "Library/Caches/tercet"),
    ):
        monkeypatch.setattr("sys.platform", platform)
        monkeypatch.setenv("XDG_CACHE_HOME", variable)
        assert choose_folder() == tmp_path / end
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    assert choose_folder() == tmp_path / "c" / "tercet"
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path / "own"))
    assert choose_folder() == tmp_path / "own"


# Short texts


def test_common_words_are_in_the_script_of_their_language():
    for label, words in list_common_words().items():
        system = {"Latn": "LATIN", "Cyrl": "CYRILLIC", "Arab": "ARABIC", "Deva": "DEVANAGARI", "Beng": "BENGALI"}.get(
            label[-4:], {"Hebr": "HEBREW", "Ethi": "ETHIOPIC"}.get(label[-4:])
        )
        wrong = [word for word in words if {find_system(c) for c in word} - {system, ""}]
        assert not wrong, (label, wrong)
        assert len(words) > 60


def test_every_common_language_has_a_number_of_writers_and_common_words():
    """Words only where a script is shared with another language."""
    scripts = [label[-4:] for label in sources.COMMON]
    assert not [label for label in sources.COMMON if label not in MILLIONS]
    shared = {label for label in sources.COMMON if scripts.count(label[-4:]) > 1 and label[:3] != "zho"}
    assert not shared - set(list_common_words())


def test_a_short_text_is_judged_by_the_number_of_writers(folder):
    """Five words and more are judged by their letters alone."""
    writers, uniform = (LanguageIdentifier(prior=prior, folder=folder, unknown=False) for prior in ("writers", "uniform"))
    texts = [text for label in COMMON for text in invent_texts(label, 30)]
    for n in (1, 2, 4):
        short = [" ".join(text.split()[:n]) for text in texts]
        labels = [[identifier.identify(short).labels.count(label) for label in ("uzb_Latn", "ltz_Latn")] for identifier in
                  (writers, uniform)]  # fmt: skip
        assert labels[0][0] >= labels[1][0]  # 20 million people
        assert labels[0][1] <= labels[1][1]  # 0.3 million
    long = [text for text in texts if len(split_words(text)) > 4]
    assert len(long) > 100
    assert list(writers.identify(long, top=3)) == list(uniform.identify(long, top=3))


def test_common_words_and_greetings_are_known(folder):
    """The tiny models have never seen these words."""
    identifier = LanguageIdentifier(folder=folder)
    for text, code in (("rahmat", "uz"), ("Moien", "lb"), ("gudde Mëtteg", "lb"), ("Salom!", "uz"), ("САЛОМ", "tg")):
        found = identifier.identify_one(text)
        assert found.code == code
        assert identifier.segment(text)[0].language == found
    assert LanguageIdentifier(folder=folder, only=["mt", "sr"]).identify_one("rahmat").code in ("mt", "sr", "und")


def test_an_unknown_prior_is_refused(folder, cache):
    with pytest.raises(InvalidOption, match="prior"):
        LanguageIdentifier(prior="speakers", folder=folder)
    with pytest.raises(InvalidOption, match="prior"):
        tercet.identify_languages(["a"], prior=["uniform"])
    assert tercet.identify_languages(["rahmat"], prior="uniform", unknown=False).codes != []


def test_a_language_is_ranked_once():
    """Chinese has two scripts in one writing system."""
    names = LabelNames.of(("jpn_Jpan", "zho_Hans", "zho_Hant", "zho_Hani"), ("Japanese", "Chinese", "Chinese", "Chinese"))
    found = Languages(names, np.array([[1, 2, 0], [3, 0, -2]]), np.array([[0.6, 0.3, 0.1], [0.9, 0.1, 0]]), top=2)
    assert [language.label for language in found.ranked(0)] == ["zho_Hans", "jpn_Jpan"]
    assert [language.label for language in found.ranked(0, scripts=True)] == ["zho_Hans", "zho_Hant"]
    assert [language.code for language in found[:1].ranked(0)] == ["zh", "ja"]
    assert [language.code for language in found.ranked(1)] == ["zh", "ja"]


def test_strict_divides_groups_of_languages_only():
    assert choose_folded(strict=False).tolist() == [1, 1, 1]
    assert choose_folded(strict=True).tolist() == [0, 0, 1]


# Segments


def test_a_mixed_text_is_split_where_the_language_changes(folder):
    identifier = LanguageIdentifier(folder=folder)
    labels = ["mlt_Latn", "kir_Cyrl", "ltz_Latn", "zho_Hans", "uzb_Latn"]
    parts = [" ".join(invent_texts(label, 3)) for label in labels]
    text = "1) " + " / ".join(parts)
    found = identifier.segment(text)
    assert [segment.language.label for segment in found] == labels
    assert [text[segment.start : segment.end] for segment in found] == [part.removesuffix(".") for part in parts]


@given(
    st.lists(
        st.sampled_from([text for label in LANGUAGES for text in invent_texts(label, 2)]) | st.text(max_size=10), max_size=6
    )
)
def test_segments_are_in_order_and_have_letters_at_both_ends(folder_of_models, pieces):
    text = " ".join(pieces)
    found = folder_of_models.segment(text)
    assert all(segment.start < segment.end <= len(text) for segment in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert not any(text[segment.start].isspace() or text[segment.end - 1].isspace() for segment in found)


@pytest.fixture(scope="session")
def folder_of_models(folder):
    return LanguageIdentifier(folder=folder)


def test_a_text_in_one_language_is_one_segment(folder):
    text = invent_texts("ltz_Latn", 1)[0]
    (segment,) = LanguageIdentifier(folder=folder).segment(text)
    assert (segment.start, segment.end, segment.language.code) == (0, len(text) - 1, "lb")
    assert segment.to_dict()["label"] == "ltz_Latn"
    assert LanguageIdentifier(folder=folder).segment("12 …") == []
