"""How a site fares."""
