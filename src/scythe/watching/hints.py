"""What a server says about its page without being asked: a response comes in, hints for the next visit go out."""

from __future__ import annotations

from scythe.fetch.judge import header
from scythe.model import Response
from scythe.page.dates import mail_moment
from scythe.watched import HOUR_S, Hints, Plan

_LONGEST_S = HOUR_S  # promises beyond are often a careless default: they put a visit off by so much at most
_DIGITS = 9


def read_hints(response: Response, ttl_s: float | None = None) -> Hints:
    """Read Cache-Control, Expires, Age and Last-Modified; `ttl_s` is what the body, a feed, asks for."""
    modified = mail_moment(header(response, "Last-Modified"))
    return Hints(
        fresh_s=_fresh_s(response),
        ttl_s=ttl_s,
        modified_at=None if modified is None else modified.timestamp(),
        is_unchanged=response.status == 304,
    )


def heed(plan: Plan, hints: Hints, *, latest_s: float | None) -> Plan:
    """Put a visit off that would only see what a cache promised to show, but never beyond `latest_s`."""
    promised_s = max(hints.fresh_s or 0.0, hints.ttl_s or 0.0)
    until_s = min(promised_s, _LONGEST_S, latest_s if latest_s is not None else _LONGEST_S)
    if until_s <= plan.wait_s:
        return plan
    rate_s = plan.rate / 86_400.0
    return Plan(until_s, plan.expected + rate_s * (until_s - plan.wait_s), plan.risk, plan.rate, "nothing new before")


def _fresh_s(response: Response) -> float | None:
    """Return how long the answer counts as fresh (RFC 9111, 4.2.1); None where nothing is said."""
    said = _directives(header(response, "Cache-Control"))
    if "no-cache" in said or "no-store" in said:
        return None
    age_s = _number(header(response, "Age")) or 0.0
    lifetime_s = _number(said.get("max-age", ""))
    if lifetime_s is None:
        expires, date = mail_moment(header(response, "Expires")), mail_moment(header(response, "Date"))
        if expires is None or date is None:
            return None
        lifetime_s = (expires - date).total_seconds()
    return max(lifetime_s - age_s, 0.0)


def _directives(line: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in line[:1_000].lower().split(","):
        name, _, value = part.partition("=")
        found.setdefault(name.strip(), value.strip().strip('"'))
    return found


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text[:_DIGITS]) if text.isdecimal() and text.isascii() else None
