"""What a categorizer is told before it learns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tercet.categorizer.table_model import TableModel
from tercet.counts.selection import Selector
from tercet.estimator import Estimator
from tercet.models.calibration import WAYS
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.smoothing import AbsoluteDiscount
from tercet.options import check_choice, check_flag
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.counts.weighting import TermWeighting
    from tercet.models.linear import LinearModel

WORDS_AND_PAIRS = Analyzer(word_ngrams=(1, 2))
DISCOUNTED = NaiveBayes("binary", AbsoluteDiscount(0.9))


class CategorizerOptions(Estimator):
    """The parameters of a `Categorizer`, kept as they were given."""

    def __init__(
        self,
        analyzer: Analyzer | str = WORDS_AND_PAIRS,
        model: "NaiveBayes | LinearModel | None" = None,
        *,
        min_documents: int = 1,
        max_terms: int | None = None,
        select: Selector | Sequence[Selector] | None = None,
        numeric: Any = (),
        remember: bool = True,
        weighting: "TermWeighting | None" = None,
        calibrate: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.model = model
        self.min_documents = min_documents
        self.max_terms = max_terms
        self.select = select
        self.numeric = numeric
        self.remember = remember
        self.weighting = weighting
        self.calibrate = calibrate
        self.threads = threads

    def _check_options(self) -> TableModel:
        check_flag("remember", self.remember)
        if self.calibrate is not None:
            check_choice("calibrate", self.calibrate, ("auto", *WAYS))
        model = DISCOUNTED if self.model is None else self.model
        options = self.min_documents, self.max_terms, self.select, self.numeric, self.weighting, self.threads
        return TableModel.of(model, *options)

    def _with_options(self, name: str, options: dict[str, Any]) -> Any:
        if name == "analyzer" and isinstance(self.analyzer, str):
            return Analyzer.preset(self.analyzer, **options)
        if name == "model" and self.model is None:
            return NaiveBayes(**DISCOUNTED.get_params()).set_params(**options)
        return super()._with_options(name, options)
