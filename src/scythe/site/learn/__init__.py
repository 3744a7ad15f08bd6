"""Learn a site: turn pages and what was read from them into a profile of rules."""
