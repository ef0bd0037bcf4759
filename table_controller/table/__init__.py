"""The table's core: events in, effects out, pure and synchronous. No clock, no I/O, no randomness."""
