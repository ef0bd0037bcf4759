"""Generates the drawings, harness files and tables of this folder: ``python -m hardware.tools [--check]``."""
