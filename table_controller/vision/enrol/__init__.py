"""Learning one deck of cards: from labelled photographs, or from what an operator lays at the table."""
