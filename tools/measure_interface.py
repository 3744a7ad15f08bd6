"""Measure what an answer of the JSON interface takes: `python tools/measure_interface.py [--pages 48]`.

A real server in this process, asked over one connection for saved pages of the demo site, three rounds.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import tempfile
import time
from pathlib import Path

from scythe.demo import site
from scythe.fetch.inputs import LoadedPage
from scythe.site.site import Site
from scythe.web.openapi import describe_interface
from scythe.web.server import Serving, serve_in_thread
from scythe.web.state import RoomOptions, State
from scythe.web.tools import list_tools

ASKED: dict[str, dict[str, object]] = {
    "/api/read": {},
    "/api/read, all parts": {"parts": ["all"]},
    "/api/extract": {},
    "/api/extract, via tree": {"via": "tree"},
    "/api/regions": {},
}


def measure(serving: Serving, name: str, pages: int) -> list[float]:
    """Return the milliseconds of each answer."""
    connection = http.client.HTTPConnection(serving.url.removeprefix("http://").rstrip("/"))
    headers = {"Authorization": f"Bearer {serving.gate.token}", "Content-Type": "application/json"}
    took = []
    for _ in range(3):
        for number in range(1, pages + 1):
            body = json.dumps({"page": number, **ASKED[name]})
            began = time.perf_counter()
            connection.request("POST", name.partition(",")[0], body, headers)
            answer = connection.getresponse()
            answer.read()
            took.append(1000 * (time.perf_counter() - began))
            assert answer.status == 200, answer.status
    connection.close()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=48)
    count = parser.parse_args().pages
    began = time.perf_counter()
    size = len(json.dumps(describe_interface()))
    print(f"description: {size} bytes in {1000 * (time.perf_counter() - began):.0f} ms, once")
    print(f"tools: {len(list_tools(allow_changes=False))} that read, {len(list_tools(allow_changes=True))} in all")
    pages = [LoadedPage(page.path, page.html, page.url, page.content_type) for page in site(seed=1, pages=count)]
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "site.json"
        Site.learn([(page.url, page.body) for page in pages[:24]]).save(profile)
        with serve_in_thread(State(RoomOptions(None, profile), pages)) as serving:
            for name in ASKED:
                took = sorted(measure(serving, name, len(pages)))
                late = took[len(took) * 95 // 100]
                print(f"{name}: median {statistics.median(took):.1f} ms, 95 of 100 within {late:.1f} ms")


if __name__ == "__main__":
    main()
