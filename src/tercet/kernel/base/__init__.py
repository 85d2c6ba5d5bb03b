"""The parts that the other folders use: hashing, fingerprints, checks of arguments."""
