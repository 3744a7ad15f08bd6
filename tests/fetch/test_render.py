"""Pages in a browser that has no network: what scripts write is read, and what they try beyond it reaches nobody."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.fetch.server import by_path, page, serve

from scythe.errors import FetchFailed, MissingExtra
from scythe.fetch import FetchOptions, open_fetcher
from scythe.fetch.page_check import header
from scythe.fetch.render import MARK, Renderer, RenderOptions, open_renderer
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url

pytest.importorskip("playwright")
needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), reason="no Chromium is installed"
)
pytestmark = [pytest.mark.fault, needs_browser]

LOOPBACK = FetchOptions(allow_private=True)
HTML = "Content-Type: text/html; charset=utf-8"


def html(text: str, *headers: str) -> bytes:
    return page(f"<!doctype html><title>t</title><body>{text}</body>".encode(), HTML, *headers)


@asynccontextmanager
async def renderer(options: FetchOptions = LOOPBACK, rendering: RenderOptions | None = None) -> AsyncIterator[Renderer]:
    async with open_fetcher(options) as fetcher, open_renderer(fetcher, options, rendering) as opened:
        yield opened


def render(*urls: str, options: FetchOptions = LOOPBACK, follow: bool = True) -> list[Response]:
    async def run() -> list[Response]:
        async with renderer(options) as opened:
            return [await opened.get(url, follow=follow) for url in urls]

    return asyncio.run(run())


def paths_of(heads: list[str]) -> list[str]:
    return [head.split(" ")[1] for head in heads]


@dataclass
class Trap:
    """A TCP and a UDP port that nobody may touch."""

    port: int = 0
    touched: list[str] = field(default_factory=list)


@contextmanager
def trap() -> Iterator[Trap]:
    stream, packets = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with stream, packets:
        found = Trap(stream.getsockname()[1])
        packets.bind(("127.0.0.1", found.port))
        stop = threading.Event()

        def listen(own: socket.socket, take: Any, what: str) -> None:
            own.settimeout(0.05)
            while not stop.is_set():
                try:
                    got = take()
                except TimeoutError:
                    continue
                found.touched.append(what)
                if what == "connection":
                    got[0].close()

        jobs = (
            threading.Thread(target=listen, args=(stream, stream.accept, "connection")),
            threading.Thread(target=listen, args=(packets, lambda: packets.recvfrom(2000), "packet")),
        )
        for job in jobs:
            job.start()
        try:
            yield found
        finally:
            stop.set()
            for job in jobs:
                job.join(5)


class Fronted:
    """A client that has one public page and leaves everything else to the guarded one."""

    def __init__(self, fetcher: Any, url: str, body: str) -> None:
        self._fetcher = fetcher
        self._response = Response(Url(url), 200, (("Content-Type", "text/html"),), body.encode(), datetime.now(UTC))

    async def get(self, url: str, **asked: Any) -> Response:
        if url == self._response.url:
            return self._response
        return await self._fetcher.get(url, **asked)


def render_at_public_address(body: str) -> Response:
    async def run() -> Response:
        options = FetchOptions()
        async with open_fetcher(options) as fetcher:
            fronted = Fronted(fetcher, "https://example.org/", body)
            async with open_renderer(fronted, options) as opened:
                return await opened.get("https://example.org/")

    return asyncio.run(run())


def test_text_that_scripts_write_is_in_the_body() -> None:
    pages = {
        "/": html("<p id=a></p><p id=b></p><script src=/app.js></script><img src=/i.png>", 'ETag: "1"'),
        "/app.js": page(
            b"a.textContent = 'written'; fetch('/x.json').then(r => r.json()).then(x => b.textContent = x.said)",
            "Content-Type: text/javascript",
        ),
        "/x.json": page('{"said": "fetched ü"}'.encode(), "Content-Type: application/json"),
    }
    with serve(by_path(pages)) as server:
        (response,) = render(server.url("/"))
    assert '<p id="a">written</p><p id="b">fetched ü</p>' in response.body.decode()
    assert (response.status, response.url, response.cut_at_bytes) == (200, server.url("/"), None)
    assert header(response, MARK).startswith("chromium/")
    assert header(response, "Content-Type") == "text/html; charset=utf-8"
    assert header(response, "ETag") == ""  # of the document, not of what is shown
    assert response.answered_at > 0
    assert sorted(paths_of(server.heads)) == ["/", "/app.js", "/x.json"]  # no picture, no icon


def test_scripts_of_a_site_are_asked_for_once() -> None:
    pages = {"/1": html("<script src=/a.js></script>"), "/2": html("<script src=/a.js></script>")}
    pages["/a.js"] = page(b"document.body.append('by script')", "Content-Type: text/javascript")
    with serve(by_path(pages)) as server:
        responses = render(server.url("/1"), server.url("/2"))
    assert all(b"by script" in response.body for response in responses)
    assert paths_of(server.heads).count("/a.js") == 1


def test_what_is_no_page_comes_back_as_it_came() -> None:
    pages = {
        "/feed": page(b"<rss/>", "Content-Type: application/rss+xml"),
        "/gone": page(b"<p>gone", HTML, status="410 Gone"),
        "/moved": page(b"", "Location: /feed", status="301 Moved Permanently"),
    }
    with serve(by_path(pages)) as server:
        feed, gone, moved = render(*(server.url(path) for path in pages), follow=False)
    assert [feed.body, gone.status, moved.status] == [b"<rss/>", 410, 301]
    assert not any(header(response, MARK) for response in (feed, gone, moved))


def test_a_script_that_leads_elsewhere_is_a_redirect() -> None:
    pages = {"/": html("<script>location.replace('/there#part')</script>"), "/there": html("arrived")}
    pages["/later"] = html("<meta http-equiv=refresh content='0;url=/there'>")
    with serve(by_path(pages)) as server:
        here, later = render(server.url("/"), server.url("/later"), follow=False)
        (there,) = render(server.url("/"))
    assert [here.status, later.status] == [302, 302]
    assert header(here, "Location") == header(later, "Location") == server.url("/there")
    assert (there.url, there.hops) == (server.url("/there"), (server.url("/"),))
    assert b"arrived" in there.body


def test_a_page_that_sends_its_reader_on_for_ever_is_given_up() -> None:
    pages = {"/a": html("<script>location = '/b'</script>"), "/b": html("<script>location = '/a'</script>")}
    options = FetchOptions(allow_private=True, max_redirects=2)
    with serve(by_path(pages)) as server, pytest.raises(FetchFailed, match="more than 2 redirects"):
        render(server.url("/a"), options=options)


def test_a_script_without_end_stops_at_the_deadline_and_the_next_page_is_shown() -> None:
    pages = {"/stuck": html("<script>for (;;) {}</script>"), "/good": html("<script>document.write('good')</script>")}
    options = FetchOptions(allow_private=True, timeout_s=12)

    async def run(stuck: str, good: str) -> tuple[str, float, Response]:
        async with renderer(options) as opened:
            began = time.monotonic()
            with pytest.raises(FetchFailed) as failure:
                await opened.get(stuck)
            seconds = time.monotonic() - began
            return failure.value.why, seconds, await opened.get(good)

    with serve(by_path(pages)) as server:
        why, seconds, good = asyncio.run(run(server.url("/stuck"), server.url("/good")))
    assert why.startswith("too slow")
    assert seconds < 12 + 20  # the deadline, and what closing the page may take
    assert b"good</body>" in good.body


def test_a_page_that_never_finishes_loading_is_taken_as_far_as_it_came() -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        if path == "/slow.js":
            await asyncio.sleep(40)
        yield html("<script async src=/slow.js></script><p id=a></p><script>a.textContent = 'came'</script>")

    options = FetchOptions(allow_private=True, timeout_s=16)
    with serve(answer) as server:
        (response,) = render(server.url("/"), options=options)
    assert b"came</p>" in response.body


def test_requests_without_end_are_bounded_and_the_page_is_shown() -> None:
    pages = {"/": html("text<script>let n = 0; setInterval(() => fetch('/x?' + n++), 5)</script>")}
    with serve(by_path(pages)) as server:
        (response,) = render(server.url("/"))
    assert b"text" in response.body
    assert 2 <= len(server.heads) <= 1 + LIMITS.render_requests


def test_nothing_is_written_to_a_server() -> None:
    tries = (
        "fetch('/w1', {method: 'POST', body: 'x'}); fetch('/w2', {method: 'DELETE'}); navigator.sendBeacon('/w3', 'x');"
        "new EventSource('/w4'); open('/w5'); alert(1); confirm(2); "
        "document.write('<iframe src=/w6></iframe><video src=/w7></video><a download href=/w8 id=d>x</a>'); d.click();"
        "f.submit()"
    )
    pages = {"/": html(f"<form id=f method=post action=/w9></form><p>read</p><script>{tries}</script>")}
    with serve(by_path(pages)) as server:
        (response,) = render(server.url("/"))
    assert b"<p>read</p>" in response.body
    assert [path for path in paths_of(server.heads) if path.startswith("/w")] == []


def test_a_script_reads_another_origin_only_where_that_allows_it() -> None:
    other = {"/open": page(b"open", "Access-Control-Allow-Origin: *"), "/shut": page(b"shut")}
    with serve(by_path(other)) as second:
        ask = "u => fetch(u).then(r => r.text()).then(t => document.body.append('[' + t + ']'))"
        there = [second.url("/open"), second.url("/shut"), "/to-open", "/to-shut"]
        pages = {"/": html(f"<script>{there!r}.map({ask})</script>")}
        for name in ("open", "shut"):
            pages[f"/to-{name}"] = page(b"", f"Location: {second.url('/' + name)}", status="302 Found")
        with serve(by_path(pages)) as first:
            (response,) = render(first.url("/"))
    assert len(second.heads) == 4
    assert response.body.count(b"[open]") == 2
    assert b"[shut]" not in response.body


def test_nothing_a_public_page_tries_reaches_a_private_address() -> None:
    with trap() as inside:
        here = f"127.0.0.1:{inside.port}"
        worker = f"fetch('http://{here}/worker'); new WebSocket('ws://{here}/worker')"
        tries = f"""
            for (const host of ['{here}', 'localhost:{inside.port}', '2130706433:{inside.port}']) {{
              fetch('http://' + host + '/', {{mode: 'no-cors'}}).then(() => said('fetch')).catch(() => 0);
              const ask = new XMLHttpRequest(); ask.open('GET', 'http://' + host + '/xhr'); ask.send();
              const talk = new WebSocket('ws://' + host + '/'); talk.onopen = () => said('socket');
              new EventSource('http://' + host + '/events'); navigator.sendBeacon('http://' + host + '/beacon');
              new Image().src = 'http://' + host + '/image';
              try {{ new WebTransport('https://' + host + '/').ready.catch(() => 0) }} catch (e) {{}}
            }}
            const peer = new RTCPeerConnection({{iceServers: [
              {{urls: 'stun:{here}'}},
              {{urls: 'turn:{here}?transport=tcp', username: 'u', credential: 'p'}}]}});
            peer.createDataChannel('x'); peer.createOffer().then(o => peer.setLocalDescription(o));
            new Worker(URL.createObjectURL(new Blob([`{worker}`])));
            new SharedWorker(URL.createObjectURL(new Blob([`{worker}`])));
            navigator.serviceWorker.register('/sw.js').catch(() => 0);
            const link = document.createElement('link'); link.rel = 'prefetch'; link.href = 'http://{here}/prefetch';
            document.head.append(link); open('http://{here}/popup');
            function said(what) {{ document.body.append('reached ' + 'by ' + what) }}
        """
        marks = "".join(
            f"<{tag}>"
            for tag in (
                f"link rel=stylesheet href=http://{here}/css",
                f"link rel=preconnect href=http://{here}",
                f"link rel=dns-prefetch href=//{here}",
                f"link rel=modulepreload href=http://{here}/module",
                f"iframe src=http://{here}/frame></iframe",
                f"object data=http://{here}/object></object",
                f"video src=http://{here}/video></video",
                f"script src=http://{here}/script></script",
            )
        )
        response = render_at_public_address(f"<body>{marks}<p>public</p><script>{tries}</script>")
    assert b"<p>public</p>" in response.body
    assert b"reached by" not in response.body
    assert inside.touched == []


def test_a_script_cannot_lead_the_reader_to_a_private_address() -> None:
    with trap() as inside:
        body = f"<script>location = 'http://127.0.0.1:{inside.port}/'</script>"
        with pytest.raises(FetchFailed, match="not on the public internet"):
            render_at_public_address(body)
    assert inside.touched == []


def test_a_web_socket_reaches_nobody_even_where_private_addresses_are_allowed() -> None:
    with trap() as inside:
        script = f"new WebSocket('ws://127.0.0.1:{inside.port}/').onerror = () => document.body.append('refused')"
        with serve(by_path({"/": html(f"<script>{script}</script>")})) as server:
            (response,) = render(server.url("/"))
    assert b"</script>" in response.body
    assert inside.touched == []


def test_what_is_not_permitted_is_not_asked_for() -> None:
    async def no_scripts(url: Url) -> bool:
        return not url.endswith(".js")

    async def run(url: str) -> Response:
        async with renderer(rendering=RenderOptions(permit=no_scripts)) as opened:
            return await opened.get(url)

    with serve(by_path({"/": html("plain<script src=/a.js></script>")})) as server:
        response = asyncio.run(run(server.url("/")))
    assert b"plain" in response.body
    assert paths_of(server.heads) == ["/"]


def test_a_browser_that_dies_fails_one_page_and_is_replaced() -> None:
    pages = {"/wait": html("<script>document.title = 'x'; fetch('/slow')</script>"), "/good": html("good")}

    async def answer(path: str) -> AsyncIterator[bytes]:
        if path == "/slow":
            await asyncio.sleep(10)
        yield pages.get(path, page(b""))

    async def run(waiting: str, good: str) -> tuple[FetchFailed, Response]:
        async with renderer() as opened:
            before = asyncio.ensure_future(opened.get(waiting))
            while not any("/slow" in head for head in server.heads):
                await asyncio.sleep(0.01)
            for pid in browsers_below(os.getpid()):
                os.kill(pid, signal.SIGKILL)
            with pytest.raises(FetchFailed) as failure:
                await before
            return failure.value, await opened.get(good)

    with serve(answer) as server:
        failure, response = asyncio.run(run(server.url("/wait"), server.url("/good")))
    assert "died" in failure.why or "crashed" in failure.why
    assert failure.retry_after_s is not None
    assert b"good" in response.body


def test_a_killed_process_leaves_no_browser_behind(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from scythe.fetch import FetchOptions, open_fetcher\n"
        "from scythe.fetch.render import open_renderer\n"
        "async def run():\n"
        "    options = FetchOptions()\n"
        "    async with open_fetcher(options) as fetcher, open_renderer(fetcher, options):\n"
        "        print('ready', flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(run())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        pids = browsers_below(running.pid)
        running.kill()
    until = time.monotonic() + 10
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert pids
    assert not any(map(is_alive, pids))


def test_without_a_browser_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match="none of chromium"):
        render("http://127.0.0.1/")


def test_a_browser_that_does_not_start_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    with pytest.raises(MissingExtra, match="does not start"):
        render("http://127.0.0.1/")


def test_without_playwright_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("playwright", "scythe.fetch.browser", "scythe.fetch.browser"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(MissingExtra, match=r"webscythe\[browser\]"):
        render("http://127.0.0.1/")


def browsers_below(pid: int) -> list[int]:
    """Return the Chromium processes among the descendants of `pid`."""
    parents, found = {pid}, []
    rows = sorted((int(path.name), path) for path in Path("/proc").iterdir() if path.name.isdigit())
    for own, path in rows:
        try:
            name, _, rest = (path / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if int(rest.split()[1]) in parents:
            parents.add(own)
            if name.startswith("chrom"):
                found.append(own)
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
