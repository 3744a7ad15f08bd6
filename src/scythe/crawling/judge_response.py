"""Decide what a response means for its URL: store, redirect, retry, fail, or extract."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import Random
from typing import Protocol

from scythe.crawl_model import FoundUrl, Outcome, Raw, Task
from scythe.crawling.scope import Scope
from scythe.engine.pace import retry_in_s
from scythe.errors import FetchFailed
from scythe.fetch.page_check import header, other_than_page, retry_after_s, said_retry_s
from scythe.fetch.redirects import REDIRECTS
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import absolute, normalise

_GONE = frozenset({404, 410})
_VALIDATOR_CHARS = 1_000  # of an ETag or a date that is kept
_BY_LIMIT = ("longer than", "inflates more than")  # a second try would end the same way


class HostRules(Protocol):
    """What knows which hosts belong to a site, and which addresses are one page."""

    scope: Scope

    def widen(self, url: str) -> Scope: ...
    def key_behind(self, source: str, target: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Judge:
    """What the crawl was told about judging answers."""

    addresses: HostRules
    attempts: int = 3
    keep_raw: bool | None = None  # as in CrawlOptions
    random: Random = field(default_factory=Random)  # spreads attempts, so that they do not come in one wave

    def settle_failure(self, task: Task, failure: FetchFailed, now: datetime, *, is_away: bool = False) -> Outcome:
        """Say what becomes of an address that gave no answer. One whose host is away keeps its attempts."""
        outcome = Outcome(task, "failed", now, why=_short(failure.why))
        if failure.is_unreached and is_away:
            wait_s = retry_in_s(1, spread=self.random.random)
            return replace(outcome, state="retry", retry_at=now + timedelta(seconds=wait_s), is_counted=False)
        return outcome if failure.retry_after_s is None else self._again(outcome, None)

    def settle(self, task: Task, response: Response) -> tuple[Outcome, bool]:
        """Return what an answer means for its address, and whether there is a page in it to extract."""
        outcome = self._outcome(task, response)
        status = response.status
        if status == 304:
            if task.etag or task.modified:
                return replace(outcome, state="done", is_unchanged=True), False
            return self._again(replace(outcome, why="not modified, says the server, and was not asked"), None), False
        if status in REDIRECTS and header(response, "Location"):
            return self._redirected(outcome, header(response, "Location")), False
        if status in _GONE:
            return replace(outcome, state="gone", why=f"the server answered {status}"), False
        if status >= 400 or not 200 <= status < 300:
            refused = replace(outcome, why=f"the server answered {status}")
            if retry_after_s(response) is None:
                return refused, False
            return self._again(refused, said_retry_s(response)), False
        if is_cut_short(response):
            again = self._again(replace(outcome, why=_short(f"the answer was cut: {response.why_cut}")), None)
            if again.state == "retry":
                return again, False
        return self._received(outcome, response)

    def _outcome(self, task: Task, response: Response) -> Outcome:
        return Outcome(
            task,
            "failed",
            response.fetched_at,
            status=response.status,
            seconds=response.seconds,
            size=len(response.body),
            content_type=header(response, "Content-Type")[:200],
        )

    def _received(self, outcome: Outcome, response: Response) -> tuple[Outcome, bool]:
        kept = replace(
            outcome,
            state="done",
            etag=validator(response, "ETag"),
            modified=validator(response, "Last-Modified"),
            body_hash=sha256(response.body).digest(),
            cut_at_bytes=response.cut_at_bytes,
            why=_short(response.why_cut),
        )
        is_page = outcome.task.kind in ("page", "item")
        what = other_than_page(response.body, outcome.content_type) if is_page else ""
        if self.keep_raw or (self.keep_raw is None and is_page and not what):
            kept = replace(kept, raw=Raw(response.status, response.headers, response.body))
        if what:
            return replace(kept, state="other", why=f"no page: {what}"), False
        return kept, True

    def _redirected(self, outcome: Outcome, location: str) -> Outcome:
        task = outcome.task
        target = absolute(location, task.url)
        if target is None or "@" in target.split("/", 3)[2]:
            return replace(outcome, why="redirects to something that is not an http or https address")
        if task.hops >= LIMITS.redirects:
            return replace(outcome, why=f"more than {LIMITS.redirects} redirects")
        target = normalise(target)
        if target == task.url:
            return replace(outcome, why="redirects to itself")
        scope = (
            self.addresses.scope if task.depth or task.kind != "page" else self.addresses.widen(target)
        )  # a start that moved: its site is where it leads
        why = scope.why_not(target, task.depth, task.kind)
        if why:
            return replace(outcome, state="redirect", why=_short(f"leads to {target}: {why}"))
        key = self.addresses.key_behind(task.url, target)
        found = FoundUrl(target, scope.host(target), "redirect", task.kind, task.depth, task.hops + 1, rank=-1, key=key)
        return replace(outcome, state="redirect", why=_short(f"leads to {target}"), found=(found,))

    def _again(self, outcome: Outcome, wait_s: float | None) -> Outcome:
        """Put an address off, unless it had all its attempts."""
        if outcome.task.attempts + 1 >= self.attempts:
            return outcome
        wait_s = retry_in_s(outcome.task.attempts + 1, said_s=wait_s, spread=self.random.random)
        return replace(outcome, state="retry", retry_at=datetime.now(UTC) + timedelta(seconds=wait_s))


def is_cut_short(response: Response) -> bool:
    """Say whether a body ended before its time: a second try may bring the rest, as it would not beyond a limit."""
    return response.cut_at_bytes is not None and not response.why_cut.startswith(_BY_LIMIT)


def validator(response: Response, name: str) -> str:
    """Return what a server may be asked by whether a page changed; empty where it cannot be sent back."""
    value = header(response, name).strip()
    return value if len(value) <= _VALIDATOR_CHARS and value.isascii() and value.isprintable() else ""


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:299] + "…"
