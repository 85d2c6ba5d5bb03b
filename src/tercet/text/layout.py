"""The columns that a text joins: several text columns, and columns of names whose values are terms."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Self

from tercet.errors import InvalidOption, bad_option
from tercet.options import check_flag, check_names
from tercet.registry import register
from tercet.text.word_lists import FrozenValue

# A blank separates the words of a term, and : or = separates a term from the name of its column.
UNUSABLE = re.compile(r"[\s:=]")


@register("layout", "columns")
class Layout(FrozenValue):
    """The parts of a text, with U+001F between them: first the text columns, then the categorical columns.

    Each part is analysed on its own. With `fields` the terms of a text column begin with its name, `subject:refund`. A
    categorical column gives one term, `mailer=mutt`, or none if it is empty. `texts` has at least two names. It is empty if
    there is one text column, whose name does not matter.

    >>> Layout(["subject", "body"], ["mailer"], fields=True)
    Layout(texts=('subject', 'body'), categorical=('mailer',), fields=True)
    """

    content: tuple[tuple[str, ...], tuple[str, ...], bool]
    texts: tuple[str, ...]
    categorical: tuple[str, ...]
    fields: bool

    def __init__(self, texts: Iterable[str] = (), categorical: Iterable[str] = (), fields: bool = False) -> None:
        own, names = check_spellings("texts", texts), check_spellings("categorical", categorical)
        if len(own) == 1:
            raise bad_option("texts", "two names or more", texts, "one text is the same with any name. Leave it out.")
        if not own and not names:
            raise InvalidOption("texts and categorical are both empty: a plain text has layout=None.")
        if check_flag("fields", fields) and not own:
            raise InvalidOption("fields=True needs several text columns: with one text, all terms have the same column.")
        self._keep(content=(own, names, fields), texts=own, categorical=names, fields=fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each part; `text` if there is one text column."""
        return (*(self.texts or ("text",)), *self.categorical)

    @property
    def n_texts(self) -> int:
        """The number of text columns."""
        return max(1, len(self.texts))

    @property
    def prefixes(self) -> list[tuple[str, bool]]:
        """For each part the prefix of its terms, and whether it is categorical.

        >>> Layout(["Subject line", "body"], ["mailer"], fields=True).prefixes
        [('Subject_line:', False), ('body:', False), ('mailer=', True)]
        """
        texts = [f"{spell_name(name)}:" if self.fields else "" for name in self.texts or ("text",)]
        return [*((prefix, False) for prefix in texts), *((f"{spell_name(name)}=", True) for name in self.categorical)]

    def strip_prefix(self, word: str) -> str:
        """The word without the prefix of its column.

        >>> Layout(["subject", "body"], fields=True).strip_prefix("subject:refund")
        'refund'
        """
        found = (prefix for prefix, is_category in self.prefixes if not is_category and word.startswith(prefix))
        return word.removeprefix(next(found, ""))

    def is_category(self, term: str) -> bool:
        """Whether a term is the value of a categorical column."""
        return any(is_category and term.startswith(prefix) for prefix, is_category in self.prefixes)

    def __repr__(self) -> str:
        return f"Layout(texts={self.texts}, categorical={self.categorical}, fields={self.fields})"

    def __str__(self) -> str:
        return ",".join(
            [
                *(spell_name(name) + ":" * self.fields for name in self.texts),
                *(spell_name(name) + "=" for name in self.categorical),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The names, for JSON. `from_dict` reads them back."""
        return {"texts": list(self.texts), "categorical": list(self.categorical), "fields": self.fields}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> Layout.from_dict({"texts": [], "categorical": ["mailer"], "fields": False})
        Layout(texts=(), categorical=('mailer',), fields=False)
        """
        if not isinstance(written, Mapping) or set(written) != {"texts", "categorical", "fields"}:
            raise bad_option(
                "columns", "a mapping with texts, categorical and fields", written, "to_dict writes it in this form."
            )
        return cls(**written)


def check_spellings(option: str, names: Any) -> tuple[str, ...]:
    """The names of columns, which terms must tell apart."""
    checked = check_names(option, names)
    spelled = Counter(map(spell_name, checked))
    if len(spelled) < len(checked):
        twice = spelled.most_common(1)[0][0]
        raise bad_option(option, "names, each once", names, f"the terms of two columns would both begin with {twice!r}.")
    return checked


def spell_name(name: str) -> str:
    """The name as terms have it.

    >>> spell_name("Subject line")
    'Subject_line'
    """
    return UNUSABLE.sub("_", name)
