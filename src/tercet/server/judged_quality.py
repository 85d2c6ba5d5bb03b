"""Proposals and agreement of a model, worked out once for each event."""

from threading import Lock

from tercet.ledger.proposals import Proposals, list_by_judge
from tercet.report.agreement import Agreement, measure_agreement
from tercet.server.served import ServedModel


class JudgedQuality:
    """What follows from all judgments up to the last event."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._proposals: tuple[int, Proposals] | None = None
        self._agreement: tuple[int, Agreement | None] | None = None

    def find_proposals(self) -> Proposals:
        ledger = self.served.check_ledger()
        with self._lock, ledger.turn:  # nobody changes the history meanwhile
            if self._proposals is None or self._proposals[0] != ledger.history.last:
                self._proposals = ledger.history.last, Proposals.of(ledger.history)
            return self._proposals[1]

    def find_agreement(self) -> Agreement | None:
        """None before somebody has given a label."""
        ledger = self.served.check_ledger()
        with self._lock:
            with ledger.turn:
                number = ledger.history.last
                if self._agreement is not None and self._agreement[0] == number:
                    return self._agreement[1]
                judgments = list_by_judge(ledger.history)
            self._agreement = number, measure_agreement(judgments) if judgments else None
            return self._agreement[1]
