"""Cut the connection to PostgreSQL at every message of a run: `python -m tests.faults.io.cuts [--every K] [--seed N]`.

Each chunk that goes one way or the other is a place. It is cut before the chunk arrives, and after: so it happens that
the server stores what the client never hears of. Then the run is started again without a cut, and compared.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

from tests.faults.io.judge import Findings, Line, go_on, look, summarise
from tests.faults.io.proxy import Proxy, proxied_unix
from tests.faults.io.scenario import Tell, crawl_into, watch_into
from tests.postgres import address, command, find_programs, serve_postgres

from scythe.archive.open import open_archive
from scythe.errors import ArchiveFailed

Work = Callable[[str, Tell], None]
WORKS: dict[str, Work] = {"crawl": crawl_into, "watch": watch_into}
_EMPTY = "DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '{0}' AND "
_EMPTY += "tablename <> 'scythe_archive' LOOP EXECUTE 'TRUNCATE {0}.' || t || ' RESTART IDENTITY CASCADE'; "
_EMPTY += "END LOOP; END $$"


def cut_everywhere(
    socket: str, beside: Path, schema: str, name: str, every: int, chance: Random
) -> Iterator[tuple[str, Findings]]:
    """Yield, for each place or some of them, what it was and what was found wrong after the cut."""
    direct, cut = address(socket, schema), address(str(beside), schema)
    command(socket, f"CREATE SCHEMA {schema}")
    open_archive(direct).close()
    work = WORKS[name]
    with proxied_unix(socket, beside) as proxy:
        proxy.arm(0)
        work(cut, lambda *words: None)
        places, expected = proxy.chunks, summarise(direct)
        tried = [(place, delivers) for place in range(1, places + 1) for delivers in (False, True)]
        for place, delivers in tried[chance.randrange(every) :: every]:
            command(socket, _EMPTY.format(schema))
            findings = _cut(
                proxy, partial(work, cut), partial(work, direct), direct, expected, place, delivers=delivers
            )
            yield f"{name}, chunk {place} of {places}, {'after' if delivers else 'before'} it arrived", findings


def _cut(
    proxy: Proxy,
    work: Callable[[Tell], None],
    again: Callable[[Tell], None],
    where: str,
    expected: Counter[str],
    place: int,
    *,
    delivers: bool,
) -> Findings:
    told: list[Line] = []
    proxy.arm(place, delivers=delivers)
    said, ended = "", "went on"
    try:
        work(lambda *words: told.append(tuple(map(str, words))))
    except ArchiveFailed as error:
        said, ended = str(error), "stopped with an error of ours"
    findings = go_on(where, again, told, expected, partial(look, where))
    findings.ended = ended
    if said and "the archive could not be" not in said:
        findings.unclear.append(said)
    return findings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", choices=list(WORKS), action="append", help="only this")
    said = parser.parse_args()
    programs = find_programs()
    if programs is None:
        raise SystemExit("PostgreSQL is not installed")
    table: Counter[str] = Counter(lost=0, doubled=0, damaged=0, unclear=0)
    with serve_postgres(programs) as socket, tempfile.TemporaryDirectory() as beside:
        for name in said.work or WORKS:
            chance = Random(said.seed)
            for what, findings in cut_everywhere(socket, Path(beside), f"cut_{name}", name, said.every, chance):
                table.update(("runs", f"runs: {name}", f"ends: {findings.ended}"))
                table.update(kind for kind in ("lost", "doubled", "damaged", "unclear") if getattr(findings, kind))
                if table["runs"] % 20 == 0:
                    print(f"{what}; {dict(table)}", flush=True)
                for line in findings.all():
                    print(f"{what}: {line}", flush=True)
            print(f"{what}; {dict(table)}", flush=True)
    raise SystemExit(1 if any(table[kind] for kind in ("lost", "doubled", "damaged", "unclear")) else 0)


if __name__ == "__main__":
    main()
