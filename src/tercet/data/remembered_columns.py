"""What other data had, and new data should have: the names of their columns, and their rules for labels."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tercet.data.label_rules import LabelRules, group_spellings
from tercet.errors import bad_option

MAX_LENGTH = 1 << 16  # characters of a name in a file


@dataclass(frozen=True)
class ColumnNames:
    """The columns of documents: those of the text (one or more), of the label, and of the weight if there is one."""

    texts: tuple[str, ...]
    label: str | None = None
    weight: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"texts": list(self.texts)}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "ColumnNames":
        """The names in a file. Raises an error if they are not names."""
        texts = written["texts"]
        if not isinstance(texts, list) or not texts or len(set(texts)) < len(texts):
            raise ValueError("the columns of the text are not a list of different names")
        label, weight = (None if written[name] is None else _read_name(written[name]) for name in ("label", "weight"))
        columns = cls(tuple(map(_read_name, texts)), label, weight)
        names = [name for name in (*columns.texts, label, weight) if name is not None]
        if len(set(names)) < len(names):
            raise ValueError("a column of the record has two purposes")
        return columns


@dataclass(frozen=True)
class Remembered:
    """What `read(..., like=...)` takes from a model, or from columns."""

    columns: ColumnNames | None = None
    label_rules: LabelRules | None = None
    numbers: tuple[str, ...] = ()  # columns of numbers
    categorical: tuple[str, ...] = ()
    domain: str | None = None  # a column that is needed only to learn

    @classmethod
    def of(cls, like: Any) -> "Remembered":
        """Of a fitted categorizer, of ColumnNames, or of nothing.

        A categorizer that `fit` made has no record: of its columns it knows only several text columns, and its labels are
        taken as they are.
        """
        if like is None or isinstance(like, ColumnNames):
            return cls(like)
        if not hasattr(like, "record_"):
            raise bad_option(
                "like", "a fitted categorizer, its record_.columns, or the fields of a stream", like, "it names columns."
            )
        record, columns, rules = like.record_, ColumnNames(like.text_columns_), LabelRules(strip=False)
        if record is not None:
            columns, rules = record.columns or columns, recall_rules(like) or rules
        numbers, domain = tuple(like.number_columns_), getattr(like, "domain_", None)
        return cls(columns, rules, numbers, like.categorical_columns_, domain)

    def list_needed(self, *, training: bool) -> tuple[str, ...]:
        """The columns that documents must have beside text and label."""
        domains = (self.domain,) if training and self.domain is not None else ()
        return (*self.numbers, *self.categorical, *domains)


def recall_rules(model: Any) -> LabelRules | None:
    """The rules for labels in the record of a model. If they join spellings, they also join those of labels learned later."""
    rules: LabelRules | None = model.record_.label_rules
    if rules is None or rules.fold is False:
        return rules
    labels = (model.table_.labels if hasattr(model, "table_") else model.classes_).tolist()
    groups = group_spellings(dict.fromkeys(labels, 1))
    return rules.choose_spellings({label: 1 for group in groups if len(group) == 1 for label in group})


def _read_name(written: Any) -> str:
    if not isinstance(written, str) or len(written) > MAX_LENGTH:
        raise ValueError("the name of a column is not a text")
    return written
