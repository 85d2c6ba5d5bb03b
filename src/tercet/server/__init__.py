"""The server: models that answer, explain, learn and forget over HTTP, on top of their ledgers.

`routes.py` lists what can be asked for, and who may ask. `app.py` ties everything together, and `serving.py` starts it.
"""
