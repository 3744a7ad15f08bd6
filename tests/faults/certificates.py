"""Certificates that must not be believed, by name: an authority comes in, what a server needs to show them goes out."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import trustme

Make = Callable[[trustme.CA], ssl.SSLContext]  # an authority that the client believes -> what the server shows
CERTIFICATES: dict[str, Make] = {}
SAYS: dict[str, str] = {}  # what is wrong with each, in one sentence
HERE = "127.0.0.1"


def show(certificate: trustme.LeafCert, newest: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """Return what a server needs; `newest` is the newest protocol that it speaks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if newest is not None:
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = newest
        context.set_ciphers("ALL:@SECLEVEL=0")
    certificate.configure_cert(context)
    return context


def _certificate(name: str, says: str, make: Make) -> None:
    CERTIFICATES[name], SAYS[name] = make, says


def _yesterday() -> datetime:
    return datetime.now(UTC) - timedelta(days=1)


_certificate(
    "expired", "The certificate ended yesterday.", lambda ca: show(ca.issue_cert(HERE, not_after=_yesterday()))
)
_certificate(
    "of another host", "The certificate is that of another host.", lambda ca: show(ca.issue_cert("example.org"))
)
_certificate("of another authority", "Nobody knows who vouches for it.", lambda ca: show(trustme.CA().issue_cert(HERE)))
