"""The only place that knows the time: clocks, the one consumer loop, health."""
