"""The archive's database: tables, migrations, and how to open it."""
