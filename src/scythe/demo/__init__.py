"""A site to try things on: a seed comes in, realistic pages with known text, images and metadata go out."""

from scythe.demo.build import DemoPage, GoldRecord, site
from scythe.demo.plan import BASE

__all__ = ["BASE", "DemoPage", "GoldRecord", "site"]
