"""What answers mean for their addresses."""

from datetime import UTC, datetime
from random import Random

import pytest

from scythe.crawl_model import Task
from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.judge_response import Judge
from scythe.crawling.scope import Scope
from scythe.errors import FetchFailed
from scythe.model import Response
from scythe.url import Url

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TASK = Task(7, 1, Url("https://example.org/a"), "example.org", depth=2)
PAGE = b"<html><p>Hello</p></html>"


class Site:
    """A judge together with the scope it may widen."""

    def __init__(self, *, attempts: int = 3, keep_raw: bool = False) -> None:
        self.scope = Scope.of("https://example.org/", CrawlOptions())
        self.judge = Judge(self, attempts, keep_raw, Random(1))

    def widen(self, url: str) -> Scope:
        self.scope = self.scope.widen(url)
        return self.scope

    def key_behind(self, source: str, target: str) -> str:
        return target


def answer(status: int = 200, body: bytes = PAGE, **more: object) -> Response:
    headers = tuple((str(name).replace("_", "-"), str(value)) for name, value in more.items() if name[0].isupper())
    rest = {name: value for name, value in more.items() if name[0].islower()}
    return Response(TASK.url, status, headers, body, NOW, **rest)  # type: ignore[arg-type]


def test_a_page_goes_on_to_extraction_with_its_hash_and_validators() -> None:
    outcome, is_page = Site().judge.settle(TASK, answer(ETag='W/"1"', Last_Modified="yesterday"))
    assert (outcome.state, is_page) == ("done", True)
    assert (outcome.etag, outcome.modified, len(outcome.body_hash)) == ('W/"1"', "yesterday", 32)
    assert outcome.raw is None


def test_validators_that_are_too_long_or_not_text_are_not_kept() -> None:
    outcome, _ = Site().judge.settle(TASK, answer(ETag="x" * 5_000, Last_Modified="\x00\x01"))
    assert (outcome.etag, outcome.modified) == ("", "")


def test_not_modified_leaves_a_known_page_as_it_is() -> None:
    known = Task(7, 1, TASK.url, "example.org", etag='"1"', body_hash=b"h")
    outcome, is_page = Site().judge.settle(known, answer(304, b""))
    assert (outcome.state, outcome.is_unchanged, is_page) == ("done", True, False)


def test_not_modified_that_was_not_asked_for_is_asked_again() -> None:
    outcome, is_page = Site().judge.settle(TASK, answer(304, b""))
    assert (outcome.state, is_page) == ("retry", False)


@pytest.mark.parametrize(("status", "state"), [(404, "gone"), (410, "gone"), (403, "failed"), (401, "failed")])
def test_what_is_not_there_or_forbidden_is_not_asked_again(status: int, state: str) -> None:
    outcome, is_page = Site().judge.settle(TASK, answer(status))
    assert (outcome.state, is_page) == (state, False)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_until_the_attempts_are_used_up(status: int) -> None:
    outcome, _ = Site().judge.settle(TASK, answer(status))
    assert outcome.state == "retry"
    assert outcome.retry_at is not None
    last = Task(7, 1, TASK.url, "example.org", attempts=2)
    assert Site().judge.settle(last, answer(status))[0].state == "failed"


def test_a_redirect_inside_the_site_becomes_a_new_address() -> None:
    outcome, _ = Site().judge.settle(TASK, answer(301, Location="/b?x=1#top"))
    assert outcome.state == "redirect"
    (found,) = outcome.found
    assert (found.url, found.how, found.depth, found.hops) == ("https://example.org/b?x=1", "redirect", 2, 1)


def test_a_redirect_out_of_the_site_is_not_followed() -> None:
    outcome, _ = Site().judge.settle(TASK, answer(302, Location="https://elsewhere.example/"))
    assert (outcome.state, outcome.found) == ("redirect", ())
    assert "another host" in outcome.why


def test_a_start_that_moved_takes_the_site_with_it() -> None:
    site = Site()
    start = Task(1, 1, Url("https://example.org/"), "example.org")
    outcome, _ = site.judge.settle(start, answer(301, Location="https://new.example/"))
    assert [found.url for found in outcome.found] == ["https://new.example/"]
    assert site.scope.why_not("https://new.example/page", 3) == ""


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "javascript:alert(1)", "ftp://example.org/", "http://[::1/x", "//"]
)
def test_redirects_to_what_cannot_be_fetched_fail_with_the_reason(location: str) -> None:
    outcome, _ = Site().judge.settle(TASK, answer(302, Location=location))
    assert outcome.found == ()
    assert outcome.state == "failed"
    assert outcome.why


def test_the_eleventh_redirect_in_a_row_fails() -> None:
    tenth = Task(7, 1, TASK.url, "example.org", depth=2, hops=10)
    outcome, _ = Site().judge.settle(tenth, answer(302, Location="/next"))
    assert (outcome.state, outcome.found) == ("failed", ())


def test_a_page_that_redirects_to_itself_fails() -> None:
    assert Site().judge.settle(TASK, answer(302, Location="/a"))[0].state == "failed"


def test_a_body_that_broke_off_is_asked_for_again_and_in_the_end_marked() -> None:
    broken = answer(cut_at_bytes=25, why_cut="the connection ended before the body did")
    assert Site().judge.settle(TASK, broken)[0].state == "retry"
    last = Task(7, 1, TASK.url, "example.org", attempts=2)
    outcome, is_page = Site().judge.settle(last, broken)
    assert (outcome.state, outcome.cut_at_bytes, is_page) == ("done", 25, True)


def test_a_body_that_a_limit_cut_is_not_asked_for_again() -> None:
    outcome, is_page = Site().judge.settle(TASK, answer(cut_at_bytes=25, why_cut="longer than 25 bytes"))
    assert (outcome.state, outcome.cut_at_bytes, is_page) == ("done", 25, True)


def test_files_that_are_no_pages_are_not_extracted() -> None:
    outcome, is_page = Site().judge.settle(TASK, answer(body=b"%PDF-1.7 ...", Content_Type="text/html"))
    assert (outcome.state, is_page) == ("other", False)


def test_failures_are_tried_again_only_where_that_may_help() -> None:
    judge = Site().judge
    assert judge.settle_failure(TASK, FetchFailed(TASK.url, "too slow", retry_after_s=60.0), NOW).state == "retry"
    refused = judge.settle_failure(TASK, FetchFailed(TASK.url, "refused: private"), NOW)
    assert (refused.state, refused.why, refused.status) == ("failed", "refused: private", None)
