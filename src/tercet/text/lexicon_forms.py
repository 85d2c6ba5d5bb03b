"""The forms of lexicon files: for each, how to know it, and how to read its lines into lists."""

import csv
import re
from collections import defaultdict
from collections.abc import Callable

from tercet.text.lexicon_lines import Line, bad_line, is_number_text
from tercet.text.lexicon_weights import is_weights, read_weights
from tercet.text.lexicons import Lexicon

Lists = dict[str, list[str]]


def read_clues(lines: list[Line], _name: str, _strong: float | None) -> Lexicon:
    """MPQA: `type=strongsubj len=1 word1=abandoned pos1=adj stemmed1=n priorpolarity=negative`.

    The words are taken as they are spelled; that some stand for all forms of a stem is not followed.
    """
    lists: Lists = defaultdict(list)
    for number, text in lines:
        fields = dict(re.findall(r"(\w+)=(\S+)", text))
        strength = {"strongsubj": "strong", "weaksubj": "weak"}.get(fields.get("type", ""))
        # The published file has a few lines with weakneg and the like for the polarity.
        polarity = re.sub("^(weak|strong)(neg|pos).*", r"\2", fields.get("priorpolarity", ""))
        polarity = {"neg": "negative", "pos": "positive"}.get(polarity, polarity)
        if strength is None or polarity not in ("positive", "negative", "neutral", "both") or "word1" not in fields:
            raise bad_line(number, text, "has no word1=…, type=strongsubj or weaksubj, and priorpolarity=positive, negative, …")
        lists[f"{strength}_{polarity}"].append(fields["word1"])
    return Lexicon(lists)


def read_emotions(lines: list[Line], _name: str, _strong: float | None) -> Lexicon:
    """NRC: `word<TAB>emotion<TAB>0 or 1`."""
    lists: Lists = defaultdict(list)
    for number, text in lines:
        fields = _split(text)
        if len(fields) != 3 or not fields[0] or not fields[1] or fields[2] not in ("0", "1"):
            raise bad_line(number, text, "is not a word, an emotion and 0 or 1, with tabs between")
        if fields[2] == "1":
            lists["_".join(fields[1].split())].append(fields[0])
    return Lexicon(lists)


def read_senses(lines: list[Line], _name: str, strong: float | None) -> Lexicon:
    """SentiWordNet: part of speech, id, positive and negative score, `word#sense word#sense`, gloss.

    A word's weight is the mean over its senses of positive minus negative; the n-th sense has the share 1/n.
    """
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for number, text in lines:
        fields = _split(text)
        if len(fields) < 5 or not is_number_text(fields[2]) or not is_number_text(fields[3]):
            raise bad_line(number, text, "is not a part of speech, an id, two scores and words, with tabs between")
        for word, sense in re.findall(r"(\S+)#([1-9]\d*)", fields[4]):
            share = 1 / int(sense)
            total = sums[word.replace("_", " ")]
            total[0] += share * (float(fields[2]) - float(fields[3]))
            total[1] += share
    return Lexicon.from_weights({word: total / shares for word, (total, shares) in sums.items()}, strong=strong)


def read_inquirer(lines: list[Line], _name: str, _strong: float | None) -> Lexicon:
    """General Inquirer: a header `Entry,Source,Positiv,Negativ,…`, then a word and a mark under each of its lists.

    Of a word with several senses (`ABOUT#1`) the first counts, which is the most frequent.
    """
    rows = csv.reader(text for _, text in lines)
    header = [name.strip() for name in next(rows)]
    lists: Lists = defaultdict(list)
    for (number, text), row in zip(lines[1:], rows, strict=False):
        if len(row) < 3:
            raise bad_line(number, text, "has fewer columns than the header")
        word, _hash, sense = row[0].strip().partition("#")
        if sense in ("", "1"):
            for name, mark in zip(header[2:], row[2:], strict=False):
                if mark.strip() and name and name not in ("Othtags", "Defined"):
                    lists["_".join(name.split())].append(word.lower())
    return Lexicon(lists)


def read_plain(lines: list[Line], name: str, _strong: float | None) -> Lexicon:
    """One word a line; the list has the name of the file."""
    words = []
    for number, text in lines:
        if "\t" in text.strip():
            raise bad_line(number, text, "has a tab, but no weight behind it; a plain list has one word a line")
        words.append(text.strip())
    return Lexicon({name: words})


def _is_clues(lines: list[Line]) -> bool:
    return "word1=" in lines[0].text and "priorpolarity=" in lines[0].text


def _is_emotions(lines: list[Line]) -> bool:
    fields = _split(lines[0].text)
    return len(fields) == 3 and fields[2] in ("0", "1") and not is_number_text(fields[1])


def _is_senses(lines: list[Line]) -> bool:
    return re.match(r"[anvrs]\t\d{6,}\t[\d.]+\t[\d.]+\t\S+#\d", lines[0].text) is not None


def _is_inquirer(lines: list[Line]) -> bool:
    return re.match(r'"?Entry"?,"?Source"?,', lines[0].text) is not None


Read = Callable[[list[Line], str, float | None], Lexicon]  # the lines, the name of the file, the size of a strong weight

# In the order in which they are tried; whatever else it is, it is a plain list.
FORMS: tuple[tuple[Callable[[list[Line]], bool], Read], ...] = (
    (_is_clues, read_clues),
    (_is_inquirer, read_inquirer),
    (_is_senses, read_senses),
    (_is_emotions, read_emotions),
    (is_weights, read_weights),
    (lambda _: True, read_plain),
)


def _split(text: str) -> list[str]:
    return [field.strip() for field in text.split("\t")]
