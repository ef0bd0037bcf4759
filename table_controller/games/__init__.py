"""Pure rules, one package a game family: no clock, no I/O, the standard library only."""
