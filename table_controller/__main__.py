"""``python -m table_controller``: the same as ``table-controller``."""

import sys

from table_controller.cli import main

if __name__ == "__main__":
    sys.exit(main())
