"""The options of commands: how they are written, parsed and checked, and what is made of them.

`option_values.py` has the types of values. `analyzer_options.py` makes an option for each parameter of an `Analyzer`,
`model_options.py` has those of the model, and `config.py` makes a categorizer of both, and reads and writes them as TOML.
`reading_options.py` opens the documents, `label_options.py` chooses their labels, and `measuring_options.py` says what is
measured.
"""
