"""Text → the same text with a blank between any two Penn Treebank tokens, as NLTK's TreebankWordTokenizer finds them.

NLTK rewrites a sentence with about twenty substitutions, one after another. Nearly all of them only insert blanks. Here the
sentence does not change; each substitution marks gaps between its characters instead. The order matters: a rule for an
apostrophe needs a blank after it. A gap from an earlier substitution counts as a blank, a gap from a later one does not.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from tercet.kernel.text.normalize import Character
from tercet.kernel.text.sentences import split_sentences
from tercet.kernel.text.tokenize import is_word, token_end

EARLY, LATE = 1, 2  # gaps of punctuation; gaps of closing quotes, brackets, dashes and everything after these
CLITICS = {"s", "S", "m", "M", "d", "D"}
LONG_CLITICS = {"ll", "LL", "re", "RE", "ve", "VE"}
TWO_WORDS = {"cannot", "gimme", "gonna", "gotta", "lemme"}
FOLDS = {"ı": "i", "İ": "i", "ſ": "s"}  # Python's `re` treats these as i and s when it ignores case


class Word(NamedTuple):
    begin: int
    end: int
    key: str


class Spacing:
    """The gaps of one sentence, and the new form of its quotes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.gaps = [0] * (len(text) + 1)
        self.quotes: dict[int, str] = {}  # start of a quote → `` or ''
        self.apostrophes: list[int] = []
        self._mark_punctuation()
        self._mark_final_stop()
        self._mark_apostrophes()
        self._mark_contractions()

    def _isolate(self, begin: int, end: int, level: int) -> int:
        self.gaps[begin] |= level
        self.gaps[end] |= level
        return end

    def _mark_punctuation(self) -> None:
        text, i, ticks_end = self.text, 0, -1
        while i < len(text):
            c = text[i]
            if c in "\"'":
                i = self._mark_quotes(i, ticks_end)
            elif c in ",:":
                i = self._mark_commas(i)
            elif text.startswith("``", i):
                i = ticks_end = self._isolate(i, i + 2, EARLY)
            elif text.startswith("...", i):
                i = self._isolate(i, i + 3, EARLY)
            elif text.startswith("--", i):
                i = self._isolate(i, i + 2, LATE)
            elif c in ";@#$%&?!":
                i = self._isolate(i, i + 1, EARLY)
            elif c in "[](){}<>":
                i = self._isolate(i, i + 1, LATE)
            else:
                i += 1

    def _mark_quotes(self, i: int, ticks_end: int) -> int:
        """A quote opens at the start, after a blank or bracket, after ``, and after an opening " at the start."""
        text = self.text
        single = text[i] == "'"
        if single and not text.startswith("''", i):
            self.apostrophes.append(i)
            return i + 1
        opens = (text[i - 1] in " ([{<" or ticks_end == i or (i == 1 and text[0] == '"')) if i else not single
        self.quotes[i] = "``" if opens else "''"
        return self._isolate(i, i + 1 + single, EARLY if opens else LATE)

    def _mark_commas(self, i: int) -> int:
        """A comma or colon is a token, except before a digit. The second mark of a pair stays joined to the text after it."""
        text = self.text
        if i + 1 == len(text):
            return self._isolate(i, i + 1, EARLY)
        if text[i + 1].isdecimal():
            return i + 1
        self._isolate(i, i + 1, EARLY)
        if text[i + 1] not in ",:":
            return i + 1
        return i + 2 if i + 2 < len(text) else self._isolate(i + 1, i + 2, EARLY)

    def _mark_final_stop(self) -> None:
        i = len(self.text.rstrip("])}>\"'")) - 1
        if i > 0 and self.text[i] == "." != self.text[i - 1]:
            self.gaps[i] |= EARLY

    def _is_blank(self, i: int, level: int = EARLY | LATE) -> bool:
        return self.text[i : i + 1] == " " or bool(self.gaps[i] & level)

    def _mark_apostrophes(self) -> None:
        text, gaps = self.text, self.gaps
        gaps[-1] |= LATE
        for i in self.apostrophes:
            if self._is_blank(i + 1, EARLY):
                gaps[i] |= LATE
        for i in self.apostrophes:
            if self._is_blank(i + 1) or (text[i + 1] in CLITICS and self._is_blank(i + 2)):
                gaps[i] |= LATE
        for i in self.apostrophes:
            if text[i + 1 : i + 3] in LONG_CLITICS and self._is_blank(i + 3):
                gaps[i] |= LATE
            elif i > 1 and text[i - 1 : i + 2] in ("n't", "N'T") and text[i - 2] != "'" and self._is_blank(i + 2):
                gaps[i - 1] |= LATE

    def _mark_contractions(self) -> None:
        words = list(self._words())
        for word in words:
            if word.key in TWO_WORDS or (word.key == "wanna" and self._is_followed_by_white(word)):
                self._split(word.begin, word.begin + 3, word.end)
        for word, after in pairwise(words):
            joined = after.begin == word.end + 1 and self.text[word.end] == "'"
            if joined and (word.key, after.key) in (("d", "ye"), ("more", "n")):
                self._split(word.begin, word.end, after.end)
        for key in ("tis", "twas"):
            # From last to first: the gap after one 'tis must not be visible when the following one is checked.
            for word in reversed(words):
                if word.key == key and self._is_after_apostrophe(word.begin):
                    self._split(word.begin - 1, word.begin + 1, word.end)

    def _split(self, *places: int) -> None:
        for i in places:
            self.gaps[i] |= LATE

    def _words(self) -> Iterator[Word]:
        r"""The runs of \w, as the patterns for contractions see them."""
        begin = 0
        while begin < len(self.text):
            if not is_word(self.text[begin]):
                begin += 1
                continue
            end = run_end = token_end(self.text, begin, is_word)
            if end - 1 > begin and self.gaps[end - 1]:
                end -= 1  # the n belongs to n't
            yield Word(begin, end, "".join(FOLDS.get(c, c.lower()) for c in self.text[begin:end]))
            begin = run_end

    def _is_followed_by_white(self, word: Word) -> bool:
        return bool(self.gaps[word.end]) or self.text[word.end].isspace()

    def _is_after_apostrophe(self, i: int) -> bool:
        """Whether an apostrophe with a blank before it comes directly before i, without a gap."""
        if i == 0 or self.text[i - 1] != "'" or self.gaps[i]:
            return False
        return i == 1 or self.text[i - 2] == " " or bool(self.gaps[i - 1])


def space_sentence(sentence: list[Character]) -> Iterator[Character]:
    text = "".join(c.value for c in sentence)
    spacing = Spacing(text)
    i = 0
    while i < len(sentence):
        c = sentence[i]
        if spacing.gaps[i]:
            yield Character(" ", c.start, c.start)
        size = 1
        if quote := spacing.quotes.get(i):
            size = 1 if c.value == '"' else 2
            for value in quote:
                yield Character(value, c.start, sentence[i + size - 1].end)
        else:
            yield c
        i += size


def space_tokens(characters: list[Character]) -> Iterator[Character]:
    """The characters of all sentences, with blanks between tokens and between sentences.

    The white space between sentences stays, because a negation ends with its paragraph.
    """
    last = 0
    for begin, end in split_sentences("".join(c.value for c in characters)):
        yield from characters[last:begin]
        yield Character(" ", characters[begin].start, characters[begin].start)
        yield from space_sentence(characters[begin:end])
        last = end
