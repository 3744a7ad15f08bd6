"""An extraction process: reads jobs from standard input, extracts pages, learns sites, and writes results.

It exits when its input ends. Memory is limited once, CPU before every page.
"""

from __future__ import annotations

import sys
import time
from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

from selectolax.lexbor import SelectolaxError

from scythe.archive.stored_documents import to_extracted
from scythe.engine.discovery import Discovery, discover, read_list
from scythe.engine.worker_protocol import FinishedSite, Job, Message, SiteSetup, WorkerAnswer, WorkerLoop, describe
from scythe.errors import BadInput, ScytheError
from scythe.fetch.page_check import sniff_bytes
from scythe.memory import TIDY_S, tidy
from scythe.method_parameters import split_methods
from scythe.model import DEFAULT_FIELDS, Document
from scythe.page.encoding import in_utf8
from scythe.reader import read
from scythe.site.element_rules import differs
from scythe.site.learning_cost import LearningCost
from scythe.site.rules import Profile
from scythe.site.site import Site

_SLOTS = 1 << 20  # 8 MB; a site of more addresses has some named twice, which costs time and nothing else


class SeenUrls:
    """A table of hashes, each in the one place it can stand. What it says is new may be old, never the other way."""

    def __init__(self, slots: int = _SLOTS) -> None:
        self._mask = slots - 1
        self._hashes = array("q", bytes(8 * slots))
        self._asked = 0

    def ask_for(self, site: str) -> Callable[[str, bool], bool]:
        """Return a function that says whether an address of a site was not seen before, or so long ago that it is lost.

        An address that is not to be followed is another one: the next page may say otherwise. Every function begins
        with nothing seen: what was said to a run that ended need not have been stored.
        """
        self._asked += 1
        hashes, mask = self._hashes, self._mask
        salts = (hash((site, self._asked, False)), hash((site, self._asked, True)))

        def is_news(url: str, is_nofollow: bool) -> bool:
            number = hash(url) ^ salts[is_nofollow]
            at = number & mask
            if hashes[at] == number:
                return False
            hashes[at] = number
            return True

        return is_news


_HANDED_S = 30.0  # between two profiles that are handed on


class SiteLearner:
    """What a worker knows of one site: it is learned from the pages that are extracted anyway."""

    def __init__(self, setup: SiteSetup, told: SeenUrls) -> None:
        self._site = Site.begin(_asked(setup))
        self._before = LearningCost()  # of what was taken up before
        self._handed = self._site.profile  # the profile last handed on
        self._handed_at = time.monotonic()
        self._seen = self._site.rules  # the rule table last handed on
        self.renew(setup, told)

    def renew(self, setup: SiteSetup, told: SeenUrls) -> None:
        """Go on as `setup` says: with its profile, if it has one, and with or without the right to learn."""
        self.setup = setup
        self._is_news = None if setup.tells_again else told.ask_for(setup.key)
        taken_up = _take_up(setup.profile)
        if taken_up is not None:
            self._before += self._site.cost
            self._site, self._handed, self._handed_at = taken_up, taken_up.profile, time.monotonic()
            self._seen = taken_up.rules

    def extract(self, job: Job) -> WorkerAnswer:
        """Extract one page by what is known of the site, and learn from it; of a sitemap or feed, read addresses."""
        if job.kind == "list":
            return WorkerAnswer(read_list(job))
        if job.kind != "page":
            seen = self._discover(job, job.body)
            return WorkerAnswer(found=seen.found, why=seen.why)
        body = in_utf8(job.body, job.content_type)
        document = self._read(body, job)
        seen = self._discover(job, body)
        extracted = to_extracted(document, self.setup.parts)
        # pages that nothing learned fits are no drift: most sites have some of a kind
        drift = sum(event.what != "unknown" for event in self._site.drift.events)
        return WorkerAnswer(
            extracted,
            seen.found,
            self.take_profile(),
            directives=seen.directives,
            canonical=seen.canonical,
            drift=drift,
        )

    @property
    def cost(self) -> LearningCost:
        """What learning the site has cost this process, and saved."""
        return self._before + self._site.cost

    def finish(self) -> None:
        """Learn as well as possible from what there is: no more pages may come."""
        if self._may_learn:
            self._site.finish()

    def take_profile(self, *, now: bool = False) -> str | None:
        """Return the profile if something was learned since it was last handed on; with `now`, if anything changed.

        The first layout that is settled is handed on at once, so that others can go by it.
        """
        profile, before = self._site.profile, self._handed
        if not self.setup.is_learner or (profile is before and not (now and self._has_moved())):
            return None
        if not now:
            is_first = not before.layouts and any(layout.is_settled for layout in profile.layouts)
            if not is_first and time.monotonic() - self._handed_at < _HANDED_S:
                return None
            self._handed_at = time.monotonic()  # or looked at, which need not be done for every page either
            if _knows(profile) == _knows(before):
                return None
        try:
            return self._site.to_json() if profile.layouts or profile.rules else None
        except BadInput:  # beyond the limits of what a file may hold: it serves this run only
            return None
        finally:
            self._handed, self._handed_at, self._seen = self._site.profile, time.monotonic(), self._site.rules

    def _has_moved(self) -> bool:
        """Say whether the rule table has hints that it had not when it was handed on."""
        before = {(row.layout, row.field): row for row in self._seen}
        return any(differs(row, before.get((row.layout, row.field))) for row in self._site.rules)

    def _read(self, body: bytes, job: Job) -> Document:
        declared = job.content_type.partition(";")[0].strip().lower()
        if sniff_bytes(body[:4096], job.content_type) or (declared and not declared.endswith(("html", "xml"))):
            return read(body, job.url, content_type=job.content_type)
        if self.setup.methods:
            chosen = split_methods(self.setup.methods)
            return read(body, job.url, content_type=job.content_type, method=chosen.text, record_method=chosen.records)
        learns = self._may_learn and job.is_whole and job.status == 200
        return self._site.extract(body, job.url, "auto" if learns or self._site.profile.named else "tree")

    @property
    def _may_learn(self) -> bool:
        """Whether the site is ours to learn: not where someone showed by example what to extract."""
        return self.setup.learns and self.setup.is_learner and not self._site.profile.named

    def _discover(self, job: Job, body: bytes) -> Discovery:
        return discover(
            body,
            job.url,
            kind=job.kind,
            content_type=job.content_type,
            robots_tag=job.robots_tag,
            is_news=self._is_news,
        )


