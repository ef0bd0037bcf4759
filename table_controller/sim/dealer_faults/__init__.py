"""Every fault of the dealer in every state it can strike in, on every simulated dealer: declared once, run, and written
down in docs/dealer-faults.md."""
