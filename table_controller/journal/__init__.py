"""The append-only record of a table: CRC'd JSON lines in a hash chain, durable before anything acts; and its replay."""
