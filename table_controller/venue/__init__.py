"""Many tables: archive, delay relay, referee API, standings, and the files of the broker that serves them."""
