"""What real processes do while a hostile site is crawled, read, learned and cut: an audit hook writes it all down."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.fetch.server import Server, by_path, page, serve
from tests.fetch.trap import Trap, set_trap
from tests.security.audited import MARK, Audited, Place
from tests.security.hostile import OWNED, PICKLE, hostile_page, story_links

pytestmark = pytest.mark.fault
STORIES = 12
MAP = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>"


@dataclass(frozen=True)
class Crawled:
    """A hostile site that was crawled."""

    place: Place
    ran: Audited
    site: Server
    caught: int  # connections to the trap

    @property
    def archive(self) -> Path:
        return self.place.here / "given" / "site.db"


def site_pages(trap: Trap) -> dict[str, bytes]:
    """Write a site that would lead away: to the trap, to files, to commands."""
    away = f"http://127.0.0.1:{trap.port}"
    links = story_links(STORIES) + f"<li><a href='{away}/x'>x</a><a href='file:///etc/passwd'>y</a></li>"
    frames = f"<iframe src='{away}/f'></iframe><img src='{away}/i.png'><script src='{away}/s.js'></script>"
    frames += f"<link rel=stylesheet href='{away}/c.css'>"
    pages = {"/": page(hostile_page(0, links + frames).encode(), "Content-Type: text/html")}
    for number in range(STORIES):
        pages[f"/story-{number}.html"] = page(hostile_page(number, links).encode(), "Content-Type: text/html")
    pages["/robots.txt"] = page(f"User-agent: *\nDisallow:\nSitemap: {away}/map.xml\n".encode())
    pages["/sitemap.xml"] = page(MAP.format(f"<url><loc>{away}/z</loc></url>").encode())
    pages["/story-3.html"] = page(PICKLE, "Content-Type: application/octet-stream")
    based = hostile_page(5, f"<base href='{away}/'><meta http-equiv=refresh content='0;url={away}/r'>" + links)
    pages["/story-5.html"] = page(based.encode(), "Content-Type: text/html")
    pages["/story-4.html"] = page(b"", f"Location: {away}/moved", status="302 Found")
    return pages


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl it once as people do, with an environment that somebody else might have filled."""
    place = Place(tmp_path_factory.mktemp("audited"))
    (place.here / "given").mkdir()
    netrc = place.folder / "home" / ".netrc"
    netrc.write_text("default login canary password hush\n")
    netrc.chmod(0o600)
    with set_trap() as trap, serve(by_path(site_pages(trap))) as site:
        proxy = f"http://127.0.0.1:{trap.port}"
        names = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        outputs = ["-o", "given/pages.jsonl", "-o", "given/pages.csv", "-o", "given/pages.warc.gz"]
        command = ["-m", "scythe", "crawl", site.url(), "--archive", "given/site.db", *outputs]
        ran = place.run(
            *command, "--allow-private", "--delay", "0", **dict.fromkeys(names, proxy), NETRC=str(netrc), no_proxy=""
        )
        yield Crawled(place, ran, site, trap.caught())


def test_the_crawl_was_one(crawled: Crawled) -> None:
    assert crawled.ran.done.returncode == 0, crawled.ran.done.stderr
    rows = [json.loads(line) for line in (crawled.place.here / "given" / "pages.jsonl").read_text().splitlines()]
    assert len(rows) >= STORIES - 2
    assert MARK in str(rows)
    assert len({event.pid for event in crawled.ran.events}) >= 2  # the worker is written down, too


def test_a_crawl_connects_to_its_site_and_to_nothing_else(crawled: Crawled) -> None:
    dialled = {str(event.about[-1]) for event in crawled.ran.of("socket.connect", "socket.sendto")}
    assert dialled == {repr((crawled.site.address, crawled.site.port))}
    assert crawled.caught == 0
    asked = {str(event.about[0]) for event in crawled.ran.of("socket.getaddrinfo")}
    assert asked <= {crawled.site.address}


def test_the_environment_adds_neither_a_proxy_nor_a_password(crawled: Crawled) -> None:
    assert len(crawled.site.heads) >= STORIES
    assert set(crawled.site.seen("Authorization")) == {""}
    assert set(crawled.site.seen("Proxy-Authorization")) == {""}
    assert all(head.split(" ")[1].startswith("/") for head in crawled.site.heads), "asked as a proxy is"
    assert crawled.caught == 0


def test_a_crawl_writes_to_the_paths_it_was_given_and_nowhere_else(crawled: Crawled) -> None:
    given, temporary = crawled.place.here / "given", crawled.place.folder / "temporary"
    for path in crawled.ran.written:
        full = (crawled.place.here / path).resolve()
        assert full.is_relative_to(given) or full.is_relative_to(temporary) or path == "/dev/null", path
    assert crawled.place.strays() == []
    assert [path.name for path in crawled.place.here.iterdir()] == ["given"]
    names = {path.name for path in given.iterdir()}
    assert names - {"site.db-wal", "site.db-shm"} == {"site.db", "pages.jsonl", "pages.csv", "pages.warc.gz"}


def test_a_crawl_starts_its_own_worker_and_no_other_program(crawled: Crawled) -> None:
    started = crawled.ran.of("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork")
    assert started
    for event in started:
        assert event.name == "subprocess.Popen"
        assert event.about[0] == sys.executable
        assert "'scythe.engine.worker_process'" in str(event.about[1])


def test_nothing_that_a_page_says_becomes_code(crawled: Crawled) -> None:
    assert crawled.ran.of("exec", "compile", "pickle.find_class", "sqlite3.load_extension") == []
    assert list(crawled.place.folder.rglob(OWNED)) == []


def test_reading_learning_cutting_and_loading_run_no_code_and_ask_nobody(crawled: Crawled) -> None:
    place = Place(crawled.place.folder / "second")
    script = Path(__file__).with_name("learn_and_cut.py")
    ran = place.run(str(script), str(crawled.archive))
    assert ran.done.returncode == 0, ran.done.stderr
    said = json.loads(ran.done.stdout)
    assert said["documents"] == 24
    assert said["ran"] == []
    names = ("exec", "compile", "pickle.find_class", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen")
    own = str(Path(__file__).with_name("hostile.py"))  # where the pages are written, and so what they say
    asked = ran.of(*names, "socket.connect", "socket.getaddrinfo", "socket.bind", "urllib.Request")
    assert [event for event in asked if event.about != [own]] == []
    for path in ran.written:
        full = (place.here / path).resolve()
        assert full.is_relative_to(place.here) or full.parent == crawled.archive.parent, path
    assert list(crawled.place.folder.rglob(OWNED)) == []
    assert place.strays() == []


def test_the_hook_writes_down_what_it_should(tmp_path: Path) -> None:
    """A hook that saw nothing would prove everything."""
    code = f"""
import os, pickle, socket, subprocess, sys
exec("x = '{MARK}'")
open("stray", "w").close()
subprocess.run([sys.executable, "-c", "import os; os.mkdir('of-a-child')"])
pickle.loads(b"cbuiltins\\nlen\\n.")
with socket.socket() as dialled:
    dialled.connect_ex(("127.0.0.1", 9))
os.system("true")
"""
    ran = Place(tmp_path).run("-c", code)
    names = {event.name for event in ran.events}
    assert names >= {"exec", "compile", "open", "subprocess.Popen", "os.mkdir", "pickle.find_class", "os.system"}
    assert ran.of("socket.connect")[0].about[-1] == repr(("127.0.0.1", 9))
    assert {"stray", "of-a-child"} <= ran.written
