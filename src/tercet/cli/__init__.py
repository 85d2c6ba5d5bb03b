"""The command line: one thin file for each command, which parses options, calls the library and prints.

`main.py` starts the program and sets the exit code. `commands.py` lists the commands, and says how each is defined: options
in sections, and examples below them, which a test runs. A command `tercet NAME` is in the file `NAME.py`.

Shared by several commands: `inputs.py` (arguments that are texts or files), `output.py` and `table_file.py` (where results
go), `talk.py` (messages and progress on standard error), `predictions.py` (the predictions of a model for a stream),
`system_answers.py` (gold labels and answers from files, and which belong together), `model_change.py` and `ledger_writer.py`
(commands that change a model), `stop_signals.py`. The folder `options` has options, the folder `labelling` the session of
`tercet label`.

Heavy packages are imported inside functions, so that `--help` is quick. Standard output has results only.
"""
