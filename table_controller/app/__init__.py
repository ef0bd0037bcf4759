"""The only place that wires the parts together: a real table (``run``), and a simulated one (``demo``)."""
