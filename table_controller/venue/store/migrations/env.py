"""Alembic runs this: it is given a connection by ``database.migrate``."""

from __future__ import annotations

from alembic import context

from table_controller.venue.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
