"""Many workers on one archive: sites are handed over, processes on any number of machines work on them."""
