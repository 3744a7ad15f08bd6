"""The worker's side of the pipe: frames, what it remembers, and when it learns."""

import asyncio
import io
import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tests.crawling.pages import SITE, make_job, write_page

from scythe.crawl_model import Extracted
from scythe.engine.sampling import FIRST, PageSample
from scythe.engine.worker_process import ExtractionWorker, SeenUrls, SiteLearner
from scythe.engine.worker_protocol import (
    BrokenFrame,
    FinishedSite,
    Job,
    Message,
    NamedUrl,
    SiteSetup,
    WorkerAnswer,
    read_frame,
    receive_frame,
    write_frame,
)
from scythe.model import Record, RecordList
from scythe.url import Url


def through_pipe(content: Any) -> Any:
    frame = read_frame(io.BytesIO(write_frame("some", content)))
    assert frame is not None
    assert frame.kind == "some"
    return frame.read(type(content))


def answers_to(frames: list[bytes]) -> list[WorkerAnswer]:
    """Run a worker over frames and return what it sent, without the word that it is ready."""
    out = io.BytesIO()
    ExtractionWorker(io.BytesIO(b"".join(frames)), out, 30.0).run()
    out.seek(0)
    sent: list[Message] = []
    while (frame := read_frame(out)) is not None:
        sent.append(frame)
    assert sent[0].kind == "ready"
    assert [one.kind for one in sent[1:-1]] == ["answer"] * len(sent[1:-1])
    return [one.read(WorkerAnswer) for one in sent[1:]]


def job_frames(jobs: list[Job]) -> list[bytes]:
    return [write_frame("enter", jobs[0].site), *(write_frame("extract", job) for job in jobs)]


