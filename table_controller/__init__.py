"""The table controller: open software that runs an automatic Guandan (掼蛋) table."""

__version__ = "0.1.0"
