"""What happens to tokens: negation, stop words, forms, lexicons, header fields, parts of speech."""

import string
import threading
from typing import Any

import numpy as np
import pytest

from tercet import Analyzer, Categorizer, TermCounter
from tercet.counts.table import CountTable
from tercet.errors import InvalidMatrix, InvalidOption
from tercet.text.lexicons import load_lexicon
from tercet.text.recipe import make_recipe


def terms(text: str, **options: Any) -> list[str]:
    return Analyzer(**options).terms(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not good, bad", "not NOT_good bad"),
        ("not (so) good", "not so good"),
        ("I didn't like it. So", "i didn t NOT_like NOT_it so"),
        ("I DIDN’T like it", "i didn t NOT_like NOT_it"),
        ("not well-made", "not NOT_well NOT_made"),
        ("not good - bad", "not NOT_good bad"),
        ("not good/bad", "not NOT_good bad"),
        ("not John's film", "not NOT_john NOT_s NOT_film"),
        ("not the boys' film", "not NOT_the NOT_boys film"),
        ("not 👍 here", "not NOT_here"),
        ("never, no", "never no"),
        ("not\ngood\n\nbad", "not NOT_good bad"),
        ("not “good” here", "not good here"),
        ("no no good", "no NOT_no NOT_good"),
        ("not", "not"),
        ("не not 你好", "не not NOT_你 NOT_你好 NOT_好"),
    ],
)
def test_negation_reaches_to_the_end_of_the_clause(text: str, expected: str) -> None:
    assert terms(text, negation="en") == expected.split()


@pytest.mark.parametrize("mark", [*string.punctuation, *"…–—―“”„«»¿¡·•‹›§¶†。、，؟।"])
@pytest.mark.parametrize("kind", ["words", "words_and_marks", "treebank", "whitespace", "regex_words", "tweet_words"])
def test_every_punctuation_mark_ends_a_negation(kind: Any, mark: str) -> None:
    found = terms(f"not good {mark} bad", negation="en", tokens=kind)
    assert found[:2] == ["not", "NOT_good"]
    assert found[-1] == "bad"
    assert all("NOT_" not in term for term in found[2:])


@pytest.mark.parametrize("mark", ["-", "/", "&", "|"])
def test_a_mark_that_is_a_token_of_its_own_ends_a_negation_inside_a_word_too(mark: str) -> None:
    assert terms(f"not well{mark}made", tokens="words_and_marks", negation="en") == ["not", "NOT_well", mark, "made"]


def test_a_symbol_that_means_something_is_negated() -> None:
    assert terms("not 👍 here", tokens="words_and_marks", negation="en") == ["not", "NOT_👍", "NOT_here"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("es", "no me gusta, pero sí", "no NOT_me NOT_gusta pero sí"),
        ("it", "non è bello; è brutto", "non NOT_è NOT_bello è brutto"),
        ("de", "kein guter Film. Gut", "kein NOT_guter NOT_film gut"),
        ("fr", "sans intérêt !", "sans NOT_intérêt"),
        ("pt", "não gostei: ruim", "não NOT_gostei ruim"),
    ],
)
def test_each_language_has_its_own_words(language: str, text: str, expected: str) -> None:
    assert terms(text, negation=language) == expected.split()


def test_stop_words_are_removed_before_or_after_forms() -> None:
    lemmas = {"is": "be", "hens": "hen"}
    text, words = "The hens be, the hen is", ["be", "hens"]
    assert terms(text, stop_words=words, lemmas=lemmas) == ["the", "the", "hen", "be"]
    assert terms(text, stop_words=words, lemmas=lemmas, stop_words_match="forms") == ["the", "hen", "the", "hen"]
    assert terms("to run", stop_words=["run"], stems="porter", stop_words_match="forms") == ["to"]
    assert terms("running", stop_words=["run"], stems="porter") == ["run"]
    assert terms("running", stop_words=["run"], stems="porter", stop_words_match="forms") == []
    assert terms("the hen", stop_words=["the"], stop_words_match="forms") == ["hen"]  # without lemmas a word is its own form
    with pytest.raises(InvalidOption, match="stop_words_match must be one of tokens, forms, got 'lemmas'"):
        terms("the", stop_words_match="lemmas")


