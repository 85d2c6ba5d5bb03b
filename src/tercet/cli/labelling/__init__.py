"""`tercet label`: one text after another, one key for each decision.

`session.py` is the session, `screen.py` is what it shows, and `keys.py` reads keys from a terminal, or lines if there is
none. Everything is in the ledger at once, so a session can end at any time. ledger/label_queue.py chooses the next text, and
ledger/trainer.py trains in the background.
"""
