"""Deals are numbered anew in each game: a result is told by its round and game as well"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Forwards."""
    with op.batch_alter_table("result") as batch:
        batch.drop_constraint("one_result", type_="unique")
        batch.create_unique_constraint("one_result", ["tbl", "boot", "round", "game", "deal"])
