"""``python -m table_controller.sim.dealer_faults``: writes docs/dealer-faults.md of a checkout."""

from __future__ import annotations

from pathlib import Path

from table_controller.sim.dealer_faults.document import render

if __name__ == "__main__":
    Path("docs/dealer-faults.md").write_text(render(), encoding="utf-8")
