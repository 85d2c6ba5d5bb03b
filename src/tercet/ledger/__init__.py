"""What was learned and forgotten, when and by whom: a chain of events that replays to the same model.

Read first: `events.py` (an event, and the chain of hashes), `ledger.py` (opening, appending, and group commit), `changes.py`
(what can be written), `history.py` (which documents are learned), `replay.py` (events → model), `live.py` (the model of now).
Then `database.py` (all SQL, for SQLite and PostgreSQL), `documents.py` (a document as the content of an event, in one form
for each document), `model_options.py` (the options of a categorizer, as the first event holds them), `beginning.py`,
`publishing.py` (trains, and writes down checksums), `trainer.py` (says when to train, and trains in the background),
`erasure.py`, `certificate.py`, `verification.py`, `backup.py`, `event_index.py` (finds events by actor, verb, label and time,
in memory).

A change (`changes.py`) is a function from the history to drafts of events. It is called when its turn has come, so it sees
all events before it, and may refuse.

Labelling: `labelling.py` folds the events about texts that are offered and judged, as `history.py` does for documents.
`pools.py` offers the texts of a file, and keeps where each text of a pool stands, so that large pools are listed at once.
`label_queue.py` chooses the next text. `proposals.py` compares the proposals of the model with the labels of people. `tercet
label` and the server use all of it.

`replay` is a pure function of the documents that the last training covered and of those that are learned. Learning comes
before forgetting there, so that a term that comes back has the weight that it was trained with.

`LiveModel` follows the events. It has three locks: `_following` is held while events are applied, so states come in order;
the turn of the ledger, while the history is read; and `_changing`, while counts change in place. An answer notes the state,
calls its function, and looks whether the state is still the same; if not, it calls it again with `_changing`. Whatever takes
long (a build after an erasure or a training of another process, `train`) works on a model of its own without a lock, and is
swapped in with `_following`. The file is replaced only together with its `publish` event, under the lock of the file, and
never with a model from before an erasure.

The law is that the live model equals `replay(number)`, byte for byte. Counts do not depend on the order of events. Trained
weights can: a term that disappears may lose its weight before it comes back. `count_lost` (`replay.py`) knows which terms
have lost theirs, and then the model is made anew.
"""
