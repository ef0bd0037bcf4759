"""Pictures of prompt circles beside those of plays"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Forwards."""
    with op.batch_alter_table("evidence") as batch:
        batch.add_column(sa.Column("area", sa.String(length=20), server_default="play", nullable=False))
        batch.drop_constraint("one_picture", type_="unique")
        batch.create_unique_constraint("one_picture", ["tbl", "boot", "deal", "area", "play", "name"])
