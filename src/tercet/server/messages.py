"""What clients send and what they get back, as JSON. The types check requests, and describe them in the OpenAPI document."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Label = str | int | float
Cell = str | int | float | bool | None
Number = Annotated[int, Meta(ge=1, le=2**62)]  # of an event
Judges = Annotated[int, Meta(ge=1, le=100)]
Note = Annotated[str, Meta(max_length=2000)]


class Request(Struct, kw_only=True, forbid_unknown_fields=True):
    """A request. Unknown fields are refused: they may be misspelled."""


class Document(Request, kw_only=True):
    """A document: a text, or the columns that the model reads, by name."""

    text: str | None = None
    columns: dict[str, Cell] = {}


class LearnedDocument(Document, kw_only=True):
    """A document with its label. `subject` is the person whom it is about."""

    label: Label
    weight: float = 1.0
    subject: str | None = None


class Classify(Request, kw_only=True):
    """Texts or documents to classify: give one of `text`, `texts` and `documents`.

    `top` is the number of labels to list with their probabilities; 0 lists all. With `after`, the answer waits until the model
    has this event.
    """

    text: str | None = None
    texts: list[str] | None = None
    documents: list[Document] | None = None
    top: Annotated[int, Meta(ge=0)] = 1
    after: Number | None = None


class Explain(Document, kw_only=True):
    """A document to explain: the evidence for `label` (by default the best) against another one (by default the second)."""

    label: Label | None = None
    against: Label | None = None
    arithmetic: bool = False
    after: Number | None = None


class Learn(Request, kw_only=True):
    """Documents to learn. A label that the model does not know is refused, unless `new_labels` is true."""

    documents: Annotated[list[LearnedDocument], Meta(min_length=1)]
    new_labels: bool = False


class Unlearn(Request, kw_only=True):
    """Documents to forget, or the events that learned them. Their texts stay in the ledger, so this can be undone."""

    documents: list[LearnedDocument] | None = None
    events: list[Number] | None = None


class Relabel(Request, kw_only=True):
    """A new label for the document of an event."""

    event: Number
    label: Label
    new_labels: bool = False


class Undo(Request, kw_only=True):
    """The event to undo."""

    event: Number


PersonNames = Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=20)]


class Erase(Request, kw_only=True):
    """Whose documents, or the documents of which events, to delete for ever.

    `names` are other names and e-mail addresses of the person. Texts of other people that have one are counted, not deleted.
    """

    subject: str | None = None
    events: list[Number] | None = None
    names: PersonNames = []


class FindMentions(Request, kw_only=True):
    """Whom to look for in the texts of other people: the subject, and other names and e-mail addresses."""

    subject: str | None = None
    names: PersonNames = []
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class Search(Request, kw_only=True):
    """Which events to list, the newest first.

    `before` is the number of the oldest event of the page before. With `newer_than`, the page has the next events after this
    number. `without` has verbs that are left out.
    """

    before: Number | None = None
    newer_than: Number | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    actor: str | None = None
    verb: str | None = None
    without: list[str] = []
    label: Label | None = None
    subject: str | None = None
    since: str | None = None
    until: str | None = None


class DeletePool(Request, kw_only=True):
    """Which pool to delete."""

    pool: str


class NextTexts(Request, kw_only=True):
    """Which texts of a pool to judge next. `judges` is how many people should judge each text.

    "suggested" gives texts that are unlike each other, and from 20 learned documents on those between whose two best labels the
    model can hardly decide; "random" any of them.
    """

    pool: str
    order: Literal["suggested", "random"] = "suggested"
    limit: Annotated[int, Meta(ge=1, le=50)] = 1
    judges: Judges = 1
    after: Number | None = None


class GivenProposal(Struct, kw_only=True):
    """What the model had said before somebody judged the text: see `Proposed`."""

    label: Label
    probability: Annotated[float, Meta(ge=0, le=1)]
    event: Number | None = None


class PoolText(Struct):
    """A text without a label, and the person whom it is about."""

    text: str
    subject: str | None = None


class LabelWords(Request, kw_only=True):
    """What is known of a label: words that are expected in its texts, words that speak against it, a name, a description."""

    words: list[str] = []
    counter_words: list[str] = []
    name: str = ""
    description: str = ""


class Begin(Request, kw_only=True):
    """Texts without labels, and what is known of each label. `shares` say how frequent the labels are, if that is known."""

    texts: Annotated[list[PoolText], Meta(max_length=10_000)]
    labels: dict[str, LabelWords]
    shares: dict[str, float] | None = None


class MakeModel(Begin, kw_only=True):
    """The same, with the name of the new model, and of the pool that will have the texts."""

    name: str
    pool: Annotated[str, Meta(min_length=1, max_length=200)] = "texts"


class DrawCheck(Request, kw_only=True):
    """From which pool to draw how many texts for a check by hand. The same seed draws the same texts."""

    pool: str
    n: Annotated[int, Meta(ge=1, le=1000)] = 100
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0


class FindTexts(Request, kw_only=True):
    """Which offered texts to show."""

    offers: Annotated[list[Number], Meta(min_length=1, max_length=50)]


RightLabel = Annotated[str, Meta(min_length=1, max_length=1000)] | int | float | None


class SaveCheck(Request, kw_only=True):
    """The answers of a check by hand: for each text of the sample its right label, or null."""

    sample: str
    answers: Annotated[list[RightLabel], Meta(min_length=1, max_length=1000)]


class Judge(Request, kw_only=True):
    """A judgment of an offered text: a label, "unsure", "skip", or a note that decides nothing.

    The label is learned, unless `learn` is false, when at least so many people as `judges` agree, and nobody disagrees.
    """

    offer: Number
    kind: Literal["label", "unsure", "skip", "note"] = "label"
    label: Label | None = None
    note: Note | None = None
    proposal: GivenProposal | None = None
    learn: bool = True
    judges: Judges = 1
    new_labels: bool = False


class Correct(Document, kw_only=True):
    """A document with its right label, which is learned at once. `proposal` is what the model had said."""

    label: Label
    note: Note | None = None
    proposal: GivenProposal | None = None
    subject: str | None = None
    new_labels: bool = False


class FindDisagreements(Request, kw_only=True):
    """Which offers to list, the newest first. `before` is the number of the last offer of the page before."""

    pool: str | None = None
    before: Number | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class Settle(Request, kw_only=True):
    """The label that is right, although people gave different ones. It is learned."""

    offer: Number
    label: Label
    note: Note = "settled"
    new_labels: bool = False


class FindWord(Request, kw_only=True):
    """A word, or several that are one term of the model. With `counts_only`, no documents are looked through."""

    word: Annotated[str, Meta(min_length=1, max_length=200)]
    counts_only: bool = False


class CheckCertificate(Request, kw_only=True):
    """A certificate of an erasure. `subject` is the person that it should be about, and `model` a model whose ledger must
    agree."""

    certificate: dict[str, Any]
    subject: str | None = None
    model: str | None = None


class LogIn(Request, kw_only=True):
    """The token of a link or of a program, or a name and a password."""

    token: str | None = None
    name: str | None = None
    password: str | None = None


class NewToken(Request, kw_only=True):
    """A token for a program, for a number of days. Its role is at most that of its owner."""

    days: Annotated[float, Meta(gt=0, le=3660)] = 30
    role: str | None = None
    note: Annotated[str, Meta(max_length=200)] = ""


class State(Struct, kw_only=True):
    """Which model answers: the last event that it includes, and the last event that its training covers.

    `trained_to` is null if everything in the model follows from its counts. `is_trained` is false while the counts answer
    alone, because there was no training yet, or because a document that it had seen was erased.
    """

    model: str
    event: int
    trained_to: int | None
    is_trained: bool


class Scored(Struct):
    """A label and its probability."""

    label: Label
    probability: float


class Answer(Struct, omit_defaults=True):
    """The best label of a document with its probability, and if `top` asks for more, the best labels in order."""

    label: Label
    probability: float
    labels: list[Scored] = []


class Classified(State, kw_only=True):
    """The answers, in the order of the documents."""

    answers: list[Answer]


class Explained(State, kw_only=True):
    """The evidence, as `Explanation.to_dict` writes it.

    `highlights` are pieces of the text that do not overlap, in order: start, end (in code points) and value.
    """

    explanation: dict[str, Any]
    highlights: list[tuple[int, int, float | str]]


class Changed(State, kw_only=True):
    """The events that a change has appended."""

    events: list[int]


class Erased(Changed, kw_only=True):
    """An erasure. The certificate is null while a reader still holds old pages of the database: ask for it later.

    `unconfirmed` names the processes that have the ledger open, and did not say in time that they have dropped the documents.
    `mentions` is how many texts of other people mention the person; null if no name was given.
    """

    documents: int
    mentions: int | None
    unconfirmed: list[str]
    certificate: dict[str, Any] | None


class MentioningText(Struct, kw_only=True):
    """A text of another person, whose name is null if it is not known."""

    event: int
    subject: str | None
    text: str


class Mentions(State, kw_only=True):
    """How many texts of other people mention a person, and the first of them."""

    total: int
    texts: list[MentioningText]


class HistoryEvent(Struct, kw_only=True):
    """An event of the ledger. `is_in_effect` is false if it was undone; content and subject are null if they were erased.

    `label_now` is the label of a learned document after all corrections. `target_text` is the text that an event without a text
    is about: that was judged, relabelled, unlearned, or whose event was undone.
    """

    number: int
    time: str
    actor: str
    verb: str
    target: int | None
    subject: str | None
    content: dict[str, Any] | None
    hash: str
    is_in_effect: bool
    is_learned: bool | None
    label_now: Label | None
    target_text: str | None = None


class History(State, kw_only=True):
    """A page of events, the newest first."""

    events: list[HistoryEvent]


class PoolFacts(Struct):
    """A pool: how many texts it has, and where they stand. The last five numbers add up to the first."""

    pool: str
    offers: int
    open: int
    labelled: int
    unsure: int
    skipped: int
    disagreements: int


class PoolList(State, kw_only=True):
    """All pools."""

    pools: list[PoolFacts]


class BadRow(Struct):
    """A row of a file that is no document, and why."""

    row: int | None
    message: str


class Imported(State, kw_only=True):
    """What became of the texts of a file. `bad_rows` has the first 20, and `events` the first and the last event."""

    pool: str
    read: int
    offered: int
    skipped_duplicates: int
    bad: int
    bad_rows: list[BadRow]
    findings: list[str]
    events: list[int]


class FileFindings(Struct):
    """What the doctor finds in the texts of a pool, or in the documents that came with labels, if `pool` is null."""

    pool: str | None
    texts: int
    examined: int
    findings: list[str]


class Findings(State, kw_only=True):
    """What the doctor finds in imported files."""

    files: list[FileFindings]


class ImportProgress(Struct):
    """How far an import is."""

    pool: str
    read: int
    offered: int
    done: bool = False


class Proposed(Answer, kw_only=True):
    """What the model says of a text now, and the last event of this model."""

    event: int


class OwnJudgment(Struct, kw_only=True):
    """The last judgment of the person who asks."""

    event: int
    kind: str
    label: Label | None


class QueuedText(Struct, kw_only=True):
    """A text to judge. `columns` are those of a model that reads several; `proposal` is null without a model."""

    offer: int
    text: str
    columns: dict[str, Cell]
    row: int | None
    proposal: Proposed | None
    judged_by_me: OwnJudgment | None
    n_judgments: int


class QueuedTexts(State, kw_only=True):
    """The texts to judge next, the first one first."""

    offers: list[QueuedText]


class Judged(Changed, kw_only=True):
    """The events of a judgment, the number and the status of the offer, and whether its text is learned with this label now.

    If people gave different labels, it is still learned with the first one (`learned_label`), until somebody settles it.
    """

    offer: int
    status: str
    is_learned: bool
    learned_label: Label | None = None


class GivenLabel(Struct, kw_only=True):
    """A label that somebody gave."""

    event: int
    actor: str
    label: Label
    note: str | None
    time: str


class Disagreement(Struct, kw_only=True):
    """A text whose judges gave different labels."""

    offer: int
    pool: str
    text: str
    columns: dict[str, Cell]
    judgments: list[GivenLabel]
    proposal: Proposed | None


class Disagreements(State, kw_only=True):
    """A page of offers, the newest first."""

    offers: list[Disagreement]


class EstimateFacts(Struct):
    """A number with its interval; null if it is undefined, and then `note` says why."""

    value: float | None
    low: float | None
    high: float | None
    note: str


class ShareFacts(Struct, kw_only=True):
    """The share of a label among the texts of a pool, by a check by hand, and the share that the model gives it."""

    label: Label
    share: EstimateFacts
    predicted: float


class CheckFacts(Struct, kw_only=True):
    """A check by hand: how good the model was on a pool, from n of its n_pool texts.

    `is_current` is false if the model has changed since. `event`, `time` and `actor` are null if they are not known, or if the
    user may not see them.
    """

    pool: str
    n: int
    n_pool: int
    accuracy: EstimateFacts
    shares: list[ShareFacts]
    is_current: bool
    words: str
    event: int | None = None
    time: str | None = None
    actor: str | None = None


class Checks(State, kw_only=True):
    """The checks by hand, the newest first."""

    checks: list[CheckFacts]


class DrawnCheck(State, kw_only=True):
    """The texts to check, by the numbers of their offers, and the sealed sample, which comes back with the answers."""

    sample: str
    pool: str
    offers: list[int]
    labels: list[Label]
    n_pool: int


class CheckText(Struct, kw_only=True):
    """A text to check. `columns` are those of a model that reads several."""

    offer: int
    text: str
    columns: dict[str, Cell]


class CheckTexts(State, kw_only=True):
    """Texts to check."""

    texts: list[CheckText]


class SavedCheck(Changed, kw_only=True):
    """The event of a check by hand, and what it says."""

    check: CheckFacts


class AlphaFacts(EstimateFacts, kw_only=True):
    """Krippendorff's alpha of labels without an order, and the texts that at least two people have labelled."""

    n_units: int


