"""What is posted reaches the one who was named and nobody else, and no receiver holds up or harms the sender."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from aiohttp.abc import ResolveResult
from tests.archive.visiting import HOST, SITE, later
from tests.fetch.server import Server, always, by_path, listen, page, serve
from tests.fetch.trap import disguises, set_trap
from tests.watching.listing import visit, watch

from scythe.archive.open import open_archive
from scythe.engine.archive_thread import ArchiveThread
from scythe.errors import FetchFailed
from scythe.fetch import Fetcher, FetchOptions, guard, open_fetcher
from scythe.watching.events import Event, HookEvent
from scythe.watching.hooks import HookBatch, HookOptions, HookResult, Outbox, Webhook

pytestmark = pytest.mark.fault
OPEN = FetchOptions(allow_private=True, timeout_s=20.0)
CLOSED = FetchOptions(timeout_s=20.0, concurrency=32, per_host=8)
BATCH = HookBatch("id1", HOST, f"{SITE}news", ('{"number": 1}', '{"number": 2}'), 2)
T = TypeVar("T")


@dataclass
class Receiver(Server):
    """A server that reads what is posted to it, too."""

    bodies: list[bytes] = field(default_factory=list)


@contextmanager
def receive(answers: Callable[[int], bytes], address: str = "127.0.0.1") -> Iterator[Receiver]:
    """Take what is posted and answer by number, counted from 0."""
    receiver = Receiver(address=address)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        receiver.heads.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
        receiver.bodies.append(await reader.readexactly(int(receiver.seen("Content-Length")[-1])))
        writer.write(answers(len(receiver.bodies) - 1))
        await writer.drain()

    with listen(talk, receiver):
        yield receiver


def run(
    work: Callable[[Fetcher], Awaitable[T]], options: FetchOptions = OPEN, look_up: guard.LookUp = guard.look_up
) -> T:
    async def inside() -> T:
        async with open_fetcher(options, look_up=look_up) as fetcher:
            return await work(fetcher)

    return asyncio.run(inside())


def tell(url: str, options: FetchOptions = OPEN, **more: object) -> HookResult:
    return run(lambda fetcher: Webhook(fetcher, url, **more).tell(BATCH), options)  # type: ignore[arg-type]


def test_a_batch_is_posted_as_json_with_its_id_and_a_signature() -> None:
    with receive(lambda _: page(b"thanks")) as receiver:
        assert tell(receiver.url("/hook?a=b"), secret="s3cret") == HookResult()
    assert receiver.heads[0].startswith("POST /hook?a=b HTTP/1.1\r\n")
    (body,) = receiver.bodies
    plain = json.loads(body)
    assert (plain["scythe"], plain["site"], plain["page"]) == (1, HOST, f"{SITE}news")
    assert plain["records"] == [{"number": 1}, {"number": 2}]
    assert receiver.seen("X-Scythe-Batch") == [plain["id"]] == ["id1"]
    assert receiver.seen("Content-Type") == ["application/json"]
    expected = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
    assert receiver.seen("X-Scythe-Signature") == [f"sha256={expected}"]


def test_without_a_secret_nothing_is_signed() -> None:
    with receive(lambda _: page(b"", status="204 No Content")) as receiver:
        assert tell(receiver.url()) == HookResult()
    assert receiver.seen("X-Scythe-Signature") == [""]


def test_a_body_of_any_length_and_content_arrives_as_it_was() -> None:
    sent = bytes(range(256)) * 3_900
    with receive(lambda _: page(b"")) as receiver:
        answer = run(lambda fetcher: fetcher.post(receiver.url(), sent, {"Content-Type": "application/x"}))
    assert (answer.status, answer.body) == (200, b"")
    assert receiver.bodies == [sent]


@pytest.mark.parametrize(
    ("status", "why", "removed"),
    [
        ("410 Gone", "the server answered 410 Gone", True),
        ("404 Not Found", "the server answered 404 Not Found", False),
        ("500 Oops", "the server answered 500 Internal Server Error", False),
        ("429 Slow", "the server answered 429 Too Many Requests", False),
        ("799 What", "the server answered 799", False),
    ],
)
def test_any_status_but_2xx_is_a_failure(status: str, why: str, removed: bool) -> None:
    with receive(lambda _: page(b"", status=status)) as receiver:
        told = tell(receiver.url())
    assert (told.why, told.is_removed) == (why, removed)


def test_a_receiver_says_when_it_wants_to_be_asked_again() -> None:
    with receive(lambda _: page(b"", "Retry-After: 120", status="429 Slow")) as receiver:
        assert tell(receiver.url()).retry_after_s == 120.0
    with receive(lambda _: page(b"", status="503 Later")) as receiver:
        assert tell(receiver.url()).retry_after_s is None


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_no_redirect_is_followed_not_even_to_a_public_place(status: str) -> None:
    with ExitStack() as stack:
        other = stack.enter_context(receive(lambda _: page(b"")))
        moved = page(b"", f"Location: {other.url()}", status=status)
        receiver = stack.enter_context(receive(lambda _: moved))
        told = tell(receiver.url())
    assert "redirects are not followed" in told.why
    assert other.connections == 0


def test_no_spelling_of_this_machine_is_posted_to() -> None:
    async def numbers(host: str, port: int) -> list[ResolveResult]:
        return [ResolveResult(hostname=host, host="127.0.0.1", port=port, family=2, proto=6, flags=0)]

    async def work(fetcher: Fetcher) -> int:
        async def post(url: str) -> bool:
            try:
                await fetcher.post(url, b"{}", {})
            except FetchFailed:
                return False
            return True

        return sum(await asyncio.gather(*map(post, disguises(trap.port))))

    with set_trap() as trap:
        assert run(work, CLOSED, numbers) == 0
        assert trap.caught() == 0


def drip(*first: bytes) -> Callable[[str], AsyncIterator[bytes]]:
    async def answer(path: str) -> AsyncIterator[bytes]:
        for piece in first:
            yield piece
        while True:
            await asyncio.sleep(0.05)
            yield b"x"

    return answer


def test_a_head_that_drips_ends_at_the_deadline() -> None:
    with serve(drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")) as server:
        told = tell(server.url(), timeout_s=0.5)
    assert told.why == "too slow: no complete answer within 0.5 s"


def test_a_receiver_that_never_answers_or_reads_ends_at_the_deadline() -> None:
    async def sleep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60.0)

    server = Server()
    long = HookBatch("id1", HOST, SITE, (json.dumps("x" * 900_000),), 1)
    with listen(sleep, server):
        told = run(lambda fetcher: Webhook(fetcher, server.url(), timeout_s=0.5).tell(long))
    assert told.why.startswith("too slow")


@pytest.mark.parametrize(
    "answer",
    [
        drip(b"HTTP/1.1 200 OK\r\n\r\n"),
        always(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", *[b"x" * 65_536] * 100),
        always(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", b"\x1f\x8b no gzip at all"),
    ],
    ids=["drips", "huge", "broken coding"],
)
def test_what_a_receiver_says_after_yes_does_not_matter(answer: Callable[[str], AsyncIterator[bytes]]) -> None:
    with serve(answer) as server:  # of which no end may be waited for
        assert tell(server.url(), timeout_s=3_600.0) == HookResult()


@pytest.mark.parametrize(
    "said", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000, b"HTTP/1.1 101 Up\r\n\r\n"]
)
def test_what_is_no_answer_is_a_failure(said: bytes) -> None:
    with serve(always(said)) as server:
        assert tell(server.url(), timeout_s=5.0).why


def test_the_address_of_a_hook_is_in_no_message() -> None:
    with serve(always(b"")) as server:
        assert "T0KEN" not in tell(server.url("/T0KEN")).why
    assert "T0KEN" not in tell(server.url("/T0KEN")).why  # nobody is there any more


# with an archive --------------------------------------------------------------------------------------------------


def watch_and_post(place: Path, url: str, until: Callable[[list[HookEvent]], bool]) -> list[HookEvent]:
    """Watch a page that brings three records, posting them, until something holds; return what was reported."""
    reports: list[HookEvent] = []

    async def report(event: Event) -> None:
        assert isinstance(event, HookEvent)
        reports.append(event)

    async def work(fetcher: Fetcher) -> None:
        with open_archive(place) as archive:
            clerk = ArchiveThread(archive)
            number = watch(archive)
            visit(archive, number, "a", at=later(1))
            outbox = Outbox(clerk, HookOptions(webhooks=(url,)), fetcher, report, first_pause_s=0.01)
            await outbox.start([number])
            for turn, name in enumerate(("b", "c", "d"), 2):
                await clerk.ask(visit, archive, number, name, at=later(turn))
                outbox.note(number)
            async with asyncio.timeout(120.0):
                while not until(reports):
                    await asyncio.sleep(0.02)
            await outbox.close(5.0)
            await clerk.close()

    run(work)
    return reports


def test_a_receiver_that_is_down_for_a_while_gets_every_record_once_it_is_up(tmp_path: Path) -> None:
    def answer(number: int) -> bytes:
        return page(b"", status="503 Later" if number < 3 else "200 OK")

    with receive(answer) as receiver:
        reports = watch_and_post(tmp_path / "a.db", receiver.url(), lambda _: len(receiver.bodies) >= 6)
    taken = [json.loads(body) for body in receiver.bodies[3:]]
    assert [one["fields"]["title"] for plain in taken for one in plain["records"]] == [f"Title of {n}" for n in "bcd"]
    ids = receiver.seen("X-Scythe-Batch")
    assert len(set(ids[:4])) == 1  # told again, it has the same id
    assert len(set(ids)) == 3
    assert [event.what for event in reports] == ["failed", "recovered"]


def test_a_receiver_that_is_gone_for_good_is_asked_no_more(tmp_path: Path) -> None:
    with receive(lambda _: page(b"", status="410 Gone")) as receiver:
        reports = watch_and_post(tmp_path / "a.db", receiver.url(), bool)
    assert [(event.what, event.hook) for event in reports] == [("removed", "webhook at 127.0.0.1")]
    assert len(receiver.bodies) == 1


def test_the_fetcher_still_gets_after_it_posted() -> None:
    with serve(by_path({"/a": page(b"got"), "/b": page(b"posted")})) as server:

        async def work(fetcher: Fetcher) -> tuple[bytes, int, bytes]:
            first = await fetcher.get(server.url("/a"))
            posted = await fetcher.post(server.url("/b"), b"{}", {})
            return first.body, posted.status, (await fetcher.get(server.url("/a"))).body

        assert run(work) == (b"got", 200, b"got")
