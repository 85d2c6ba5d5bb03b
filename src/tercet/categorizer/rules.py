"""Rules by hand: a text that a rule's pattern is found in gets the label of the rule, and the model is not asked."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Self

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.counts.labels import Labels, encode_labels, read_labels, write_labels
from tercet.counts.training_data import LabelledTexts, TrainingData
from tercet.data.document_batches import list_texts
from tercet.errors import InvalidLabel, MissingLabel, bad_option, shorten, suggest
from tercet.kernel import engine
from tercet.options import is_list
from tercet.registry import register
from tercet.row_table import PackedTexts
from tercet.text.analyzer import Analyzer
from tercet.text.patterns import check_patterns, check_regex, search_texts

_EXPECTED = "None, a list of Rules or of (regex, label) pairs, or a mapping from regex to label"


@register("rule", "rule")
@dataclass(frozen=True)
class Rule:
    r"""A text in which the regular expression is found gets this label. Without a name, the regex is its name.

    The regex has the syntax of RE2, as a `Pattern` has. It is searched in the text as it is given. If documents have several
    text columns or categorical columns, it is searched in all of them, with U+001F between them. If the analyzer has `neutral`
    words, it is searched in the text in which `_neutral` stands for them, so a rule never decides by a neutral word.

    >>> Rule(r"(?i)\brefund\b", "billing", name="refund")
    Rule(regex='(?i)\\brefund\\b', label='billing', name='refund')
    """

    regex: str
    label: Any
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise bad_option("the name of a rule", "a str", self.name, "an explanation shows it.")
        check_regex("a rule", self.regex)
        object.__setattr__(self, "label", _check_label(self.label))
        object.__setattr__(self, "name", self.name or self.regex)

    def to_dict(self) -> dict[str, Any]:
        """Regex, label and name, for JSON. `from_dict` reads them back."""
        return {"regex": self.regex, "label": write_labels(encode_labels([self.label])[0]), "name": self.name}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> Rule.from_dict({"regex": "refund", "label": {"type": "text", "values": ["billing"]}, "name": "refund"})
        Rule(regex='refund', label='billing', name='refund')
        """
        if not isinstance(written, Mapping) or set(written) != {"regex", "label", "name"}:
            raise bad_option("a rule", "a mapping with regex, label and name", written, "to_dict writes it in this form.")
        (label,) = read_labels(written["label"]).tolist()
        return cls(written["regex"], label, written["name"])


def check_rules(value: Any) -> tuple[Rule, ...]:
    """The rules in their order; an empty tuple for None.

    >>> check_rules({"(?i)refund": "billing"})
    (Rule(regex='(?i)refund', label='billing', name='(?i)refund'),)
    """
    if value is None:
        return ()
    if not is_list(value):
        raise bad_option("rules", _EXPECTED, value, "each rule has a regex and a label.")
    rules = tuple(map(_make_rule, value.items() if isinstance(value, Mapping) else value))
    if not rules:
        raise bad_option("rules", _EXPECTED, value, "there is no rule in it. Leave it out, or pass None, if none is wanted.")
    check_patterns({f"rule_{number}": rule.regex for number, rule in enumerate(rules, 1)})  # not too many or too large
    return rules


def _make_rule(value: Any) -> Rule:
    if isinstance(value, Rule):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return Rule(*value)
    if isinstance(value, Mapping) and {"regex", "label"} <= set(value) <= {"regex", "label", "name"}:
        return Rule(**value)
    raise bad_option("a rule", "a Rule, or (regex, label)", value, "it gives a label to the texts that its regex is found in.")


def _check_label(label: Any) -> Any:
    """The label in the one type of its kind."""
    try:
        return encode_labels([label])[0].tolist()[0]
    except InvalidLabel:
        raise bad_option("the label of a rule", "text or a number", label, "texts get this label.") from None


