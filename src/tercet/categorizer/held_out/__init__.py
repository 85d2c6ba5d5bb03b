"""held_out."""