@pytest.mark.parametrize("kind", ["words", "words_and_marks", "regex_words", "tweet_words", "treebank", "whitespace"])
def test_negation_works_with_every_kind_of_token(kind: Any) -> None:
    found = terms("She didn't like this movie, but I", negation="en", tokens=kind)
    assert [term for term in found if term.startswith("NOT_")][:2] == ["NOT_like", "NOT_this"]
    assert "but" in found
    assert "i" in found


def test_an_own_list_of_negation_is_obeyed() -> None:
    assert terms("don't like, not like", negation=["not"]) == ["don", "t", "like", "not", "NOT_like"]
    assert terms("don't like", negation=[]) == ["don", "t", "like"]
    assert terms("can't like", negation=["n't"]) == ["can", "t", "NOT_like"]


def test_negation_without_marks_is_refused() -> None:
    with pytest.raises(InvalidOption, match="punctuation='delete' leaves none"):
        Analyzer(negation="en", punctuation="delete")


def test_short_words_negate_and_stand_in_phrases_before_they_are_left_out() -> None:
    assert terms("no good film", negation="en", min_token_length=3) == ["NOT_good", "NOT_film"]
    lexicon = {"p": ["state of the art"]}
    assert terms("a state of the art film", lexicon=lexicon, min_token_length=3)[-1] == "LEX:p"


def test_a_stop_word_is_left_out_in_every_spelling() -> None:
    assert terms("It's IT’S ok", tokens="words_and_marks", stop_words=["it's"]) == ["ok"]
    assert terms("the end", stop_words=["The"]) == ["end"]
    assert terms("THE end", stop_words=["the"], lowercase=False) == ["THE", "end"]
    assert terms("été hiver", stop_words=["ete"], strip_marks=True) == ["hiver"]


def test_a_stop_word_without_spaces_is_no_more_than_itself() -> None:
    assert terms("不是", stop_words=["不是"]) == ["不", "是"]
    assert terms("不是", stop_words=["不"]) == ["不是", "是"]


def test_groups_are_not_in_lists_of_single_words() -> None:
    assert terms("call 555", numbers="group", stop_words=["1"]) == ["call", "_num"]
    assert terms("fine :)", emoticons="group", lexicon={"good": [":)"], "bad": [":("]}) == ["fine", "_emoticon"]
    assert terms("call 555", numbers="group", stop_words=["_num"]) == ["call"]


def test_a_lexicon_counts_each_hit_once_for_each_list() -> None:
    lexicon = {"a": ["Good", "good"], "b": ["good"]}
    assert terms("good GOOD", word_ngrams=None, lexicon=lexicon) == ["LEX:a", "LEX:b", "LEX:a", "LEX:b"]


def test_phrases_are_found_inside_a_clause_and_know_their_place() -> None:
    analyzer = Analyzer(word_ngrams=None, lexicon={"a": ["good for nothing", "good"]})
    assert analyzer.located_terms("Good for nothing! So good. For nothing") == [
        ("LEX:a", [(0, 4)]),
        ("LEX:a", [(0, 16)]),
        ("LEX:a", [(21, 25)]),
    ]


def test_a_phrase_that_begins_with_its_negation_is_not_negated() -> None:
    lexicon = {"negative": ["can't stand"], "positive": ["not bad", "good"]}
    found = terms("I can’t stand it. It's not bad, not good", word_ngrams=None, lexicon=lexicon, negation="en")
    assert found == ["LEX:negative", "LEX:positive", "NOT_LEX:positive"]


def test_an_entry_that_ends_in_a_star_stands_for_every_word_that_begins_with_it() -> None:
    lexicon = {"joy": ["happi*", "glad", "self-made m*"], "all": ["ha*", "happiness"]}
    found = Analyzer(word_ngrams=None, lexicon=lexicon, tokens="words").located_terms(
        "Happiness! gladly, happi, a self-made man"
    )
    assert [(term, *spans) for term, spans in found] == [
        ("LEX:all", (0, 9)),
        ("LEX:joy", (0, 9)),
        ("LEX:all", (19, 24)),
        ("LEX:joy", (19, 24)),
        ("LEX:joy", (28, 41)),
    ]


def test_the_star_of_an_emoticon_is_no_prefix() -> None:
    assert terms(":* :)", word_ngrams=None, lexicon={"p": [":*"]}, tokens="whitespace") == ["LEX:p"]


