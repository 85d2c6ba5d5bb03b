"""Sentences: their law on any text, and figures on texts with traps."""

import pytest
from helpers.invented_texts import EVERY_CHARACTER, characters, texts
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer
from tercet.errors import InvalidText
from tercet.kernel import _native, reference
from tercet.kernel.text import abbreviations

FRAGMENTS = [
    *(". ", "! ", "? ", "…", "...", ".", "!", "?", " ", "  ", "\n", "\n\n", "\r\n\r\n", "\r", "\u2029", "\u3000", "\x1c"),
    *('"', "'", "”", "“", "’", "«", "»", ")", "(", "]", "—", ",", ";", ":", "¿", "¡", "\ufe0f", "\u0301"),
    *("。", "！", "？", "؟", "۔", "।", "։", "።", "．", "‼", "\u037e", "」", "你好", "سلام", "हिन्दी", "მოვიდა", "Ω", "ß", "İ"),
    *("He", "the", "The", "She left", "It", "I", "J", "B", "U.S", "a.m", "Ph.D", "e.g", "Mr", "etc", "Inc", "No", "no", "p"),
    *("5", "3.14", "12", "1984", "3", "Oktober", "Dr", "Rep", "rep", "Washington", "Él", "él", "A.", "x_1", "\x00", "\ud800"),
]
prose = st.lists(st.sampled_from(FRAGMENTS) | st.text(characters, max_size=4), max_size=25).map("".join)


@given(prose | texts)
def test_native_finds_the_sentences_of_the_reference(text: str) -> None:
    assert _native.split_sentences(text) == reference.split_sentences(text)


@given(prose | texts)
def test_sentences_hold_every_character_that_is_not_white_once_and_in_order(text: str) -> None:
    spans = _native.split_sentences(text)
    assert all(start < end and text[start:end].strip() == text[start:end] for start, end in spans)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert edges == sorted(edges)
    assert not "".join(text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)).strip()


@given(prose)
def test_a_sentence_is_the_text_at_its_span(text: str) -> None:
    assert all(sentence.text == text[sentence.start : sentence.end] for sentence in Analyzer().sentences(text))


LISTS = ("NEVER_LAST", "NUMBERED", "MAYBE_LAST", "SENTENCE_STARTERS", "AFTER_ORDINALS")


@pytest.mark.parametrize("name", LISTS)
def test_native_and_reference_know_the_same_abbreviations(name: str) -> None:
    for word in getattr(abbreviations, name):
        assert len(word) <= abbreviations.LONGEST
        for form in (word, word.capitalize(), word.upper()):
            for text in (f"It is {form}. Paris won.", f"It is {form}. 5 won.", f"Mary K. {form} won.", f"Am 3. {form} war es."):
                assert _native.split_sentences(text) == reference.split_sentences(text)


def test_every_character_may_begin_or_end_a_sentence_as_the_reference_says() -> None:
    for i in range(0, len(EVERY_CHARACTER), 5000):
        text = "\n\n".join(f"Ab. {c}b{c} Cd {c}. Ef" for c in EVERY_CHARACTER[i : i + 5000])
        assert _native.split_sentences(text) == reference.split_sentences(text)


