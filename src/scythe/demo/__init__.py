"""Sites to try things on: a seed comes in, realistic pages with known text, images and metadata go out.

`site()` makes pages, `world()` a whole site of many kinds of pages, `scythe.demo.serve` serves it on loopback.
"""

from scythe.demo.build import DemoPage, GoldRecord, site
from scythe.demo.plan import BASE
from scythe.demo.world import World, world

__all__ = ["BASE", "DemoPage", "GoldRecord", "World", "site", "world"]
