"""Makes the reader's weights from rendered cards (and photographs, where given). See ``models/MODEL_CARD.md``."""
