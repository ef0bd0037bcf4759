"""Pages that the table serves itself: the scoreboard, and the control page for a table without a panel."""
