"""Watch lists: pages that people named are visited when something new is due, and what is new is archived once."""
