"""What was learned and forgotten, when and by whom: a chain of events that replays to the same model."""
