"""Lamps, buttons and the buzzer on the Pi's pins, through gpiozero. Debounce is pure code."""