# A bar stands where a sentence ends. Where only sense could tell, these are the rules: a capital after … begins one, a word in
# lower case after a full stop does not, a name after an initial does not.
CASES = """
He left.| She stayed.
He left.|  She stayed.
Who are you?| I am nobody!| Nobody at all.
Mr. Smith met Mrs. Jones and Dr. Brown.| They talked.
MR. SMITH MET DR. BROWN.| THEY TALKED.
Prof. Higgins lost.| He paid.
J. Smith and A. B. Carter wrote it.| We read it.
Ursula K. Le Guin wrote it.| He read it.
He took vitamin C.| It helped.
He lives in the U.S.| The weather is fine.
The U.S. Army came.| It won.
The train left at 5 p.m.| We missed it.
The train left at 5 p.m. on Monday.
She has a Ph.D. from Pisa.| He has none.
Bring bread, wine, etc.| The rest is here.
Bring bread, wine, etc. to the house.
Apple Inc. Chairman Levinson spoke.| They listened.
He works at Acme Corp.| He likes it.
Sammy Davis Jr. sang.| All danced.
See Smith et al. (2004) for more.| Then decide.
Use fruit, e.g. Bananas are fine.
It is late, i.e. Monday is lost.
See No. 5 and Fig. 3 on p. 12.| Then go.
He said no.| Then he left.
Born on Jan. 5 in Rome.| Died in Paris.
It cost 3.14 dollars.| It was worth 2.50 only.
The year was 1984.| War was peace.
Visit example.com or write to a.b@c.de today.| Thanks.
Version 2.0.1 is out.| Get it.
1. Introduction
1. First we read.| 2. Then we write.
He came in 3rd.| 10 others lost.
Wait... what?| I mean it.
Wait…| I mean… it.
Well...| Perhaps.
Really?!| Yes!!!| No.
Really ?| Oui !| Non.
what?| no way!| ok. fine
"Go!" he said.| "No!"| She stayed.
“Go!” he said.| “No!”| She stayed.
He said "Go."| She went.
He said 'go.'| She went.
(He left.)| She stayed.
(He left!) and she stayed.
He left (at last.)| She stayed [there.]| So what?
He asked "Why?"| Nobody knew.
He left; she stayed. , Then
Roe v. Wade was decided.| It was 1973.
Italy vs. France was long.| We slept.
Gen. Lee met Rep. Adams and Sen. Kahn.| They spoke.
He did one more rep.| Then he slept.
St. Louis is far.| I know.
She lives on Wall St.| It is loud.
He is from St. Petersburg.
This is Plan B. Nobody liked it.
. . . and then.| He left.
Hello . . .| World
! ! !
He left.\\n\\nshe stayed
A title\\n\\nThe text begins.| It ends.
A title\\r\\n\\r\\nThe text
One line\\nand the next.| The end.
El Sr. Pérez y la Sra. López vinieron.| ¿Quién más?| ¡Nadie!
Vive en la pág. 12 de la novela.| Es así.
Il Sig. Rossi e il Dott. Verdi parlano.| Ascoltiamo.
Am 3. Oktober war er da.| Am 4. ging er.
Das 19. Jahrhundert war lang.| Es endete.
Es gibt z.B. Äpfel und d.h. Obst.| Gut.
„Geh!“ sagte er.| „Nein.“| Er blieb.
M. Dupont et Mme. Curie sont là.| Elle parle.
O Sr. Silva e a Dra. Costa vieram.| Ele falou.
Он ушёл.| Она осталась. а потом и она
Έφυγε.| Έμεινε\u037e| Ναι.
他走了。|她留下了！|为什么？|不知道
他说：「走吧。」|她走了。
彼は去った。|彼女は残った。
هل أنت هنا؟| نعم.| أنا هنا
यह एक वाक्य है।| यह दूसरा है॥
Ես եմ։| Դու ես։
მოვიდა კაცი.| წავიდა ქალი.
ይህ ነው።|ያ ነው።
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_a_sentence_ends_where_a_reader_ends_it(case: str) -> None:
    marked = case.replace("\\n", "\n").replace("\\r", "\r")
    expected = [part.strip() for piece in marked.split("|") for part in piece.replace("\r", "").split("\n\n")]
    text = marked.replace("|", "")
    for engine in (_native, reference):
        assert [text[start:end] for start, end in engine.split_sentences(text)] == expected


def test_a_text_without_words_has_no_sentences() -> None:
    assert Analyzer().sentences("") == Analyzer().sentences(" \n\n\t") == []


def test_only_a_str_has_sentences() -> None:
    with pytest.raises(InvalidText, match="a text must be a str"):
        Analyzer().sentences(["a list"])  # type: ignore[arg-type]