class PairFacts(Struct):
    """Cohen's kappa of two people, on the n texts that both have labelled."""

    a: str
    b: str
    n: int
    kappa: EstimateFacts


class AgreementFacts(State, kw_only=True):
    """How far people agree."""

    alpha: AlphaFacts
    pairs: list[PairFacts]
    n_judges: int


class ProposalFacts(Struct):
    """How many proposals people have judged, how many were right, and the share with its interval."""

    n: int
    right: int
    accuracy: EstimateFacts


class RunningPoint(Struct, kw_only=True):
    """The accuracy of the first n proposals, up to an event."""

    event: int
    n: int
    accuracy: float
    low: float
    high: float


class LearningPoint(Struct, kw_only=True):
    """The accuracy of n proposals one after another, when the ledger had so many documents."""

    n_documents: int
    n: int
    accuracy: float
    low: float
    high: float


class ConfusionFacts(Struct):
    """How often each label (rows) was proposed as each label (columns). Of very many labels, the 200 that occur most."""

    labels: list[Label]
    cells: list[list[int]]


class CalibrationBin(Struct, kw_only=True):
    """The proposals whose probability is in a range."""

    low: float
    high: float
    n: int
    mean_probability: float
    accuracy: float


class CalibrationFacts(Struct):
    """Probabilities against accuracy; `error` is the mean difference."""

    bins: list[CalibrationBin]
    error: float | None


