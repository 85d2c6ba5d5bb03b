"""What was learned and forgotten, when and by whom: a chain of events that replays to the same model.

Read first: `events.py` (an event, and the chain of hashes), `ledger.py` (opening, appending, and group commit), `changes.py`
(what can be written), `history.py` (which documents are learned), `replay.py` (events → model), `live.py` (the model of now).
Then `database.py` (all SQL, for SQLite and PostgreSQL), `documents.py` (a document as the content of an event, in one form
for each document), `model_options.py` (the options of a categorizer, as the first event holds them), `beginning.py`,
`publishing.py` (trains, and writes down checksums), `trainer.py` (says when to train, and trains in the background),
`rehearsal.py` (asks the model whether it accepts new events), `lost_model.py` (names the event that has taken a model away),
`erasure.py`, `certificate.py`, `open_processes.py` (who has the ledger open, and must drop what is erased), `mentions.py`
(texts of others that mention an erased person), `verification.py`, `backup.py`, `event_index.py` (finds events by actor, verb,
label and time, in memory).

A change (`changes.py`) is a function from the history to drafts of events. It is called when its turn has come, so it sees
all events before it, and may refuse. Then the model is asked (`rehearsal.py`). Only then are the events committed.

Labelling: `labelling.py` folds the events about texts that are offered and judged, as `history.py` does for documents.
`pools.py` offers the texts of a file, and keeps where each text of a pool stands, so that large pools are listed at once.
`label_queue.py` chooses the next text. `proposals.py` compares the proposals of the model with the labels of people, and
`expected_gain.py` says what the next labels would bring. `tercet label` and the server use all of it. `pool_sample.py` draws
texts of a pool for a check by hand, whose result is a `check` event.

`replay` is a pure function of the documents that the last training covered and of those that are learned. Learning comes
before forgetting there, so that a term that comes back has the weight that it was trained with.

Locks are taken in this order, and never the other way round, so nobody waits for ever:

1. the lock file of the ledger, while it is open for writing (`Ledger.open`, `Ledger.hold`); PostgreSQL needs none;
2. the lock file of the model (`lock_file`; in `write_whole`, too), while it is read, changed and replaced;
3. `LiveModel._following`; 4. `Ledger.turn`; 5. the transaction of the database (`take_turn` in a file that several processes
   share, the lock of the table in PostgreSQL); 6. `LiveModel._changing`; 7. the lock of a Categorizer (`hold`).

A training takes its two locks before all of them: `MODEL.training`, for which nobody waits, and `LiveModel._training`. Whoever
waits for a lock file or a table says so (`tell`). A server waits for a model file for a limited time only.

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
