"""Watch lists: archive each new record once and plan the next visit."""