class SuspectFacts(Struct):
    """A document whose label looks wrong: `p` is the probability of its own label."""

    event: int
    text: str
    label: Label
    looks_like: Label
    p: float


class Quality(State, kw_only=True):
    """How good the model is by the judgments of people."""

    proposals: ProposalFacts
    running: list[RunningPoint]
    learning: list[LearningPoint]
    confusion: ConfusionFacts
    calibration: CalibrationFacts
    suspects: list[SuspectFacts]
    suspects_event: int | None


class GainFacts(State, kw_only=True):
    """What more labels would bring to the accuracy, by the documents up to `gain_event`.

    While `is_running`, the server works it out: ask again. `gain` is null before it is known, and if it can't be told: `words`
    says why.
    """

    is_running: bool
    gain_event: int | None
    documents: int | None
    more: int
    accuracy: float | None
    gain: EstimateFacts | None
    words: str


class WeighedWord(Struct):
    """A word, and its log-odds for a label against all others; null if they are infinite."""

    term: str
    log_odds: float | None


class Words(State, kw_only=True):
    """The words that are the strongest evidence for each label, the strongest first."""

    labels: dict[str, list[WeighedWord]]


class WordCount(Struct):
    """A term under a label: how often, in how many documents, and P(term | label) of naive Bayes or the trained weight."""

    label: Label
    count: float
    documents: float
    probability: float | None
    weight: float | None


