"""The delay before air: spooled to disk, in order, neither skipped nor repeated, with corrections made in time."""
