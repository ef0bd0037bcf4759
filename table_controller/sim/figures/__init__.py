"""Figures that anyone can repeat: rendered scenes by seed, read by the product's eye, scored against the truth."""