class WordStep(Struct):
    """How many documents with this label have the term, since the step before and up to this event."""

    event: int
    label: Label
    n: int


class WordDocument(Struct):
    """A document that has the term."""

    event: int
    text: str
    label: Label


class WordFacts(State, kw_only=True):
    """What is known of a term. `read` is the number of documents that were looked through."""

    term: str
    known: bool
    counts: list[WordCount] = []
    read: int = 0
    trend: list[WordStep] = []
    documents: list[WordDocument] = []


class ProgressState(Struct):
    """The state of a model, and what its trainer does."""

    event: int
    trained_to: int | None
    is_trained: bool
    training: str


class ReadMail(Struct, kw_only=True):
    """An e-mail as a document: its text, and the columns of a model that reads several."""

    text: str
    columns: dict[str, Cell]
    subject: str | None
    sender: str | None = field(name="from")


class CertificateFaults(Struct):
    """What is wrong with a certificate, in sentences; nothing if it is true as far as this could be checked.

    `notes` says what is under no hash in an old certificate, and which processes have not confirmed the erasure.
    """

    faults: list[str]
    notes: list[str]


class ReadTexts(Struct, kw_only=True):
    """The texts of a file, at most 10,000, and the rows that could not be read, or have no text."""

    texts: list[PoolText]
    read: int
    bad: int
    bad_rows: list[BadRow]


