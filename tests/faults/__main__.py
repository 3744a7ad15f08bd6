"""The command line of everything hostile: `python -m tests.faults list` says what there is."""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path

import trustme
from tests.faults.registry import ADDRESSES, ARCHIVES, CERTIFICATES, KINDS, PAGES, PROFILES, everything, find
from tests.faults.serving import SIZE, serve_hostile


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; 1 where the system refuses, 2 where it names something that there is none of."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given) or 0)
    except KeyError as error:
        print(f"there is nothing hostile called {error}; see: python -m tests.faults list", file=sys.stderr)
        return 2
    except (BrokenPipeError, KeyboardInterrupt):
        return 130
    except OSError as error:
        print(error, file=sys.stderr)
        return 1


def _list(given: argparse.Namespace) -> None:
    for one in everything(given.kind):
        print(f"{one.kind}\t{one.slug}\t{one.says}")


def _serve(given: argparse.Namespace) -> None:
    tls = None
    if given.certificate:
        tls = CERTIFICATES[find("certificate", given.certificate)](trustme.CA())
    with serve_hostile(given.port, alone=given.only, tls=tls) as server:
        url = server.url() if tls is None else server.url().replace("http:", "https:")
        print(url, flush=True)
        threading.Event().wait()


def _page(given: argparse.Namespace) -> None:
    sys.stdout.buffer.write(PAGES[find("page", given.name)](given.n))


def _addresses(given: argparse.Namespace) -> None:
    for address in ADDRESSES[find("address", given.name)](given.port):
        print(ascii(address)[1:-1])


def _archive(given: argparse.Namespace) -> None:
    given.folder.mkdir(parents=True, exist_ok=True)
    print(ARCHIVES[find("archive", given.name)](given.folder))


def _profile(given: argparse.Namespace) -> None:
    given.file.write_bytes(PROFILES[find("profile", given.name)]())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Everything hostile, by name.")
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("list", help="list everything, or what is of one kind")
    verb.add_argument("kind", nargs="?", default="", choices=("", *KINDS))
    verb.set_defaults(run=_list)
    verb = verbs.add_parser("serve", help="serve pages and servers on loopback until interrupted")
    verb.add_argument("--port", type=int, default=0)
    verb.add_argument("--only", default="", metavar="SERVER", help="one server, at the root, with its robots.txt")
    verb.add_argument(
        "--certificate", default="", metavar="NAME", help="serve by TLS, with a certificate that is wrong"
    )
    verb.set_defaults(run=_serve)
    verb = verbs.add_parser("page", help="write a page to standard output")
    verb.add_argument("name")
    verb.add_argument("--n", type=int, default=SIZE, help="repetitions of what is hostile")
    verb.set_defaults(run=_page)
    verb = verbs.add_parser("addresses", help="write a group of addresses, one per line, escaped")
    verb.add_argument("name")
    verb.add_argument("--port", type=int, default=80, help="of the trap that they lead to")
    verb.set_defaults(run=_addresses)
    verb = verbs.add_parser("archive", help="make a damaged archive or WARC file in a folder")
    verb.add_argument("name")
    verb.add_argument("folder", type=Path)
    verb.set_defaults(run=_archive)
    verb = verbs.add_parser("profile", help="write a hostile profile or label file")
    verb.add_argument("name")
    verb.add_argument("file", type=Path)
    verb.set_defaults(run=_profile)
    return parser


if __name__ == "__main__":
    sys.exit(main())
