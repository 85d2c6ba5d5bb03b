"""Words that turn the sense of a sentence round, by language."""

NEGATION_WORDS: dict[str, tuple[str, ...]] = {"en": ("no", "not", "never", "none", "nor", "nothing", "nobody", "cannot", "n't")}