class GuessedText(Struct):
    """A text with the probability of a label that was guessed."""

    text: str
    probability: float


class BegunLabel(Struct, kw_only=True):
    """A label of a first model: its share, the words that were given, the words that it stands on, words that may be added, and
    texts that are typical or doubtful."""

    label: str
    share: float
    words: list[str]
    evidence: list[str]
    proposed: list[str]
    typical: list[GuessedText]
    doubtful: list[GuessedText]


class BegunModel(Struct, kw_only=True):
    """A first model, of which nothing has been checked."""

    texts: int
    shares_are_given: bool
    labels: list[BegunLabel]
    notes: list[str]


class MadeModel(Struct, kw_only=True):
    """A new model, and the pool that has its texts. If `is_served` is false, the server serves it after the next start."""

    model: str
    pool: str
    texts: int
    is_served: bool


class ModelFacts(State, kw_only=True):
    """What a model is. `texts` and `numbers` are the columns of texts and of numbers among its columns.

    `check` is the last check by hand. `is_guessed` says that labels of its first documents were guessed by `tercet begin`.
    """

    kind: str | None
    labels: list[Label]
    columns: list[str]
    texts: list[str]
    numbers: list[str]
    documents: float | None
    terms: int | None
    estimate: dict[str, Any] | None
    check: CheckFacts | None
    is_guessed: bool
    can_learn: bool
    can_train: bool
    training: str
    fingerprint: str | None


class Models(Struct):
    """All models of the server. `can_begin` says whether an admin can begin new ones."""

    models: list[ModelFacts]
    can_begin: bool = False


class Training(State, kw_only=True):
    """What the trainer does: "idle", "running", or the error of the last training."""

    training: str


class Session(Struct):
    """Who is asking. `csrf` is sent back in the header X-CSRF-Token of each change that is made with the cookie."""

    name: str
    role: str
    csrf: str | None


class IssuedToken(Struct):
    """A token, which is shown once: the server keeps only its hash."""

    token: str
    id: str
    expires: str


class TokenFacts(Struct):
    """A token, without itself."""

    id: str
    kind: str
    role: str
    note: str
    expires: str


class Tokens(Struct):
    """The sessions and tokens of a user."""

    tokens: list[TokenFacts]


class Health(Struct):
    """Whether the server answers."""

    status: str


class Fault(Struct, omit_defaults=True):
    """What went wrong: a short code, and a sentence that says what to do. `charset` is what a file seems to be written in."""

    code: str
    message: str
    charset: str | None = None


class Failure(Struct):
    """The form of every error."""

    error: Fault
