"""Demo sites that many tests look at, made once in a process."""

from functools import cache

from scythe.demo import DemoPage, site


@cache
def demo_site(pages: int = 60, design: int = 0) -> tuple[DemoPage, ...]:
    """Return a site, as `scythe.demo.site` does."""
    return tuple(site(pages=pages, design=design))
