"""The options of a categorizer without what it has learned, as the first event of a ledger holds them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.record import TrainingRecord
from tercet.categorizer.rules import check_rule_labels
from tercet.categorizer.settings import Settings, read_parameters
from tercet.categorizer.train import train_like
from tercet.counts.labels import Labels
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, shorten
from tercet.ledger.documents import DocumentShape
from tercet.text.analyzer import Analyzer
from tercet.text.measures import MEASURES
from tercet.text.vectors.vector_table import TABLE

PARAMETERS = ("calibrate", "remember", "keep_documents")


@dataclass(frozen=True)
class ModelOptions:
    """How a model is made of documents."""

    analyzer: Analyzer | None
    settings: Settings
    parameters: Mapping[str, Any]  # calibrate, remember and keep_documents
    record: TrainingRecord | None  # of a model that `tercet.train` made
    shape: DocumentShape

    @classmethod
    def of(cls, categorizer: Categorizer, first: Documents | None = None) -> "ModelOptions":
        """The options of a categorizer. If it is not fitted, the first documents decide which columns are read."""
        if not categorizer.__sklearn_is_fitted__():
            options = categorizer.check_options()
            parameters = {name: getattr(categorizer, name) for name in PARAMETERS}
            return cls(options.analyzer, options.settings, parameters, None, derive_shape(options.settings, first))
        check_whole(categorizer)
        fitted = categorizer.fitted_
        settings, analyzer = fitted.settings, fitted.recipe.replace(layout=None)
        kept = fitted.calibrate, categorizer.remembers_, fitted.keeps_documents
        columns = categorizer.text_columns_, settings.categorical, tuple(categorizer.number_columns_), settings.domain
        parameters = dict(zip(PARAMETERS, kept, strict=True))
        return cls(analyzer, settings, parameters, categorizer.record_, DocumentShape(*columns))

    def to_dict(self) -> dict[str, Any]:
        return {
            "analyzer": None if self.analyzer is None else self.analyzer.to_dict(),
            "settings": self.settings.to_dict(),
            **self.parameters,
            "record": None if self.record is None else self.record.to_dict(),
            "text_columns": list(self.shape.text_columns),
            "number_columns": list(self.shape.numeric),
        }

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "ModelOptions":
        analyzer, record = written["analyzer"], written["record"]
        settings = Categorizer(**read_parameters(written["settings"])).check_options().settings
        texts, numbers = tuple(written["text_columns"]), tuple(written["number_columns"])
        return cls(
            None if analyzer is None else Analyzer.from_dict(analyzer),
            settings,
            {name: written[name] for name in PARAMETERS},
            None if record is None else TrainingRecord.from_dict(record),
            DocumentShape(texts, settings.categorical, numbers, settings.domain),
        )

    @property
    def reads_offers(self) -> bool:
        """Whether texts without labels teach the model: it has a sentence encoder, or seeds."""
        vectors = self.settings.vectors
        return self.settings.seeds is not None or (vectors is not None and not vectors.identity.startswith(TABLE))

    def with_seeds(self, seeds: Any) -> "ModelOptions":
        """The options with these seeds, or with none. Raises InvalidOption if they are wrong, or the model can't use them."""
        known = self.settings.seeds
        if seeds == (None if known is None else known.to_dict()):
            return self
        return replace(self, settings=self.settings.restart().with_seeds(seeds))

    @property
    def needs_training(self) -> bool:
        """Whether something in the model is fitted to documents and does not follow from the counts."""
        fits = self.settings.is_auto or self.settings.model.needs_rows
        return fits or self.parameters["calibrate"] is not None or self.record is not None

    @property
    def needs_labels(self) -> bool:
        """Whether some labels have no model: a rule needs its label, and a list of priors a number of labels."""
        return bool(self.settings.rules) or not isinstance(self.settings.model.prior, str | Mapping)

    def check_all_labels(self, labels: Labels) -> None:
        """Raise an error if there is no model for exactly these labels, as `count` does."""
        check_rule_labels(self.settings.rules, labels)
        self.settings.name_prior(labels).model.check_labels(labels)

    def check_labels(self, labels: Iterable[Any]) -> None:
        """Raise InvalidOption if a prior that is given for each label does not have one of these labels."""
        prior = self.settings.model.prior
        for label in labels:
            if isinstance(prior, Mapping) and label not in prior:
                raise InvalidOption(
                    f"the prior of this model has no probability for the label {label!r}, so it can't be learned: its labels "
                    f"are {shorten(', '.join(map(repr, prior)))}. Nothing is written."
                )

    def is_trained(self, model: Categorizer) -> bool:
        """Whether a model of these options was made by `train`, and not by `count`."""
        fitted, settings = model.fitted_, model.fitted_.settings
        if settings.is_auto != self.settings.is_auto or fitted.calibrate != self.parameters["calibrate"]:
            return False
        has_model = settings.is_auto or settings.model.needs_rows == self.settings.model.needs_rows
        return has_model and (fitted.record is None) == (self.record is None)

    def train(self, documents: Iterable[Documents], unlabelled: Iterable[Documents] | None = None) -> Categorizer:
        """The model that is trained on these documents, and on texts without labels."""
        return train_like(self.make_categorizer(), self.record, documents, unlabelled)

    def make_categorizer(self) -> Categorizer:
        """A categorizer with these options that has learned nothing."""
        return Categorizer(self.analyzer, **self._read_options())

    def count(self, documents: Iterable[Documents]) -> Categorizer:
        """The model that follows from the counts of these documents. Margins are replaced by naive Bayes."""
        options = self._read_options() | {"calibrate": None}
        if self.settings.is_auto or self.settings.model.needs_rows:
            options |= {"model": None, "weighting": None, "vectors": None, "seeds": None}
        return train_like(Categorizer(self.analyzer, **options), None, documents)

    def _read_options(self) -> dict[str, Any]:
        return {**read_parameters(self.settings.to_dict()), **self.parameters}


def derive_shape(settings: Settings, first: Documents | None) -> DocumentShape:
    """The columns of documents of which these are the first. A number without a column is measured in the text."""
    texts, given = ((), {}) if first is None else (first.text_columns, first.columns)
    numeric = tuple(name for name in settings.numeric if name in given or name not in MEASURES)
    return DocumentShape(texts if len(texts) > 1 else (), settings.categorical, numeric, settings.domain)


def check_whole(categorizer: Categorizer) -> None:
    """Raise InvalidOption if a model has something that no documents can give it again."""
    if categorizer.is_pruned_ or categorizer.fitted_.only is not None:
        what = "pruned" if categorizer.is_pruned_ else "restricted to some labels"
        raise InvalidOption(f"a ledger can't begin with a model that is {what}: begin with the whole model.")
