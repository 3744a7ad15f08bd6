"""What a crawl remembers of robots.txt, and what it leaves be where it is told not to heed it or has to end."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from scythe.crawling.crawl_options import CrawlOptions
from scythe.engine import politeness as minding
from scythe.engine.politeness import Politeness, _Noting
from scythe.errors import FetchFailed
from scythe.fetch.robots import parse_robots

SLOW = parse_robots(200, b"User-agent: *\nCrawl-delay: 7\nDisallow: /private\n", "scythe")


def manners(**options: Any) -> Politeness:
    return Politeness(SimpleNamespace(), SimpleNamespace(), CrawlOptions(user_agent="scythe", **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(("obeys", "delay_s"), [(True, 7.0), (False, None)])
def test_the_delay_of_a_robots_txt_is_kept_unless_it_is_not_to_be_heeded(obeys: bool, delay_s: float | None) -> None:
    work = SimpleNamespace(pace=SimpleNamespace(crawl_delay_s=None))
    manners(obey_robots=obeys)._heed(SLOW, work)  # type: ignore[arg-type]
    assert work.pace.crawl_delay_s == delay_s


def test_what_is_known_of_many_origins_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minding, "_ORIGINS", 3)
    ours, later = manners(), datetime.now(UTC) + timedelta(hours=1)
    for number in range(10):
        assert ours._remember(f"https://{number}.example", SLOW, later) is SLOW
        assert len(ours._known) <= 3
        assert not asyncio.run(ours._permit(f"https://{number}.example/private"))


def test_a_redirect_of_a_robots_txt_is_not_followed_when_the_run_ends() -> None:
    asked: list[str] = []

    async def take_turn() -> bool:
        return False

    pace = SimpleNamespace(answered=lambda *given: asked.append("paced"))
    noting = _Noting(SimpleNamespace(), SimpleNamespace(pace=pace, take_turn=take_turn))  # type: ignore[arg-type]
    noting._answered_at = 1.0
    with pytest.raises(FetchFailed, match="the run ended"):
        asyncio.run(noting.get("https://mill.example/robots.txt"))
    assert noting.why == "the run ended"
    assert asked == ["paced"]
