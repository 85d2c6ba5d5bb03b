"""The server: models that answer, explain, learn and forget over HTTP, on top of their ledgers.

Read first: `routes.py`, the table of all operations: path, role, messages, function. `calls.py` turns a row into an endpoint,
`openapi.py` describes the same rows, and the test of all roles runs over them. `messages.py` has what clients send and get,
as types that msgspec checks. `problems.py` has errors as clients see them.

Around the endpoints are three layers (`app.py`): `Guard` (errors as JSON, headers, metrics), `CheckAddress` (`addresses.py`:
Host, Origin, prefix) and `Identify` (`access.py`: who asks, how often). `accounts.py` keeps users and tokens; a session is a
token in a cookie. `log_ins.py` limits guesses of passwords, `limits.py` says how much a client may ask for, and
`prometheus.py` counts.

The operations: `classify.py`, `line_streams.py` (streams of lines), `teach.py`, `labelling.py`, `pools.py`, `history.py`,
`quality.py`, `hand_checks.py`, `words.py`, `files.py`, `about.py`, `sessions.py`, `beginnings.py` (new models from texts
without labels), `progress.py` (server-sent events). `quality.py` and `words.py` remember what they have worked out until it
changes. `uploads.py` has files and streams as they arrive.

`served_model.py` is a model with its `LiveModel` (ledger/live.py), which follows the events of the ledger step by step. Short
requests are answered in the thread of the event loop; whatever takes longer, or waits for the disk, runs in another thread.
`threads.py` has a lane of threads for each kind of work (who is asking, short answers, long ones, changes),
in which users take turns; `waits.py` has the requests that wait for an event. ledger/trainer.py trains in the background.

`memory.py` gives free memory back to the operating system.

`start.py` starts everything: it holds the locks of the ledgers, listens, and starts one process or several (`--workers`),
which open the ledgers under these locks and follow each other. Its `Connection` cuts off clients that send no request. After
a signal, answers that are under way have ten seconds, the last things ten more, and the process ends after 25 at the latest.

The page is in `pages/`, as plain modules and style sheets without a build step. `app.py` serves every file of the folder by
its ending. `index.html` loads `start.js`: it exchanges the token of the link for a cookie, or shows `login.js`, and opens
`page.js`, which has the header, the addresses of the views (`#/MODEL/VIEW`), and the news of the server. Each view is a
module (`classify.js`, `label.js`, `check.js`, `history.js`, `quality.js`, `words.js`, `about.js`, `begin.js`) with a function
`open`, and is loaded when it is needed.

- `context.js`: who is there, the chosen model, and the last steps of this person.
- `api.js`: requests with their CSRF token, refusals, and the stream of events.
- `elements.js`: `make` makes every element: data become text nodes and attributes, never markup. `renew` replaces content
  that has changed, and keeps the focus.
- `messages.js`, `dialogs.js`, `keys.js`: what is announced; questions; keys and their list.
- `document_form.js`, `choices.js`, `evidence.js`: a document to classify; labels to choose; coloured words.
- `long_list.js`: a list of any length. Pages come and go, and the document stays small.
- `disagreements.js`, `pool_import.js`, `erasure.js`, `relabel.js`: parts of views, and dialogs.
- `offered_text.js`, `hand_checks.js`: a text of a pool; the result of a check by hand.
- `table_file.js`: a table that is sent as it is, in its encoding.
- `charts.js`, `markdown.js`: small charts; the Markdown of a card as elements.
- `style.css`, `views.css`: colours, type and common elements; the views.
- `docs.html`, `docs.js`, `docs.css`: the page of all operations, from the OpenAPI document.

The browser allows only files of the server (Content-Security-Policy), no inline script and no style attribute.
tests/server/test_page_sources.py checks the files, and tests/helpers/browsers.py visits the page with Debian's Chromium
(`make test-browser`). scripts/make_screenshots.py takes the pictures of the docs (`make pictures`), and
tests/figures/test_pictures.py fails if the page has changed since.
"""
