"""What the other folders stand on: hashing, fingerprints, checks of arguments."""
