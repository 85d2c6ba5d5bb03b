"""Random messages of all verbs, with odd labels, weights, texts and events. Nothing that is written may take a model away.

Models of several kinds are served: with documents and without, with rules, priors, margins, a calibration, and columns. After
each batch of messages the model must answer, equal the replay byte for byte, and be there after a restart; the ledger must
verify. Then the same verbs are called through the ledger itself, without a server. By default there are 300 messages, with
--full 2,000 over HTTP and 2,000 through the ledger.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from checks import report, wants_all

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.servers import Served, serve_here

import tercet
from tercet import Categorizer, Documents, Ledger
from tercet.counts.selection import MostInformative
from tercet.errors import TercetError
from tercet.ledger.changes import Verdict
from tercet.ledger.live import LiveModel
from tercet.ledger.lost_model import find_problem
from tercet.ledger.verification import verify
from tercet.server.limits import Limits
from tercet.server.served_model import ModelLocation
from tercet.store.model_file import read_checksum

BATCH = 25  # messages between two looks
WORDS = ["good", "bad", "film", "story", "dull", "lovely", "cast", "mess", "plot", "great", "awful"]
LABELS = ["pos", "neg"]
ODD_LABELS: list[Any] = ["new", "", " ", "a\0b", "b\0", "x\ny", "l" * 5000, "é", "\ud800", 7, -1, 2**70, 1.0, 1.5, True, "\x1f"]
ODD_WEIGHTS = [0.0, -1.0, 2.0**-21, 1e-300, 0.5, 2.0**20, 2.0**32, 2.0**33, 2.0**38, 2.0**40, 2.0**41, 2.0**42, 1e300, 3.7]
ODD_TEXTS = ["", " ", "\0", "\ud800", "a\x1fb", "good " * 20000, "é" * 999, "\u2028", "<script>", "7"]
FIRST = Documents(
    ["so good a film", "a lovely cast", "dull and bad", "an awful plot", "great", "a mess"],
    ["pos", "pos", "neg", "neg", "pos", "neg"],
    columns={"age": [1, 2, 3, 4, 5, 6], "site": ["a", "b", "a", "b", "a", "b"]},
)
PLAIN = Documents(FIRST.texts, FIRST.labels)
KINDS: dict[str, tuple[Callable[[], Categorizer], Documents]] = {
    "naive Bayes": (Categorizer, PLAIN),
    "rules": (lambda: Categorizer(rules={"cast": "pos", "mess": "neg"}), PLAIN),
    "a list of priors": (lambda: Categorizer(model=tercet.NaiveBayes(prior=[0.3, 0.7])), PLAIN),
    "priors by label": (lambda: Categorizer(model=tercet.NaiveBayes(prior={"pos": 0.5, "neg": 0.25, "new": 0.25})), PLAIN),
    "margins": (lambda: Categorizer(model=tercet.LinearSVM()), PLAIN),
    "a calibration": (lambda: Categorizer(calibrate="temperature"), PLAIN),
    "columns": (lambda: Categorizer(numeric=["age"], categorical=["site"]), FIRST),
    "domains": (lambda: Categorizer(select=MostInformative(5, "ld", domain="site")), FIRST),
    "no documents": (lambda: Categorizer().fit(PLAIN), PLAIN),
}
COLUMNS = {"columns": ("age", "site"), "domains": ("site",)}


class Chooser:
    """Chooses what to send."""

    def __init__(self, seed: str, columns: tuple[str, ...] = ()) -> None:
        self.rng, self.names, self.last = random.Random(seed), columns, 7

    def choose(self, usual: list[Any], odd: list[Any], share: float = 0.2) -> Any:
        return self.rng.choice(odd if self.rng.random() < share else usual)

    def number(self) -> int:
        """The number of an event, or nearly."""
        return self.rng.choice([0, -1, 2**62, self.last + 1]) if self.rng.random() < 0.05 else self.rng.randint(1, self.last)

    def numbers(self) -> list[int]:
        return [self.number() for _ in range(self.rng.choice([1, 1, 2, 3, 6]))]

    def text(self) -> str:
        return str(self.choose([" ".join(self.rng.choices(WORDS, k=4)), *FIRST.texts], ODD_TEXTS))

    def label(self) -> Any:
        return self.choose(LABELS, ODD_LABELS)

    def weight(self) -> float:
        return float(self.choose([1.0], ODD_WEIGHTS))

    def subject(self) -> str | None:
        return self.choose([None, "ann", "ben"], ["", "\0", "\ud800", "é"], 0.1)

    def columns(self) -> dict[str, Any]:
        age = self.choose([1, 2.5, 7], ["x", None, 1e308, True])
        site = self.choose(["a", "b"], [7, None, "", True, "\x1f", "\ud800"])
        return {name: value for name, value in {"age": age, "site": site}.items() if name in self.names}

    def document(self) -> dict[str, Any]:
        columns = {"columns": own} if (own := self.columns()) else {}
        return {"text": self.text(), **columns}

    def labelled(self) -> dict[str, Any]:
        return {**self.document(), "label": self.label(), "weight": self.weight(), "subject": self.subject()}

    def message(self) -> tuple[str, dict[str, Any]]:
        """An operation and its message."""
        new = {"new_labels": self.rng.random() < 0.8}
        kind, judged = (
            self.choose(["label"], ["unsure", "skip", "note"]),
            {"offer": self.number(), "judges": self.rng.choice([1, 2])},
        )
        label = {"label": self.label()} if kind == "label" else {}
        messages: dict[str, dict[str, Any]] = {
            "learn": {"documents": [self.labelled() for _ in range(self.rng.choice([1, 1, 2, 5]))], **new},
            "unlearn": {"events": self.numbers()},
            "relabel": {"event": self.number(), "label": self.label(), **new},
            "undo": {"event": self.number()},
            "correct": {**self.document(), "label": self.label(), "subject": self.subject(), **new},
            "judge": {**judged, "kind": kind, **label, "learn": self.rng.random() < 0.8, **new},
            "settle": {"offer": self.number(), "label": self.label(), **new},
            "erase": {"events": self.numbers()} if self.rng.random() < 0.7 else {"subject": self.subject()},
            "train": {},
            "pools": {"texts": [self.text() for _ in range(3)]},
        }
        verbs = [*messages, "learn", "unlearn", "unlearn", "relabel", "undo", "undo"]
        verb = self.rng.choice([verb for verb in verbs if verb != "erase" or self.rng.random() < 0.3])
        return verb, messages[verb]


def prepare(folder: Path, name: str) -> ModelLocation:
    """The ledger of a model of this kind."""
    make, documents = KINDS[name]
    path, ledger = folder / "reviews.tercet", folder / "reviews.ledger"
    model = make()
    is_fitted = model.__sklearn_is_fitted__()
    Ledger.begin(ledger, model, None if is_fitted else documents, actor="ann").close()
    return ModelLocation("reviews", path, str(ledger))


# Over HTTP.


def send(served: Served, chooser: Chooser) -> tuple[str, int]:
    """Send one message. Its verb and the status of the answer are returned."""
    verb, message = chooser.message()
    if verb == "pools":
        rows = "".join(json.dumps({"text": text}) + "\n" for text in message["texts"])
        more = {"content": rows.encode("utf-8", "surrogatepass"), "headers": {"Content-Type": "application/x-ndjson"}}
        answer = served("POST", f"/api/models/reviews/pools?name=p{chooser.rng.randrange(2)}", **more)
    else:
        body = json.dumps(message).encode()  # NaN and lone surrogates, too
        answer = served("POST", f"/api/models/reviews/{verb}", content=body, headers={"Content-Type": "application/json"})
    with suppress(ValueError, AttributeError):
        chooser.last = max(chooser.last, answer.json().get("event") or 0)
    return verb, answer.status_code


def wait_for_training(served: Served) -> None:
    for _ in range(500):
        if served("GET", "/api/models/reviews/train").json()["training"] != "running":
            return
        time.sleep(0.01)


def look(served: Served, place: ModelLocation) -> list[str]:
    """What is wrong with the model that is served."""
    wait_for_training(served)
    read = served("GET", "/api/models/reviews").json()["columns"]
    columns = {name: value for name, value in {"age": 1, "site": "a"}.items() if name in read}
    answer = served.post("classify", {"documents": [{"text": "a good film", "columns": columns}]})
    found = [] if served("GET", "/ready").status_code == 200 else ["it is not ready"]
    if answer.status_code != 200:
        is_empty = "no document" in answer.text or "no_model_yet" in answer.text
        return [*found, *([] if is_empty else [f"no answer: {answer.text[:200]}"])]
    exported = served("GET", "/api/models/reviews/export")
    file = place.path.with_name("exported.tercet")
    file.write_bytes(exported.content)
    assert place.ledger is not None
    replayed = Ledger.open(place.ledger).replay()
    return found + ([] if read_checksum(file) == replayed.checksum else [f"the model is not the replay of {replayed.number}"])


def try_server(name: str, n_messages: int) -> tuple[str, bool]:
    statuses: Counter[int] = Counter()
    faults: list[str] = []
    verbs: set[str] = set()
    with TemporaryDirectory() as folder:
        place = prepare(Path(folder), name)
        chooser = Chooser(name, COLUMNS.get(name, ()))
        for _ in range(-(-n_messages // BATCH)):
            (Path(folder) / "team.users").unlink(missing_ok=True)
            with serve_here(Path(folder), [place], limits=Limits(rate=1e9)) as served:
                faults += [f"after a restart: {fault}" for fault in look(served, place)]
                for _ in range(BATCH):
                    verb, status = send(served, chooser)
                    statuses[status] += 1
                    verbs |= {verb} if status < 300 else set()
                faults += look(served, place)
            faults += [] if place.ledger is not None and verify(place.ledger).is_good else ["it does not verify"]
    is_good = not faults and not any(status >= 500 for status in statuses)
    said = f"{sum(statuses.values())} messages, {statuses[200] + statuses[201] + statuses[202]} accepted, {len(verbs)} verbs"
    return f"over HTTP, {name}: {said}, statuses {dict(sorted(statuses.items()))}, {len(faults)} faults {faults[:3]}", is_good


# Through the ledger.


def act(ledger: Ledger, chooser: Chooser) -> None:
    """Do what one message says."""
    verb, message = chooser.message()
    chosen: dict[str, Callable[[], object]] = {
        "learn": lambda: ledger.learn(collect(message["documents"]), actor="ann"),
        "unlearn": lambda: ledger.unlearn(events=message["events"], actor="ann"),
        "relabel": lambda: ledger.relabel_event(message["event"], message["label"], actor="ann"),
        "undo": lambda: ledger.undo(message["event"], actor="ann"),
        "correct": lambda: ledger.correct(collect([message], False), Verdict(label=message["label"]), pool="p", actor="ann"),
        "judge": lambda: ledger.judge(message["offer"], Verdict(label=message.get("label")), actor="ben"),
        "settle": lambda: ledger.judge(message["offer"], Verdict(label=message["label"], settles=True), actor="cem"),
        "erase": lambda: ledger.erase(message.get("subject"), events=message.get("events", ()), actor="ann"),
        "train": lambda: ledger.train(actor="ann"),
        "pools": lambda: ledger.offer(collect([chooser.document() for _ in range(3)], False), pool="p", actor="ann"),
    }
    chosen[verb]()


def collect(documents: list[dict[str, Any]], labelled: bool = True) -> Documents:
    texts, columns = [each["text"] for each in documents], [each.get("columns", {}) for each in documents]
    given = {name: [own[name] for own in columns] for name in columns[0]}
    if not labelled:
        return Documents(texts, columns=given)
    return Documents(texts, [each["label"] for each in documents], [each["weight"] for each in documents], given)


def try_ledger(name: str, n_changes: int, follows: bool) -> tuple[str, bool]:
    refused = 0
    faults: list[str] = []
    with TemporaryDirectory() as folder:
        place = prepare(Path(folder), name)
        assert place.ledger is not None
        chooser = Chooser(f"ledger {name} {follows}", COLUMNS.get(name, ()))
        for _ in range(-(-n_changes // BATCH)):
            with Ledger.open(place.ledger, write=True) as ledger:
                live = LiveModel(ledger, place.path) if follows else None
                for _ in range(BATCH):
                    chooser.last = ledger.head.number
                    try:
                        act(ledger, chooser)
                    except TercetError:
                        refused += 1
                    except Exception as error:
                        faults.append(f"{type(error).__name__}: {error}"[:200])
                faults += look_at_ledger(ledger, live)
            faults += [] if verify(place.ledger).is_good else ["it does not verify"]
    how = "followed" if follows else "alone"
    return (
        f"through the ledger, {how}, {name}: {n_changes} changes, {refused} refused, {len(faults)} faults {faults[:3]}",
        not faults,
    )


def look_at_ledger(ledger: Ledger, live: LiveModel | None) -> list[str]:
    problem = find_problem(ledger)
    faults = [] if problem is None or "no document has it" in str(problem) else [str(problem)]
    if live is not None:
        live.follow()
        if live.model is not None:
            replayed = ledger.replay()
            is_same = replayed.model.fitted_.state.is_same(live.model.fitted_.state)
            faults += [] if is_same and replayed.training == live.training else ["the model is not the replay"]
        elif live.state.is_gone:
            faults.append(live.problem)
    return faults


def attack() -> Iterator[tuple[str, bool]]:
    n = 2000 if wants_all() else 300
    each = -(-n // len(KINDS))
    for name in KINDS:
        yield try_server(name, each)
    for follows in (False, True):
        yield from map(partial(try_ledger, n_changes=each // 2, follows=follows), KINDS)


if __name__ == "__main__":
    report(attack())
