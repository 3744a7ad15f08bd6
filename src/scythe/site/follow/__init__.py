"""Apply learned rules to the parsed page: the reference for every cut."""
