"""Certificates, good and bad ones, from an authority of our own."""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from scythe.errors import BadInput, FetchFailed
from scythe.fetch import Credentials, FetchOptions, fetch, open_fetcher
from scythe.model import Response

from .server import Server, always, by_path, kept_page, page, serve

pytestmark = pytest.mark.fault
YESTERDAY = datetime.now(UTC) - timedelta(days=1)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@contextmanager
def secure(certificate: trustme.LeafCert, newest: ssl.TLSVersion | None = None) -> Iterator[Server]:
    """Serve a page with a certificate; `newest` is the newest protocol that the server speaks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if newest is not None:
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
        context.set_ciphers("ALL:@SECLEVEL=0")
    certificate.configure_cert(context)
    with serve(always(kept_page(b"secret")), tls=context, keeps=True) as server:
        yield server


def get(server: Server, **options: object) -> Response:
    url = server.url("/").replace("http:", "https:")
    return fetch(url, options=FetchOptions(allow_private=True, timeout_s=10, **options))  # type: ignore[arg-type]


def why(server: Server, **options: object) -> str:
    with pytest.raises(FetchFailed) as caught:
        get(server, **options)
    assert server.heads == [], "a request went out before the certificate was judged"
    return caught.value.why


def test_a_good_certificate_is_believed(authority: trustme.CA, ca_file: str) -> None:
    with secure(authority.issue_cert("127.0.0.1")) as server:
        response = get(server, ca_file=ca_file)
    assert (response.body, response.is_verified) == (b"secret", True)


def test_an_expired_certificate_is_refused(authority: trustme.CA, ca_file: str) -> None:
    with secure(authority.issue_cert("127.0.0.1", not_after=YESTERDAY)) as server:
        assert "expired" in why(server, ca_file=ca_file)


def test_a_certificate_of_another_host_is_refused(authority: trustme.CA, ca_file: str) -> None:
    with secure(authority.issue_cert("example.org")) as server:
        assert "127.0.0.1" in why(server, ca_file=ca_file)


def test_an_unknown_authority_is_refused(authority: trustme.CA) -> None:
    with secure(authority.issue_cert("127.0.0.1")) as server:
        assert "secure connection failed" in why(server)


def test_a_certificate_that_vouches_for_itself_is_refused(ca_file: str) -> None:
    alone = trustme.CA(organization_name="nobody")
    with secure(alone.issue_cert("127.0.0.1")) as server:
        assert "secure connection failed" in why(server, ca_file=ca_file)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_a_protocol_of_the_past_is_refused(authority: trustme.CA, ca_file: str) -> None:
    with secure(authority.issue_cert("127.0.0.1"), newest=ssl.TLSVersion.TLSv1_1) as server:
        assert why(server, ca_file=ca_file).startswith(("the secure connection failed", "no connection"))


def test_believing_any_certificate_is_marked_in_the_response(authority: trustme.CA) -> None:
    with secure(authority.issue_cert("example.org", not_after=YESTERDAY)) as server:
        response = get(server, verify_tls=False)
        assert (response.body, response.is_verified) == (b"secret", False)
        with serve(by_path({"/in": page(b"")})) as plain:
            assert fetch(plain.url("/in"), options=FetchOptions(allow_private=True, verify_tls=False)).is_verified


def test_one_unchecked_hop_marks_the_page_behind_it(authority: trustme.CA) -> None:
    with serve(by_path({"/in": page(b"ok")})) as plain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("example.org").configure_cert(context)
        with serve(always(page(b"", f"Location: {plain.url('/in')}", status="302 Found")), tls=context) as server:
            response = get(server, verify_tls=False)
    assert (response.body, response.is_verified, len(response.hops)) == (b"ok", False, 1)


def test_credentials_for_https_do_not_go_to_http(authority: trustme.CA, ca_file: str) -> None:
    async def walk(urls: list[str], options: FetchOptions) -> None:
        async with open_fetcher(options) as fetcher:
            for url in urls:
                await fetcher.get(url)

    with secure(authority.issue_cert("127.0.0.1")) as server, serve(by_path({"/": page(b"")})) as plain:
        secured = server.url().replace("http:", "https:")
        credentials = (Credentials(secured, "user", "pass"), Credentials(plain.url().replace("http:", "https:"), "u"))
        options = FetchOptions(allow_private=True, ca_file=ca_file, credentials=credentials)
        asyncio.run(walk([secured, plain.url()], options))
    assert server.seen("Authorization") != [""]
    assert plain.seen("Authorization") == [""]


@pytest.mark.parametrize("ca", ["no/such/file", __file__])
def test_a_file_without_authorities_is_named(ca: str) -> None:
    with pytest.raises(BadInput, match="no certificates"):
        fetch("https://127.0.0.1/", options=FetchOptions(allow_private=True, ca_file=ca))
