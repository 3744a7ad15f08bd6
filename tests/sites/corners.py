"""The awkward corners of the demo site: endless calendars, sessions and other things servers do to crawlers."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape

from scythe.demo.answers import Answer, ServedSite, answer_missing, answer_page, answer_plainly
from scythe.demo.build import DemoPage
from scythe.demo.page_parts import MenuEntry, el, furniture, paragraph
from scythe.demo.plan import FIRST_DAY, PagePlan, plan_page
from scythe.demo.world import World


def write_pdf() -> bytes:
    """Write a PDF of one empty page."""
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
    )
    body, places = b"%PDF-1.4\n", []
    for number, inside in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, inside)
    lines = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n0 4\n0000000000 65535 f \n" + lines
    return body + table + b"trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(body)


def pack(body: bytes, coding: str) -> bytes:
    """Return a body in a coding; each is a core dependency or part of Python."""
    if coding == "gzip":
        return gzip.compress(body, mtime=0)
    if coding == "deflate":
        return zlib.compress(body)
    if coding == "br":
        import brotli

        packed: bytes = brotli.compress(body, quality=5)
        return packed
    return _pack_zstd(body)


def _pack_zstd(body: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.compress(body)


def answer_calendar(target: str, visits: int, design: int) -> Answer | None:
    """Answer with a month that leads to the months before and after it, for ever."""
    parts = target.strip("/").split("/")
    if len(parts) < 3 or not (parts[1].isdigit() and parts[2].isdigit()) or len(parts[1]) > 6:
        return None
    year, month = int(parts[1]), int(parts[2])
    before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1:02d}/"
    after = f"/calendar/{year + (month == 12)}/{month % 12 + 1:02d}/"
    weeks = "".join(f'<td><a href="/calendar/{year}/{month:02d}/{week}/">week {week}</a></td>' for week in range(1, 5))
    table = f"<p>Nothing is planned.</p><table><tr>{weeks}</tr></table>"
    onward = f'<a href="{before}">before</a> <a href="{after}">after</a>'
    return _page(f"Events in {month:02d}/{year}", table + onward)


def answer_sessions(target: str, visits: int, design: int) -> Answer:
    """Answer with links that carry a session which no other answer has."""
    session = f"{(visits * 7919 + sum(target.encode()) * 104_729) % 16**8:08x}"
    names = ("members", "rules", "dates", "history")
    links = " ".join(f'<a href="/club/{name}.html?sid={session}">{name}</a>' for name in names)
    name = target.partition("?")[0].rpartition("/")[2].removesuffix(".html")
    told = f"The {name} of the mowing club are kept in a book that lies in the barn and may be read by everybody."
    return _page(f"Mowing club: {name}", f"<p>{escape(told)}</p>{links}")


def answer_spiral(target: str, visits: int, design: int) -> Answer:
    """Answer with a relative link that was meant to be absolute."""
    return _page("Spiral", '<p>Around and around it goes.</p><a href="further/spiral/">further</a>')


def _page(title: str, inside: str) -> Answer:
    return answer_plainly(f"<!doctype html><title>{escape(title)}</title><h1>{escape(title)}</h1>{inside}".encode())


LAB = MenuEntry("Odds and ends", "/lab/")  # the page that leads into the corners
_FIRST = 1_000_000  # numbers of pages in corners, far from those of the ledger


@dataclass(frozen=True, slots=True)
class Corner:
    """One odd corner."""

    name: str
    says: str  # what is odd, for people
    paths: tuple[str, ...]  # that the lab page leads to
    answer: Callable[[str, int, int], Answer | None]  # target, how often it was asked for before, design
    below: tuple[str, ...] = ()  # where all its addresses begin, if they are more than `paths`
    good: tuple[str, ...] = ("done",)  # states that its addresses may end in

    def holds(self, target: str) -> bool:
        """Tell whether an address lies in this corner."""
        return (
            target in self.paths or target.partition("?")[0] in self.paths or target.startswith(self.below or ("\0",))
        )


@dataclass(frozen=True, slots=True)
class Setting:
    """What corners are built of."""

    world: World
    slow_s: float = 0.2
    huge_bytes: int = 4_000_000

    def story(
        self, path: str, language: str = "en", design: int = 0, *, kind: str = "news", round_: int = 0
    ) -> DemoPage:
        """Write a page that only corners have."""
        number = _FIRST + sum(path.encode())
        plan = replace(plan_page(self.world.seed, number, kind, language, round_=round_), path=path)
        return self.world.write(plan, design)


def _fixed(setting: Setting, path: str, **changes: object) -> Callable[[str, int, int], Answer | None]:
    """Answer with one story, changed in some way."""
    return lambda target, visits, design: replace(answer_page(setting.story(path, design=design)), **changes)  # type: ignore[arg-type]


def _slow(setting: Setting) -> Corner:
    path = "/lab/slow.html"
    says = f"answers after {setting.slow_s:g} s"
    return Corner("slow", says, (path,), _fixed(setting, path, wait_s=setting.slow_s))


def _missing(setting: Setting) -> Corner:
    path = "/lab/missing.html"
    return Corner("missing", "404", (path,), lambda *_: answer_missing(path), good=("gone",))


def _gone(setting: Setting) -> Corner:
    path = "/lab/removed.html"
    return Corner("gone", "410", (path,), lambda *_: answer_missing(path, 410), good=("gone",))


def _shaky(setting: Setting) -> Corner:
    path = "/lab/shaky.html"
    return Corner("shaky", "500 once, then a page", (path,), _after(setting, path, 1, Answer(b"oops", 500)))


def _busy(setting: Setting) -> Corner:
    path = "/lab/busy.html"
    answer = Answer(b"later, please", 503, (("Retry-After", "1"),))
    return Corner("busy", "503, Retry-After, then a page", (path,), _after(setting, path, 1, answer))


def _after(setting: Setting, path: str, count: int, first: Answer) -> Callable[[str, int, int], Answer | None]:
    """Answer badly so many times, then with a page."""

    def answer(target: str, visits: int, design: int) -> Answer:
        found = first if visits < count else answer_page(setting.story(path, design=design))
        return replace(found, is_kept=False)

    return answer


def _chain(setting: Setting) -> Corner:
    steps = tuple(f"/lab/old-{n}.html" for n in range(1, 5))
    end = "/lab/moved.html"
    return Corner(
        "chain", "four redirects, then a page", steps[:1], _redirects(setting, steps, end), ("/lab/old-", end)
    )


def _loop(setting: Setting) -> Corner:
    steps = ("/lab/round-a.html", "/lab/round-b.html")
    answer = _redirects(setting, steps, steps[0])
    return Corner("loop", "redirects in a circle", steps[:1], answer, ("/lab/round-",), ("redirect", "failed"))


def _redirects(setting: Setting, steps: tuple[str, ...], end: str) -> Callable[[str, int, int], Answer | None]:
    onward = dict(zip(steps, (*steps[1:], end), strict=True))

    def answer(target: str, visits: int, design: int) -> Answer | None:
        if target in onward:
            status = (301, 302, 307, 308)[steps.index(target) % 4]
            return Answer(b"this way", status, (("Location", onward[target]),))
        return answer_page(setting.story(end, design=design)) if target == end else None

    return answer


def _cut(setting: Setting) -> Corner:
    path = "/lab/cut.html"
    return Corner("cut", "the connection ends too early", (path,), _fixed(setting, path, stop_at=20_000))


def _charset(setting: Setting) -> Corner:
    path = "/lab/umlaut.html"

    def answer(target: str, visits: int, design: int) -> Answer:
        page = setting.story(path, "de", design)
        html = page.html.decode("utf-8" if "utf-8" in page.content_type else "iso-8859-1")
        old = html.replace('<meta charset="utf-8">', "").replace('<meta charset="iso-8859-1">', "")
        return answer_plainly(old.encode("iso-8859-1", "xmlcharrefreplace"))

    return Corner("charset", "says UTF-8, is Latin-1", (path,), answer)


def _packed(setting: Setting) -> Corner:
    paths = {f"/lab/packed-{coding}.html": coding for coding in ("gzip", "deflate", "br", "zstd")}

    def answer(target: str, visits: int, design: int) -> Answer | None:
        if target not in paths:
            return None
        plain = answer_page(setting.story(target, design=design))
        coding = paths[target]
        return replace(plain, body=pack(plain.body, coding), headers=(*plain.headers, ("Content-Encoding", coding)))

    return Corner("packed", "gzip, deflate, br and zstd", tuple(paths), answer)


def _files(setting: Setting) -> Corner:
    paths = ("/files/report.pdf", "/img/poster-1.jpg")

    def answer(target: str, visits: int, design: int) -> Answer | None:
        return Answer(write_pdf(), headers=(("Content-Type", "application/pdf"),)) if target == paths[0] else None

    return Corner("files", "a PDF and a picture, linked", paths, answer, good=("other", "skipped", "done"))


def _lying(setting: Setting) -> Corner:
    path = "/lab/picture.html"
    body = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
    return Corner(
        "lying", "a picture that says it is HTML", (path,), lambda *_: answer_plainly(body), good=("other", "done")
    )


def _tracking(setting: Setting) -> Corner:
    article = next(plan.path for plan in setting.world.ledger.content if plan.kind == "news")
    ways = ("utm_source=letter&utm_medium=mail", "utm_source=feed", "fbclid=IwAR0x1", "utm_campaign=spring")
    paths = tuple(f"{article}?{way}" for way in ways)
    return Corner("tracking", "an article under 4 addresses", paths, lambda *_: None, good=("done", "skipped"))


def _softly_missing(setting: Setting) -> Corner:
    paths = tuple(f"/offers/{n}.html" for n in (17, 23, 42))

    def answer(target: str, visits: int, design: int) -> Answer:
        plan = PagePlan(_FIRST, "about", "en", "/offers/", "Sorry", "", FIRST_DAY, "0", "Nothing here.", "soft")
        text = "We are sorry, the page you are looking for could not be found. It may have moved, or never existed."
        return answer_page(setting.world.write(plan, design, write=lambda *_: [paragraph(text)]))

    return Corner("soft-404", "says 200 and means 404", paths, answer, ("/offers/",))


def _twins(setting: Setting) -> Corner:
    paths = ("/lab/twin-a.html", "/lab/twin-b.html")

    def answer(target: str, visits: int, design: int) -> Answer:
        page = setting.story(paths[0], design=design)
        canonical = el("link", rel="canonical", href=page.url).encode()
        return answer_page(replace(page, html=page.html.replace(canonical, b"")))

    return Corner("twins", "one page under two addresses", paths, answer)


def _enormous(setting: Setting) -> Corner:
    path = "/lab/enormous.html"

    def answer(target: str, visits: int, design: int) -> Answer:
        page = setting.story(path, design=design)
        text = f"<p>{escape(page.gold_text[:2000])}</p>\n".encode()
        before, mark, after = page.html.rpartition(b"</main>")
        return replace(answer_page(page), body=before + text * (setting.huge_bytes // len(text)) + mark + after)

    return Corner("enormous", f"{setting.huge_bytes / 1e6:.0f} MB of text", (path,), answer)


def _empty(setting: Setting) -> Corner:
    path = "/lab/empty.html"
    return Corner("empty", "200 and no byte", (path,), lambda *_: answer_plainly(b""), good=("done", "other"))


def _private(setting: Setting) -> Corner:
    paths = ("/private/notes.html", "/private/accounts.html")

    def answer(target: str, visits: int, design: int) -> Answer:
        return answer_page(setting.story(target.partition("?")[0], design=design))

    return Corner("private", "robots.txt says no", paths, answer, ("/private/",), ("refused",))


def _community(setting: Setting) -> Corner:
    talk = {"/t/hay.html": ("forum", 0), "/t/stones.html": ("forum", 1)}
    talk |= {"/wiki/meadow.html": ("wiki", 0), "/wiki/barley.html": ("wiki", 1)}

    def answer(target: str, visits: int, design: int) -> Answer | None:
        if target.startswith("/u/"):
            return answer_plainly(f"<title>{escape(target[3:])}</title><p>A member of this forum.".encode())
        path = target.partition("?")[0]
        if path not in talk:
            return None
        kind, round_ = talk[path]
        return answer_page(setting.story(path, design=design, kind=kind, round_=round_))

    return Corner("community", "a forum, a wiki to edit", tuple(talk), answer, ("/u/",), ("done", "skipped"))


def _calendar(setting: Setting) -> Corner:
    start = ("/calendar/2026/11/",)
    return Corner("calendar", "a month for ever", start, answer_calendar, ("/calendar/",), ("done", "skipped"))


def _sessions(setting: Setting) -> Corner:
    start = ("/club/members.html",)
    return Corner("sessions", "a new session in every link", start, answer_sessions, ("/club/",), ("done", "skipped"))


def _spiral(setting: Setting) -> Corner:
    return Corner("spiral", "a folder in itself", ("/spiral/",), answer_spiral, ("/spiral/",), ("done", "skipped"))


CORNERS: Mapping[str, Callable[[Setting], Corner]] = {
    "slow": _slow,
    "missing": _missing,
    "gone": _gone,
    "shaky": _shaky,
    "busy": _busy,
    "chain": _chain,
    "loop": _loop,
    "cut": _cut,
    "charset": _charset,
    "packed": _packed,
    "files": _files,
    "lying": _lying,
    "tracking": _tracking,
    "soft-404": _softly_missing,
    "twins": _twins,
    "enormous": _enormous,
    "empty": _empty,
    "private": _private,
    "community": _community,
    "calendar": _calendar,
    "sessions": _sessions,
    "spiral": _spiral,
}


def build_corners(setting: Setting) -> tuple[Corner, ...]:
    """Build every corner and the page that leads into them."""
    corners = tuple(build(setting) for build in CORNERS.values())
    return (_lab(setting, corners), *corners)


def _lab(setting: Setting, corners: Iterable[Corner]) -> Corner:
    """Build the page that leads into the corners."""
    links = [
        el("li", escape(corner.says), ": ", ", ".join(el("a", escape(path), href=path) for path in corner.paths))
        for corner in corners
    ]
    plan = PagePlan(_FIRST, "about", "en", LAB.path, LAB.name, "", FIRST_DAY, "0", "What is left over.", "lab")
    parts = [paragraph("These are the corners of our site that the carpenter never finished.")]
    parts.append(furniture(el("ul", *links)))

    def answer(target: str, visits: int, design: int) -> Answer:
        return answer_page(setting.world.write(plan, design, write=lambda *_: parts))

    return Corner("lab", "leads into the corners", (LAB.path,), answer)


@dataclass(frozen=True)
class CornerSite(ServedSite):
    """A demo site with every odd corner; its menu leads to them, and robots.txt closes one of them."""

    corners: tuple[Corner, ...] = ()

    @classmethod
    def of(cls, world: World) -> CornerSite:
        """Add the corners to a site."""
        led = replace(world, more=(LAB,))
        return cls(led, build_corners(Setting(led)))

    def answer(self, target: str, design: int, visits: int = 0) -> Answer:
        """Answer a request, in its own way where it lies in a corner."""
        for corner in self.corners:
            if corner.holds(target) and (found := corner.answer(target, visits, design)):
                return found
        return super().answer(target, design, visits)

    def write_robots(self) -> bytes:
        """Write robots.txt."""
        return super().write_robots().replace(b"Disallow:", b"Disallow: /private/")
