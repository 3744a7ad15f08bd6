"""Two processes that watch one archive: every record once, and no visit made twice."""

import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from scythe.archive.observations import lists_of_watch, read_looks
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_records
from scythe.archive.verify import verify_archive
from scythe.archive.watches import watch_rows
from scythe.demo.live_list import LiveSite
from scythe.demo.protocol import Request
from scythe.demo.serve import DemoThread, serve_live

pytestmark = [pytest.mark.fault, pytest.mark.slow]
VISITS = 6
EVERY_S = 1.0


def visits_of(site: DemoThread) -> list[Request]:
    """Return the requests for the list itself, not for its older pages."""
    return [one for one in site.log if one.target.startswith("/latest/") and "page" not in one.target]


def test_two_processes_share_the_visits_and_archive_every_record_once(where: str) -> None:
    with serve_live(0.4) as site:
        command = [sys.executable, "-m", "scythe", "watch", *site.urls, "--archive", where, "--allow-private"]
        command += ["--delay", "0", "--floor", f"{EVERY_S:g}s", "--max-delay", f"{EVERY_S:g}s", "--json"]
        processes = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
        ]
        began = time.time()
        while len(visits_of(site)) < VISITS and time.time() < began + 120:
            time.sleep(0.1)
        for process in processes:
            process.send_signal(signal.SIGINT)
        told = [process.communicate(timeout=60) for process in processes]
        ended = time.time()
        asked = visits_of(site)
    assert [process.returncode for process in processes] == [130, 130], told
    with open_archive(where, create=False) as archive:
        links = Counter(record.links[0] for record in read_records(archive, PageQuery()))
        (watch,) = watch_rows(archive)
        looks = [look for region in lists_of_watch(archive, watch.id) for look in read_looks(archive, region.id)]
        assert verify_archive(archive) == []
    assert watch.visited_at is not None
    assert isinstance(site.site, LiveSite)
    arrived = site.site.published(site.site.asked[0], watch.visited_at.timestamp() - 1)
    assert set(arrived) <= set(links)
    assert max(links.values()) == 1
    # as often as one process would have, give or take the moments in which one hands over to the other
    assert len(asked) <= (ended - began) / EVERY_S + 3
    assert len(looks) >= VISITS - 2  # the last ones may have been under way