def test_an_entry_that_loses_its_marks_hits_nothing() -> None:
    vader = load_lexicon("vader")
    assert terms("It's 3 pm", word_ngrams=None, lexicon=vader) == []
    assert terms("good :)", word_ngrams=None, lexicon={"p": [":)", "good"]}, tokens="words_and_marks") == ["LEX:p", "LEX:p"]


def test_words_that_look_like_features_are_told_apart() -> None:
    analyzer = Analyzer(tokens="whitespace", lowercase=False, lexicon={"p": ["good"]})
    assert analyzer.terms("LEX:p word:x good") == ["word:LEX:p", "word:word:x", "good", "LEX:p"]
    counter = TermCounter(analyzer).fit(["LEX:p word:x good"])
    again = TermCounter(analyzer, vocabulary=list(counter.get_feature_names_out()))
    assert (again.fit_transform(["LEX:p good good"]) != counter.transform(["LEX:p good good"])).nnz == 0


def test_features_and_negations_in_a_vocabulary_are_no_capitals() -> None:
    analyzer = Analyzer(lexicon={"p": ["good"]}, negation="en", header_fields=True)
    found = TermCounter(analyzer, vocabulary=["LEX:p", "NOT_LEX:p", "NOT_good", "not NOT_good"]).fit_transform(["not good"])
    assert found.toarray().tolist() == [[0, 1, 1, 0]]


MAIL = "Received: from x\n by y\nFrom: Bob <bob@example.com>\nSubject: not free\n\nGreat <b>news</b>"


def test_words_of_a_header_are_counted_by_field() -> None:
    found = terms(MAIL, header_fields=True, html="strip", negation="en")
    assert found == [
        *("received:received", "received:from", "received:x", "received:by", "received:y", "from:from", "from:bob", "from:bob"),
        *("from:example", "from:com", "subject:subject", "subject:not", "subject:NOT_free", "great", "news"),
    ]


@pytest.mark.parametrize(
    "options", [{"tokens": "treebank"}, {"punctuation": "delete"}, {"numbers": "group"}, {"users": "group"}]
)
def test_fields_are_found_whatever_happens_to_the_text(options: dict[str, Any]) -> None:
    text = "X-1: a\nSubject: b\n\nc"
    assert terms(text, header_fields=True, **options)[-1] == "c"
    assert "subject:b" in terms(text, header_fields=True, **options)


@pytest.mark.parametrize("front", ["", "\ufeff", "\n\r\n", "From bob Mon Jan\n", ">From bob\n"])
def test_a_header_may_begin_in_many_ways(front: str) -> None:
    assert "to:me" in terms(f"{front}To: me\nX_Y: z\n\nHi", header_fields=True)


@pytest.mark.parametrize(
    "text",
    [
        "Pros: good\nCons: dear\n",
        "To: me\n\nHi",
        "To: me\nhi\nFrom: you",
        "http://x\nhttps://y\n",
        "Subject",
        ":",
        ": a\nTo: b",
    ],
)
def test_text_is_no_header(text: str) -> None:
    assert not [term for term in terms(text, header_fields=True) if ":" in term]


def test_own_lemmas_are_written_as_the_recipe_writes_words() -> None:
    assert terms("Mäuse", lemmas={"Mäuse": "Maus"}, strip_marks=True) == ["maus"]
    assert terms("mice lemmas", lemmas={"lemmas": "lemma", "mice": "small animal"}) == ["small_animal", "lemma"]


def test_markup_is_not_tagged_where_it_is_stripped() -> None:
    text = "<p>dogs</p> caf&eacute;"
    found = Analyzer(html="strip", tag_terms="universal", word_ngrams=None).located_terms(text)
    assert found == [("TAG:NOUN", [(3, 7)]), ("TAG:NOUN", [(12, 23)])]
    assert terms(text, html="strip", keep_tags=["NOUN"]) == ["dogs", "café"]


def test_the_header_is_tagged_as_text_and_what_is_stripped_not_at_all() -> None:
    mail = "From: Bob <robert@garden.org>\nSubject: green <garden> party\n\nThe <b>garden</b> is green."
    assert "subject:garden" in terms(mail, html="strip", header_fields=True, keep_tags=["NOUN", "ADJ"])
    assert terms("&#1;&#2;", html="strip", word_ngrams=None, tag_terms="penn") == []


