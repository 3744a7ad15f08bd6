"""Watch lists: pages come in, each new record goes into the archive once, and the next visit is planned."""
