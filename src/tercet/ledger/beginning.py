"""How a ledger begins: with the options of a model, and with its documents if they are known.

- A categorizer that has learned nothing: its options are the first event, and documents may follow.
- A model that keeps its documents, or whose documents are given: each document is an `import` event of its own. The model that
  these events give must be the same, byte for byte.
- A model whose documents are not known: its file is a part of the ledger. What is in it can't be unlearned or erased
  one by one, and it can't be trained again.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.save_load import describe_file
from tercet.categorizer.unlabelled import MAX_LENGTH
from tercet.counts.units import to_numbers
from tercet.data.document_batches import collect_documents, list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, NoLedger
from tercet.kernel.text.columns import SEPARATOR
from tercet.ledger import changes
from tercet.ledger.database import is_url
from tercet.ledger.documents import DocumentShape
from tercet.ledger.events import Draft
from tercet.ledger.model_options import ModelOptions
from tercet.ledger.replay import Replay, attach_check
from tercet.row_table import PackedTexts
from tercet.store.model_file import encode_model

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger


UNLABELLED = "unlabelled"  # the pool of the unlabelled texts of a model


class UnlabelledDocuments(NamedTuple):
    """Texts without labels that a categorizer has learned from, and the person whom each is about."""

    documents: Documents
    subjects: Sequence[str | None] | None


def write_beginning(
    ledger: "Ledger",
    categorizer: Any,
    documents: Any,
    subjects: Sequence[str | None] | None,
    actor: str,
    unlabelled: UnlabelledDocuments | None = None,
) -> None:
    """Append the first events."""
    from tercet import __version__
    from tercet.ledger.ledger import FORMAT

    if not isinstance(categorizer, Categorizer):
        raise InvalidOption(
            f"a ledger begins with a Categorizer, got {type(categorizer).__name__}: a model that can't learn needs no ledger."
        )
    is_fitted = categorizer.__sklearn_is_fitted__()
    documents = None if documents is None else collect_documents(documents)
    recipe = ModelOptions.of(categorizer, documents)
    if documents is None and is_fitted and categorizer.keeps_documents_:
        documents = list_kept(categorizer, recipe)
    start = b"".join(encode_model(*describe_file(categorizer))[1]) if is_fitted and documents is None else None
    content = {"format": FORMAT, "version": __version__, "recipe": recipe.to_dict(), "has_start": start is not None}
    ledger.append(lambda _: [Draft("begin", content)], actor)
    if start is not None:
        ledger.database.insert_start(start)
    trained = None
    if documents is not None:
        ledger.append(changes.learn(recipe, documents, subjects, "import"), actor)
        unlabelled = unlabelled or list_unlabelled(categorizer, recipe)
        if unlabelled is not None:
            offer_unlabelled(ledger, unlabelled, actor)
        trained = ledger.train(actor=actor) if recipe.needs_training else None
    if is_fitted:
        if categorizer.hand_check_ is not None:
            covers = ledger.head.number if categorizer.is_check_current_ else None
            ledger.check(categorizer.hand_check_, covers, actor=actor)
        replayed = renew_check(ledger, trained) if trained else ledger.replay()
        check_same(replayed, categorizer)
        ledger.publish(replayed, actor=actor)


def renew_check(ledger: "Ledger", replayed: Replay) -> Replay:
    """The same model after the last event, which can only be a check by hand."""
    attach_check(replayed.model, ledger.find_learned().check)
    return replace(replayed, number=ledger.head.number)


def begin_beside(path: Path, location: str, actor: str, tell: Callable[[str], None]) -> bool:
    """Begin the ledger of a model file, unless there is one. Returns False if the model can't learn: then it has none."""
    from tercet.categorizer.files.save_load import load
    from tercet.ledger.ledger import Ledger

    if has_ledger(location):
        return True
    model = load(path)
    if not isinstance(model, Categorizer) or model.is_pruned_:
        return False
    with Ledger.begin(location, model, actor=actor, wait_seconds=0.0) as begun:
        tell(f"begun: {begun.name} (what the model has learned and will learn)")
        if begun.has_start:
            tell(
                f"{path} does not keep its documents, so those that it has learned can't be unlearned or erased one by "
                "one, and it can't be trained again: `tercet ledger begin` with its documents makes a better ledger"
            )
    return True


def has_ledger(location: str) -> bool:
    from tercet.ledger.ledger import Ledger

    if not is_url(location):
        return Path(location).exists()
    try:
        Ledger.open(location).close()
    except NoLedger:
        return False
    return True


def list_kept(categorizer: Categorizer, recipe: ModelOptions) -> Documents:
    """The documents that a categorizer keeps, with their columns."""
    kept, shape = categorizer.fitted_.state.documents, recipe.shape
    assert kept is not None
    data, joined = kept.ordered.data, read_joined(PackedTexts(*kept.ordered.texts).tolist(), shape)
    columns = dict(joined.columns)
    numeric = categorizer.fitted_.settings.numeric
    columns |= {name: data.numbers[:, numeric.index(name)].tolist() for name in shape.numeric}
    if shape.domain is not None:
        assert data.domains is not None
        columns[shape.domain] = data.domains[0][data.domains[1]].tolist()
    labels, weights = data.labels[data.codes].tolist(), to_numbers(data.units)
    return Documents(joined.texts, labels, weights, columns, text_columns=shape.text_columns)


def read_joined(texts: list[str], shape: DocumentShape) -> Documents:
    """Texts as the kernel reads them, with their categories as columns."""
    # The categories follow the texts.
    parts = [text.rsplit(SEPARATOR, len(shape.categorical)) if shape.categorical else [text] for text in texts]
    own, *categories = map(list, zip(*parts, strict=True)) if parts else [[] for _ in range(1 + len(shape.categorical))]
    return Documents(own, columns=dict(zip(shape.categorical, categories, strict=True)), text_columns=shape.text_columns)


def list_unlabelled(categorizer: Categorizer, recipe: ModelOptions) -> UnlabelledDocuments | None:
    """The texts without labels that a categorizer keeps; None if there are none."""
    kept = categorizer.fitted_.state.unlabelled if categorizer.__sklearn_is_fitted__() else None
    if kept is None or kept.documents is None:
        return None
    return UnlabelledDocuments(read_joined(PackedTexts(*kept.documents.ordered.texts).tolist(), recipe.shape), None)


def offer_unlabelled(ledger: "Ledger", unlabelled: UnlabelledDocuments, actor: str) -> None:
    """Offer texts without labels in a pool of their own, but for those that no model learns from."""
    documents = unlabelled.documents
    texts, subjects = list_texts(documents.texts), unlabelled.subjects
    good = [i for i, text in enumerate(texts) if text.replace(SEPARATOR, "").strip() and len(text) <= MAX_LENGTH]
    persons = None if subjects is None else [subjects[index] for index in good]
    ledger.append(changes.offer(ledger.recipe.shape, documents.pick(good), UNLABELLED, subjects=persons), actor)


def check_same(replayed: Replay, categorizer: Categorizer) -> None:
    """Raise InvalidOption unless the model that the first events give is this one."""
    if replayed.checksum != encode_model(*describe_file(categorizer))[0]:
        raise InvalidOption(
            "these documents do not give this model again: it has learned other documents, or something in it was fitted in "
            "another way (calibrate_on, --later, another version of tercet). Give all its documents, or train it anew. Nothing "
            "is written."
        )