def test_recipes_with_other_lists_make_other_tables() -> None:
    tables = [CountTable.of(["no good"], ["a"], analyzer=Analyzer(stop_words=[word])) for word in ("zzz", "yyy", "zzz")]
    assert tables[0].fingerprint() == tables[2].fingerprint() != tables[1].fingerprint()


def test_a_skip_gram_is_the_ngram_of_its_words() -> None:
    assert terms("a b c d", word_ngrams=None, skip_grams=((2, 1), (3, 1))) == ["a c", "b d"]
    assert terms("a b c d e", word_ngrams=None, skip_grams=((3, 1),)) == ["a c e"]


def test_any_lengths_go_together() -> None:
    assert terms("a b c", word_ngrams=((3, 3), (1, 1))) == ["a", "b", "c", "a b c"]
    assert Analyzer(word_ngrams=((1, 1), (2, 2))) == Analyzer(word_ngrams=(1, 2))
    assert TermCounter(Analyzer(word_ngrams=((1, 1), (3, 3)))).fit(["a b c"]).get_feature_names_out().tolist() == [
        "a",
        "a b c",
        "b",
        "c",
    ]


def test_blanks_are_marked_as_b4msa_does_it() -> None:
    over: Any = {"word_ngrams": None, "char_ngrams": (3, 3), "char_ngrams_over": "marked_text"}
    assert terms(" a  b\n", **over) == ["~a~", "a~b", "~b~"]
    assert terms("", **over) == terms(" \n", **over) == []


def test_bytes_stay_inside_words() -> None:
    over: Any = {"word_ngrams": None, "char_ngrams": (2, 2), "char_ngrams_over": "word_bytes"}
    assert terms("é a", **over) == [r" \xc3", "é", r"\xa9 ", " a", "a "]


def test_a_failing_word_form_leaves_the_model_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def stem(words: list[str]) -> list[str]:
        if "new" in words and fails:
            raise ZeroDivisionError("no stems today")
        return words

    fails = True
    make_recipe.cache_clear()
    monkeypatch.setattr("tercet.text.recipe.make_stemmer", lambda language: stem)
    fitted = Categorizer(Analyzer(stems="en"), threads=2).fit(["good dogs", "bad cats"], ["+", "-"])
    before = fitted.table_.fingerprint()
    with pytest.raises(ZeroDivisionError, match="no stems today"):
        fitted.learn(["new words"] * 3000, ["+"] * 3000)
    assert fitted.table_.fingerprint() == before
    fails = False
    assert fitted.learn(["new words"], ["+"]).predict(["new"]) == ["+"]
    make_recipe.cache_clear()


def test_a_refused_lesson_leaves_no_label_behind() -> None:
    fitted = Categorizer("words").fit(["a", "c"], ["x", "y"], sample_weight=[2.0**41, 1])
    with pytest.raises(InvalidMatrix, match="sum to more than"):
        fitted.learn(["e"], ["a"], sample_weight=[2.0**41.9])
    assert fitted.classes_.tolist() == ["x", "y"]
    assert fitted.predict_proba(["a"]).shape == (1, 2)


@pytest.mark.parametrize("options", [{}, {"lemmas": {"a": "b"}}, {"stems": "en"}, {"patterns": {"a": "a+"}}], ids=str)
def test_who_asks_while_another_learns_gets_an_answer(options: dict[str, Any]) -> None:
    fitted = Categorizer(Analyzer(**options), threads=2).fit(["good", "bad"], ["+", "-"])
    answers: list[Any] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            try:
                answers.append(fitted.predict(["zebra a", "good"])[1])
                fitted.explain("zebra good")
                fitted.generate("+", 3)
                fitted.restrict(["+", "-"])
                fitted.leave_one_out(["good"], ["+"])
            except Exception as error:
                answers.append(error)

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    for _ in range(30):
        fitted.learn(["zebra aa"] * 20, ["z"] * 20).forget(["zebra aa"] * 20, ["z"] * 20)
    done.set()
    for asker in askers:
        asker.join()
    assert {str(answer) for answer in answers} == {"+"}
    assert np.array_equal(fitted.classes_, ["+", "-"])
