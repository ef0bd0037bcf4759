"""``python -m table_controller``: the same as ``table-controller``."""

import sys

from table_controller.cli import main

sys.exit(main())