def _asked(setup: SiteSetup) -> tuple[str, ...]:
    return tuple(name for name in DEFAULT_FIELDS if name not in ("images", "records") or name in setup.parts)


def _take_up(profile: str | None) -> Site | None:
    try:
        return Site.from_json(profile) if profile else None
    except BadInput:  # whoever gave it has checked it: what an archive holds may be of a newer version
        return None


def _knows(profile: Profile) -> list[tuple[object, ...]]:
    """Return what a profile has rules for, without the rules."""
    return [(layout.name, layout.fields, layout.records) for layout in profile.layouts]


class ExtractionWorker(WorkerLoop):
    """Answers frames until there are no more."""

    def __init__(self, pipe_in: BinaryIO, pipe_out: BinaryIO, cpu_s: float) -> None:
        super().__init__(pipe_in, pipe_out, cpu_s)
        self._sites: dict[str, SiteLearner] = {}
        self._told = SeenUrls()
        self._tidy_at = time.monotonic() + TIDY_S

    def _obey(self, message: Message) -> None:
        if message.kind == "enter":
            self._enter(message.read(SiteSetup))
        elif message.kind == "extract":
            self._extract(message.read(Job))
        elif message.kind == "finish":
            self._finish(message.read(FinishedSite))
        if time.monotonic() >= self._tidy_at:
            self._tidy()

    def _enter(self, setup: SiteSetup) -> None:
        """Take up a site, or go on with one that is known in the way it is to be done now."""
        site = self._sites.get(setup.key)
        if site is None:
            self._sites[setup.key] = SiteLearner(setup, self._told)
        else:
            site.renew(setup, self._told)

    def _extract(self, job: Job) -> None:
        began = time.process_time()
        answer = self._try(self._sites[job.site.key], job)
        self._answer(replace(answer, cpu_s=round(time.process_time() - began, 6)))

    def _try(self, site: SiteLearner, job: Job) -> WorkerAnswer:
        try:
            return site.extract(job)
        except (MemoryError, SelectolaxError):  # the tree builder has no other reason to fail
            self._is_ill = True
            return WorkerAnswer(why="took too much memory", died=True)
        except ScytheError as error:
            return WorkerAnswer(why=f"could not be extracted: {error}")
        except Exception as error:  # noqa: BLE001 (one page with a bug of ours in it must not stop a run)
            return WorkerAnswer(why=f"could not be extracted: {describe(error)}")

    def _finish(self, wanted: FinishedSite) -> None:
        """Learn a site from the pages kept, or from those that somebody else has fetched and reads."""
        site = self._sites.pop(wanted.site, None) if wanted.leave else self._sites.get(wanted.site)
        profile, cost = None, None
        if site is not None:
            for url, body in wanted.pages:
                site.extract(Job(site.setup, url, body))
            if wanted.learn:
                site.finish()
            profile = site.take_profile(now=True)
            cost = site.cost if wanted.leave else None
        self._answer(WorkerAnswer(profile=profile, learning=cost))

    def _tidy(self) -> None:
        tidy()
        self._tidy_at = time.monotonic() + TIDY_S


if __name__ == "__main__":
    ExtractionWorker.main(sys.argv[1:])
