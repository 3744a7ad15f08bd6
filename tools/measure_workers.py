"""Time what a worker does for one page: `python -m tools.measure_workers [--pages N] [--bytes B] [--parts P]`.

The pages are those of `tools/trial_site.py`, in the order in which a crawl meets them. First all go through a worker's
learner once, which learns the site on the way; then each part of the work is timed on pages that are cut, three times
each, of which the least counts: other processes only ever add to it.
"""

from __future__ import annotations

import argparse
import io
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from tools.trial_site import load_pages

from scythe.archive.stored_documents import text_simhash, to_extracted
from scythe.engine.worker_process import SeenUrls, SiteLearner
from scythe.engine.worker_protocol import (
    Job,
    Message,
    SiteSetup,
    pack_answer,
    pack_job,
    read_frame,
    unpack_answer,
    write_frame,
)
from scythe.page.head_from_bytes import read_said
from scythe.page.links_from_bytes import read_hrefs

_TIMED = 300  # pages
_REPEAT = 3


def learn(learner: SiteLearner, jobs: list[Job]) -> list[Job]:
    """Put all pages through; return those that were cut, and print how it went."""
    ways: Counter[str] = Counter()
    cut: list[Job] = []
    began = time.thread_time()
    for number, job in enumerate(jobs):
        answer = learner.extract(job)
        assert answer.extracted is not None
        ways[answer.extracted.how] += 1
        if answer.extracted.how == "cut":
            cut.append(job)
        if learner.is_due:
            at = time.thread_time()
            done = "learned" if learner.study() else "nothing better"
            print(f"page {number + 1}: {done} in {time.thread_time() - at:.2f} s, until then {dict(ways)}")
    print(f"{len(jobs)} pages in {time.thread_time() - began:.1f} s of CPU, learning included: {dict(ways)}")
    return cut


class Clock:
    """The least time of each part on each page, in microseconds."""

    def __init__(self) -> None:
        self.least: dict[str, list[float]] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        spent = []
        for _ in range(_REPEAT):
            began = time.perf_counter()
            result = work()
            spent.append((time.perf_counter() - began) * 1e6)
        self.least.setdefault(name, []).append(min(spent))
        return result


def read_again(sent: bytes) -> Message:
    frame = read_frame(io.BytesIO(sent))
    assert frame is not None
    return frame


def time_parts(learner: SiteLearner, jobs: list[Job], parts: tuple[str, ...]) -> dict[str, list[float]]:
    clock = Clock()
    site = learner._site
    assert site is not None
    for job in jobs:
        clock.time("title, text, date, author", lambda job=job: site.extract(job.body, job.url))
        if "images" in parts:
            clock.time("the same and images", lambda job=job: site.extract(job.body, job.url).images)
        if "records" in parts:
            clock.time("the same and records", lambda job=job: site.extract(job.body, job.url).lists)
        document = site.extract(job.body, job.url)
        hrefs = clock.time("links", lambda job=job: read_hrefs(job.body, job.url, job.content_type))
        clock.time("links, those that are news", lambda job=job: learner._discover(job, job.body))
        said = clock.time("metadata", lambda job=job, hrefs=hrefs: read_said(job.body, job.url, hrefs.tags))
        clock.time("fingerprint", lambda document=document: text_simhash(document.text))
        to_extracted(document, parts, said)
        clock.time("what is kept, as JSON", lambda document=document, said=said: to_extracted(document, parts, said))
        answer = clock.time("all of it", lambda job=job: learner.extract(job))
        sent = clock.time("frame of the answer", lambda answer=answer: b"".join(write_frame(*pack_answer(answer))))
        clock.time("frame of the job (crawl)", lambda job=job: write_frame(*pack_job(job)))
        clock.time("answer read (crawl)", lambda sent=sent: unpack_answer(read_again(sent)))
    return clock.least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--parts", default="text,images")
    said = parser.parse_args()
    parts = tuple(said.parts.split(","))
    setup = SiteSetup("trial", parts)
    pages = load_pages(said.pages, said.bytes)
    jobs = [Job(setup, f"http://127.0.0.1:8000{page.path}", page.body, "page", page.content_type) for page in pages]
    learner = SiteLearner(setup, SeenUrls())
    cut = learn(learner, jobs)
    timed = random.Random(1).sample(cut, min(_TIMED, len(cut)))
    for name, values in time_parts(learner, timed, parts).items():
        print(f"{name:28} {statistics.median(values):6.0f} us median {statistics.mean(values):6.0f} us mean")


if __name__ == "__main__":
    main()
