"""When lists are visited, and why."""