@pytest.fixture(autouse=True)
def _keep_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker limits the CPU of its process, which here is that of the tests: from then on Linux would count their CPU
    time in steps of 4 ms. tests/faults/test_workers.py has the limit."""
    monkeypatch.setattr("scythe.engine.worker_protocol.allow_cpu", lambda seconds: None)


def test_a_frame_comes_out_as_it_went_in() -> None:
    assert through_pipe({"a": [1, "ä"], "b": [b"\x00\xff" * 10, None]}) == {
        "a": [1, "ä"],
        "b": [b"\x00\xff" * 10, None],
    }
    assert through_pipe({"a": [1, "ä\ud800"], "b": b"\xff"}) == {"a": [1, "ä?"], "b": b"\xff"}


@pytest.mark.parametrize("cut", [1, 4, 5, 20, -1])
def test_a_frame_that_is_cut_is_broken_to_both_readers(cut: int) -> None:
    whole = write_frame("some", {"head": b"some body"})

    async def receive() -> Message | None:
        stream = asyncio.StreamReader()
        stream.feed_data(whole[:cut])
        stream.feed_eof()
        return await receive_frame(stream)

    with pytest.raises(BrokenFrame):
        read_frame(io.BytesIO(whole[:cut]))
    with pytest.raises(BrokenFrame):
        asyncio.run(receive())


@pytest.mark.parametrize("noise", [b"Traceback (most recent call last)", b"\x00\x00\x00\x02[]", b"\xff" * 40])
def test_noise_is_no_frame(noise: bytes) -> None:
    with pytest.raises(BrokenFrame):
        read_frame(io.BytesIO(noise))


def test_both_readers_read_the_same_frames() -> None:
    sent = write_frame("n", 1) + write_frame("n", [b"a", b"bc"])

    async def receive() -> list[Message | None]:
        stream = asyncio.StreamReader()
        stream.feed_data(sent)
        stream.feed_eof()
        return [await receive_frame(stream) for _ in range(3)]

    blocking = io.BytesIO(sent)
    assert asyncio.run(receive()) == [read_frame(blocking) for _ in range(3)]


def test_jobs_and_sites_survive_the_pipe() -> None:
    site = SiteSetup("a.example", ("text", "html"), '{"profile": "ä"}', "https://a.example/", False, True)
    job = Job(site, "https://a.example/ü", b"\xff\x00", "feed", "text/xml", 404, False, "noindex")
    assert through_pipe(site) == site
    assert through_pipe(job) == job


def test_answers_survive_the_pipe() -> None:
    region = RecordList((Record(("a", "ä"), (Url("https://a/"),), (), "<li>"),), ("x", "y"), "list", 0.5, "li")
    extracted = Extracted("t", "text\n\nä", "m", None, '{"a":1}', "article", "en", "2024", "mixed", 3, 2, 1, 2**64 - 1)
    found = (NamedUrl(Url("https://a/b")), NamedUrl(Url("https://a/c"), "paging", "feed", True, -2))
    answer = WorkerAnswer(
        replace(extracted, lists=(region,)), found, "{}", "", False, ("noindex",), Url("https://a/"), 2
    )
    assert through_pipe(answer) == answer
    assert through_pipe(WorkerAnswer(why="x", died=True)) == WorkerAnswer(why="x", died=True)
    half = replace(answer, extracted=replace(extracted, title="t\ud800", lists=(region,)))
    assert through_pipe(half) == replace(answer, extracted=replace(extracted, title="t?", lists=(region,)))


def test_a_worker_answers_in_order_and_hands_on_what_it_learned() -> None:
    sent = answers_to(job_frames([make_job(number) for number in range(14)]))
    documents = [answer.extracted for answer in sent if answer.extracted]
    assert [one.title.rpartition(" ")[2] for one in documents] == [str(number) for number in range(14)]
    handed = [number for number, answer in enumerate(sent) if answer.profile]
    assert len(handed) == 1
    assert {one.how for one in documents[handed[0] + 1 :]} == {"cut"}
    assert json.loads(sent[handed[0]].profile or "")["scythe_profile"]


def test_a_bug_of_ours_costs_one_page_and_is_told_without_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = SiteLearner.extract

    def stumble(learner: SiteLearner, job: Job) -> WorkerAnswer:
        if job.url.endswith("page-1.html"):
            raise KeyError("secret words of the page")
        return whole(learner, job)

    monkeypatch.setattr(SiteLearner, "extract", stumble)
    first, second, third = answers_to(job_frames([make_job(number) for number in range(3)]))
    assert (second.extracted, second.died) == (None, False)
    assert second.why.startswith("could not be extracted: KeyError in test_worker_process.py:")
    assert "words" not in second.why
    assert first.extracted is not None
    assert third.extracted is not None


def test_a_worker_that_ran_out_of_memory_answers_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflow(learner: SiteLearner, job: Job) -> WorkerAnswer:
        raise MemoryError

    monkeypatch.setattr(SiteLearner, "extract", overflow)
    sent = answers_to(job_frames([make_job(number) for number in range(3)]))
    assert len(sent) == 1
    assert sent[0] == WorkerAnswer(why="took too much memory", died=True, cpu_s=sent[0].cpu_s)


def test_addresses_are_news_once_per_site_and_way() -> None:
    told = SeenUrls(slots=1 << 10)
    one, other = told.ask_for("one"), told.ask_for("other")
    assert [one("https://a/", False), one("https://a/", False), other("https://a/", False)] == [True, False, True]
    assert one("https://a/", True)


def test_what_does_not_fit_the_table_is_named_again_and_nothing_is_left_out() -> None:
    is_news = SeenUrls(slots=1 << 4).ask_for("one")
    urls = [f"https://a/{number}" for number in range(100)]
    assert all(is_news(url, False) for url in urls)
    assert sum(is_news(url, False) for url in urls) > 80


def fill(sample: PageSample, path: str, count: int, trouble: str = "") -> None:
    for number in range(count):
        sample.add(f"https://mill.example/{path}/{number}", path.encode(), trouble)


def test_a_sample_is_due_with_enough_pages_then_with_many_that_do_not_fit() -> None:
    sample = PageSample()
    fill(sample, "news", FIRST - 1)
    assert not sample.is_due
    fill(sample, "news", 1)
    assert sample.is_due
    assert len(sample.begin()) == FIRST
    sample.settle(learned=True)
    fill(sample, "news", 200)
    fill(sample, "shop/thing", 15, "no layout fits the page")
    assert not sample.is_due
    fill(sample, "shop/thing", 1, "no layout fits the page")
    assert sample.is_due
    assert sorted(body for _, body in sample.begin()) == [b"news"] * 12 + [b"shop/thing"] * 12


def test_pages_of_all_kinds_are_learned_from() -> None:
    sample = PageSample(is_learned=True)
    fill(sample, "news", 500)
    fill(sample, "a/deep/kind", 500)
    fill(sample, "shop/thing", 40, "odd")
    fill(sample, "a/longer/path", 4, "odd")
    counted = Counter(body for _, body in sample.begin())
    assert counted == {b"news": 10, b"a/deep/kind": 2, b"shop/thing": 8, b"a/longer/path": 4}


def test_a_trouble_that_learning_did_not_end_does_not_count_again() -> None:
    sample = PageSample(is_learned=True)
    fill(sample, "shop", 16, "rule 7 fails")
    assert sample.is_due
    sample.begin()
    sample.settle(learned=False)
    fill(sample, "shop", 500, "rule 8 fails")
    assert not sample.is_due
    fill(sample, "shop/thing", 16, "rule 8 fails")
    assert sample.is_due


def test_what_learning_found_no_rule_for_is_no_reason_to_learn_again() -> None:
    sample = PageSample()
    fill(sample, "list", FIRST)
    sample.begin()
    sample.settle(learned=True)
    fill(sample, "list", 100, "tree: read cold (no rule in this layout)")
    assert not sample.is_due
    fill(sample, "list/entry", 16, "tree: read cold (no rule in this layout)")
    assert sample.is_due


def test_learning_that_is_of_use_lets_the_next_wait_longer() -> None:
    sample, attempts = PageSample(is_learned=True), []
    for number in range(3_000):
        sample.add(f"https://mill.example/{'a/' * (number % 7)}", b"x", f"trouble {number}")
        if sample.is_due:
            sample.begin()
            sample.settle(learned=True)
            attempts.append(number + 1)
    assert attempts == [16, 80, 336, 1_360]


def test_learning_that_fails_is_tried_again_after_more_pages_and_not_for_ever() -> None:
    sample, attempts = PageSample(), []
    for number in range(2_000):
        sample.add(str(number), b"x")
        if sample.is_due:
            sample.begin()
            sample.settle(learned=False)
            attempts.append(number + 1)
    assert attempts == [12, 36, 84, 180, 372, 756]
    assert not sample.usual


def test_a_sample_holds_bounded_memory() -> None:
    sample = PageSample(is_learned=True)
    for number in range(100):
        sample.add(str(number), b"x" * 1_900_000, "" if number % 2 else "odd")
        sample.add(str(number), b"x" * 2_100_000, "odd")
    kept = [*sample.usual, *sample.odd]
    assert sum(len(body) for _, body in kept) <= 16_000_000
    assert max(len(body) for _, body in kept) == 1_900_000


def test_a_site_is_learned_again_when_it_has_other_pages_too() -> None:
    def other(number: int) -> bytes:
        page = write_page(number).replace(b'class="post', b'class="entry').replace(b"<main>", b"<section id='new'>")
        return page.replace(b"post-body", b"story").replace(b"<h1", b"<h1 id=t")

    learner = SiteLearner(replace(SITE, parts=("text",)), SeenUrls())
    ways: list[str] = []
    for number in range(80):
        body = other(number) if number > 20 and number % 2 else write_page(number)
        answer = learner.extract(make_job(number, body=body))
        assert answer.extracted is not None
        assert f"said miller {number}." in answer.extracted.text
        ways.append(answer.extracted.how)
    assert ways[-10:] == ["cut"] * 10


def test_a_site_learned_by_example_is_not_learned_over() -> None:
    from scythe.site.site import Site

    pages = [(job.url, job.body) for job in map(make_job, range(4))]
    shown = [{"keeper": [f"said miller {number}."]} for number in range(2)]
    site = Site.learn(pages, [*shown, None, None])
    learner = SiteLearner(replace(SITE, profile=site.to_json()), SeenUrls())
    for number in range(40):
        answer = learner.extract(make_job(number, body=write_page(number).replace(b"post", b"entry")))
        assert answer.profile is None
    assert answer.extracted is not None
    assert f"said miller {number}." in answer.extracted.text


def test_a_worker_starts_without_what_it_never_needs() -> None:
    never = {"aiohttp", "asyncio", "rapidfuzz", "sqlalchemy"}
    code = f"import sys, scythe.engine.worker_process; print(*{never} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_record_of_another_kind_is_broken() -> None:
    frame = read_frame(io.BytesIO(write_frame("extract", ["12345"])))
    assert frame is not None
    with pytest.raises(BrokenFrame, match="no Job in 'extract'"):
        frame.read(Job)


def test_a_word_that_a_worker_does_not_know_is_passed_over_and_so_is_the_end_of_a_site_it_never_met() -> None:
    finish = write_frame("finish", FinishedSite("nobody.example", learn=True, leave=True))
    (answer,) = answers_to([write_frame("sing"), finish])
    assert answer.profile is None


def test_troubles_beyond_the_bound_are_not_remembered_and_their_pages_kept_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scythe.engine.sampling._TROUBLES", 3)
    sample = PageSample(is_learned=True)
    for number in range(9):
        sample.add(f"https://mill.example/{'abcdefghi'[number]}/", b"<p>", f"tree: {'abcdefghi'[number] * 3}")
    assert len(sample._troubles) == 3
    assert len(sample.odd) == 9


def test_where_fields_have_moved_is_handed_on_though_the_rules_are_the_same() -> None:
    from scythe.site.site import Site

    site = Site.learn([(f"https://mill.example/{n}", moved_page(n, 0)) for n in range(8)], rules={"name": "<h1>"})
    learner = SiteLearner(replace(SITE, profile=site.to_json()), SeenUrls())
    for number in range(60):
        learner.extract(Job(learner.setup, f"https://mill.example/{number}", moved_page(number, 9_000)))
    assert learner.take_profile() is None
    handed = learner.take_profile(now=True)
    assert handed is not None
    assert (Site.from_json(handed).rules[0].starting_position or 0) > 9_000
    assert learner.take_profile(now=True) is None


def moved_page(number: int, by: int) -> bytes:
    return f"<html><body><div class='ad'>{'x' * by}</div><h1>Mill {number}</h1><p>Flour.</p></body></html>".encode()
