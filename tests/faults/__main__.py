"""The command line of everything hostile: `python -m tests.faults list` says what there is."""

import argparse
import sys
import threading
from pathlib import Path
from typing import Any

from tests.faults.registry import TABLES, find, slug
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
    for kind in (given.kind,) if given.kind else TABLES:
        for name in TABLES[kind]:
            print(f"{kind}\t{slug(name)}")


def _serve(given: argparse.Namespace) -> None:
    with serve_hostile(given.port, alone=given.only) as server:
        print(server.url(), flush=True)
        threading.Event().wait()


def _page(given: argparse.Namespace) -> None:
    sys.stdout.buffer.write(_make("page", given.name, given.n))


def _addresses(given: argparse.Namespace) -> None:
    for address in _make("address", given.name, given.port):
        print(ascii(address)[1:-1])


def _archive(given: argparse.Namespace) -> None:
    given.folder.mkdir(parents=True, exist_ok=True)
    print(_make("archive", given.name, given.folder))


def _profile(given: argparse.Namespace) -> None:
    given.file.write_bytes(_make("profile", given.name))


def _make(kind: str, name: str, *given: object) -> Any:
    return TABLES[kind][find(kind, name)](*given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Everything hostile, by name.")
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("list", help="list everything, or what is of one kind")
    verb.add_argument("kind", nargs="?", default="", choices=("", *TABLES))
    verb.set_defaults(run=_list)
    verb = verbs.add_parser("serve", help="serve pages and servers on loopback until interrupted")
    verb.add_argument("--port", type=int, default=0)
    verb.add_argument("--only", default="", metavar="SERVER", help="one server, at the root, with its robots.txt")
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
