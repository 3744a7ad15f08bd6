"""Parse robots.txt (RFC 9309) and decide which URLs may be requested.

Groups are chosen here, by product token; only the lines that apply to us go to protego, which matches URLs. That keeps
the work linear: for a file with 20 000 agents before 30 000 rules, protego alone would create 600 million rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from protego import Protego

from scythe.errors import FetchFailed
from scythe.fetch.redirects import redirect_target
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url, absolute

ROBOTS_FRESH_S = 86_400.0  # RFC 9309, 2.4: a file is used for a day at most
ROBOTS_CLOSED_S = 600.0  # a file that failed is asked for again sooner
AGENT = "scythe"
_DAY_S = 86_400.0
_TOKEN = re.compile(r"[a-z0-9_-]++")  # RFC 9309, 2.2.1 has no digits; real crawlers do, and scythe2 is not scythe
_AGENT_FIELDS = ("user-agent", "useragent", "user agent")
_SITEMAP_FIELDS = ("sitemap", "sitemaps", "site-map")
_RULE_FIELDS = ("allow", *"disallow dissallow dissalow disalow diasllow disallaw".split())  # slips as protego has them
# What str.splitlines takes for the end of a line and RFC 9309 does not: kept as a part of its line, spelled as in URLs.
_NO_LINE_ENDS = {ord(c): "".join(f"%{b:02X}" for b in c.encode()) for c in "\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


class Getter(Protocol):
    """What asks for one address."""

    async def get(self, url: str, *, follow: bool = True, max_bytes: int | None = None) -> Response: ...


@dataclass(frozen=True, slots=True)
class Robots:
    """What one origin (scheme, host and port) lets this crawler ask for."""

    rules: Protego | None = None  # of the one group that holds; None: there is none
    delay_s: float = 0.0  # asked for between two requests, one day at most
    sitemaps: tuple[Url, ...] = ()
    is_closed: bool = False  # the file could not be read: nothing may be asked for until it can
    why: str = ""  # everything is closed or open, or a part of the file was not read

    @property
    def fresh_s(self) -> float:
        """Return after how many seconds the file must be asked for again."""
        return ROBOTS_CLOSED_S if self.is_closed else ROBOTS_FRESH_S

    def allows(self, url: str) -> bool:
        """Tell whether an address of this origin may be asked for; what cannot be taken apart may not."""
        if self.is_closed or self.rules is None:
            return not self.is_closed
        try:
            return bool(self.rules.can_fetch(url, "*"))
        except ValueError:  # urlsplit and quote on brackets without end and lone surrogates
            return False


def parse_robots(status: int | None, body: bytes, agent: str = AGENT) -> Robots:
    """Return what an answer to a request for robots.txt means; `status` None stands for no answer. Never raises."""
    if status is None:
        return Robots(is_closed=True, why="robots.txt could not be fetched, so nothing is asked for")
    if status == 429 or not 200 <= status < 500:
        return Robots(is_closed=True, why=f"robots.txt was answered with {status}, so nothing is asked for")
    if status >= 400:
        return Robots(why=f"there is no robots.txt ({status})")
    if status >= 300:
        return Robots(why="robots.txt leads nowhere: too many redirects, or one without an address")
    lines, sitemap_lines = _choose_lines(_decode(body), product_token(agent))
    rules = Protego.parse("\n".join(["User-agent: *", *lines, *sitemap_lines]))
    sitemaps = dict.fromkeys(url for text in rules.sitemaps if (url := absolute(text)))
    why = f"only the first {LIMITS.robots_bytes} bytes of robots.txt were read" if _is_long(body) else ""
    return Robots(rules, _delay_s(rules), tuple(sitemaps)[: LIMITS.robots_sitemaps], why=why)


def product_token(agent: str) -> str:
    """Return the name by which a robots.txt calls the sender of a User-Agent header, in lower case."""
    found = _TOKEN.match(agent.strip().lower())
    return found[0] if found else ""


def _is_long(body: bytes) -> bool:
    return len(body) > LIMITS.robots_bytes


def _decode(body: bytes) -> str:
    """Return the text that is read: the first 500 KiB, to the end of a line; no byte order mark and no NUL."""
    if _is_long(body):
        body = body[: LIMITS.robots_bytes]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    encoding = "utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return body.decode(encoding, "replace").replace("\0", "").translate(_NO_LINE_ENDS)


def _choose_lines(text: str, token: str) -> tuple[list[str], list[str]]:
    """Return the lines of all groups that name us (of those for everybody, where none does) and the sitemap lines.

    A group is agents, then rules; lines that are neither do not end the agents (RFC 9309, 2.2.4).
    """
    own: list[str] = []
    everybody: list[str] = []
    sitemaps: list[str] = []
    holds_own = holds_everybody = is_named = is_after_rules = False
    for line in text.splitlines():
        folded = " ".join(line.partition("#")[0].split()).lower()
        if (name := _value(folded, _AGENT_FIELDS)) is not None:
            if is_after_rules:
                holds_own = holds_everybody = is_after_rules = False
            is_own = token != "" and product_token(name) == token
            is_named |= is_own
            holds_own |= is_own
            holds_everybody |= name == "*" or name.startswith("* ")
        elif _value(folded, _SITEMAP_FIELDS) is not None:
            sitemaps.append(line)
        else:
            is_after_rules |= _value(folded, _RULE_FIELDS) is not None
            if holds_own:
                own.append(line)
            if holds_everybody:
                everybody.append(line)
    return (own if is_named else everybody), sitemaps


def _value(line: str, fields: tuple[str, ...]) -> str | None:
    """Return what a line says of one of `fields`, with or without its colon; None where it is about something else."""
    for field in fields:
        if line.startswith(field):
            rest = line[len(field) :]
            if not rest or rest[0] in ": ":
                return rest.lstrip(" :").strip()
    return None


def _delay_s(rules: Protego) -> float:
    """Return the longer of Crawl-delay and what Request-rate comes to, one day at most."""
    delay_s = min(rules.crawl_delay("*") or 0.0, _DAY_S)
    rate = rules.request_rate("*")
    if rate is None:
        return delay_s
    # as whole numbers: a file may ask for 10^4000 seconds
    return max(delay_s, min(rate.seconds, int(_DAY_S) * rate.requests) / rate.requests)


async def fetch_robots(getter: Getter, origin: str) -> tuple[int | None, bytes]:
    """Ask for the robots.txt of the origin of an address and return status and body; (None, b"") where that fails.

    Follows five redirects, to other hosts too; each is judged by the guard like any address. A file that broke off on
    the way counts as failed: the rule that is missing may be the one that matters.
    """
    url = absolute("/robots.txt", origin)
    if url is None:
        return None, b""
    try:
        for _ in range(LIMITS.robots_redirects + 1):
            response = await getter.get(url, follow=False, max_bytes=LIMITS.robots_bytes + 1)
            target = redirect_target(response)
            if target is None:
                break
            url = target
    except FetchFailed:
        return None, b""
    if 200 <= response.status < 300 and response.cut_at_bytes is not None and not _is_long(response.body):
        return None, b""
    return response.status, response.body
