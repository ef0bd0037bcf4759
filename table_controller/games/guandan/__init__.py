"""Guandan (掼蛋): readings of cards, what beats what, tricks, tribute, deals and levels, by profile.

Sources are cited as seed and line: 000 = Huai'an competition rules, 003 = national competition rules (trial).
"""
