"""A bundled demo site with known content: generated pages, a server on loopback and the show of `scythe demo`.

`site()` makes pages, `world()` a whole site, `scythe.demo.serve` serves it.
"""

from scythe.demo.build import DemoPage, GoldRecord, site
from scythe.demo.plan import BASE
from scythe.demo.world import World, world

__all__ = ["BASE", "DemoPage", "GoldRecord", "World", "site", "world"]
