"""A crawl of a site with everything that servers do to crawlers."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.sites.corners import CornerSite

from scythe.archive.open import open_archive
from scythe.archive.schema import URLS
from scythe.crawl_model import Outcome, Receipt
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.demo.serve import DemoOptions, serve_demo


@pytest.mark.slow
@pytest.mark.fault
def test_every_odd_corner_of_a_site_ends_as_it_should(tmp_path: Path) -> None:
    stored: dict[str, str] = {}

    async def take(outcome: Outcome, receipt: Receipt) -> None:
        stored[outcome.task.url.removeprefix(served.world.base)] = receipt.stored

    with (
        serve_demo(DemoOptions(pages=12), CornerSite.of) as served,
        open_archive(tmp_path / "corners.db") as archive,
    ):
        options = CrawlOptions(
            limit=1_000, delay=0.0, concurrency=8, per_host=8, attempts=2, allow_private=True, patience_s=20.0
        )
        asyncio.run(Crawl(served.url + "lab/", archive, options, listener=take).run())
        with archive.reading() as connection:
            rows = connection.execute(select(URLS.c.url, URLS.c.state, URLS.c.why)).all()
        assert isinstance(served.site, CornerSite)
        known = {row.url.removeprefix(served.world.base): (row.state, row.why) for row in rows}
        asked = Counter(request.target for request in served.log)
        for corner in served.site.corners:
            own = {path: state for path, state in known.items() if corner.holds(path)}
            assert own or corner.name in ("files", "tracking"), corner.name  # whose addresses are left out unseen
            bad = {path: state for path, state in own.items() if state[0] not in {*corner.good, "redirect"}}
            assert not bad, corner.name
    assert not [path for path in asked if path.startswith("/private/")]
    assert set(served.world.paths) <= known.keys()
    assert asked["/lab/shaky.html"] == asked["/lab/busy.html"] == 2
    assert stored["/lab/cut.html"] == "cut"
    assert sorted(stored[f"/lab/twin-{name}.html"] for name in "ab") == ["duplicate", "new"]
    assert sum(path.startswith(("/calendar/", "/club/", "/spiral/")) for path in asked) < 200