def check_rule_labels(rules: Sequence[Rule], labels: Labels) -> None:
    """Raises MissingLabel if a rule has a label that no document has."""
    known = labels.tolist()
    for rule in rules:
        if rule.label not in known:
            shown = shorten(", ".join(map(repr, known)))
            raise MissingLabel(
                f"the rule {rule.name!r} gives the label {rule.label!r}, and no document has it: known are {shown}."
                f"{suggest(rule.label, known)} Add documents of this label, or correct the rule."
            )


def describe_rules(rules: Sequence[Rule]) -> dict[str, str]:
    """The number of the rules and a digest of them, for the signature of a report; nothing if there are none.

    >>> describe_rules(check_rules({"(?i)refund": "billing"}))
    {'rules': '1:...'}
    """
    written = json.dumps([rule.to_dict() for rule in rules], sort_keys=True)
    return {"rules": f"{len(rules)}:{sha256(written.encode()).hexdigest()[:8]}"} if rules else {}


def match_rules(rules: Sequence[Rule], texts: Iterable[str], analyzer: Analyzer) -> Flags:
    """Which rules are found in which text, texts × rules.

    >>> match_rules(check_rules({"a+": "x", "b": "y"}), ["ab", "b", ""], Analyzer()).tolist()
    [[True, True], [False, True], [False, False]]
    """
    found = search_texts([rule.regex for rule in rules], map(analyzer.neutralize, texts))
    return np.array(found, np.bool_).reshape(-1, len(rules))


class RuleMatches:
    """Notes which rules are found in texts that are read. Without rules it does nothing."""

    def __init__(self, rules: Sequence[Rule], analyzer: Analyzer) -> None:
        self._rules, self._analyzer = rules, analyzer
        self._found = [np.zeros((0, len(rules)), np.bool_)]

    def follow(self, batches: Iterator[LabelledTexts]) -> Iterator[LabelledTexts]:
        """The same batches."""
        return map(self._note, batches) if self._rules else batches

    def _note(self, batch: LabelledTexts) -> LabelledTexts:
        is_kept = isinstance(batch.texts, engine.Texts)
        texts = PackedTexts(*batch.texts.join()).tolist() if is_kept else list_texts(batch.texts)
        self._found.append(match_rules(self._rules, texts, self._analyzer))
        return batch if is_kept else batch._replace(texts=texts)  # an iterator can't be read twice

    def add_to(self, data: TrainingData) -> TrainingData:
        """The data of all batches, with what was found in their texts."""
        return replace(data, matches=np.concatenate(self._found)) if self._rules else data


def decide_labels(rules: Sequence[Rule], matches: Flags, labels: Labels) -> Integers:
    """The index of the label that the first matching rule gives to each text; -1 if no rule decides.

    Rules for other labels than these do not apply.

    >>> decide_labels(check_rules({"a+": "x", "b": "y"}), np.array([[True, True], [False, False]]), np.array(["x", "y"]))
    array([ 0, -1])
    """
    which = first_rules(rules, matches, labels)
    indices = {label: index for index, label in enumerate(labels.tolist())}
    of_rules = np.array([*(indices.get(rule.label, -1) for rule in rules), -1], np.int64)
    return np.asarray(of_rules[which], np.int64)


def first_rules(rules: Sequence[Rule], matches: Flags, labels: Labels) -> Integers:
    """The number of the first matching rule for one of these labels; -1 if there is none."""
    known = set(labels.tolist())
    applies = matches & np.array([rule.label in known for rule in rules], np.bool_)
    return np.where(applies.any(axis=1), applies.argmax(axis=1), -1)


def overrule(scores: Floats, decided: Integers | None) -> Floats:
    """The scores or log-probabilities; where a rule has decided, 0 for its label and -inf for all others: probability 1.

    >>> overrule(np.array([[-0.5, -1.0], [-2.0, -0.1]]), np.array([-1, 0]))
    array([[-0.5, -1. ],
           [ 0. , -inf]])
    """
    if decided is None:
        return scores
    changed, rows = scores.copy(), np.flatnonzero(decided >= 0)
    changed[rows] = -np.inf
    changed[rows, decided[rows]] = 0.0
    return changed
