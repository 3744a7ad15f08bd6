"""The database is restarted in the middle of a run: workers wait for it, and go on."""

import os
import subprocess
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from tests.postgres import address, command, find_programs, serve_postgres
from tests.workers.stations import QUICK, serve_site, start_worker, states, wait_until

from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.archive.site_health import count_archive
from scythe.workers.orders import queue_crawl

pytestmark = [pytest.mark.fault, pytest.mark.soak]


def control(programs: Path, folder: str, *words: str) -> None:
    """Stop or start the server as its administrator would."""
    user = "postgres" if os.geteuid() == 0 else None
    settings = f"-c unix_socket_directories={folder} -c listen_addresses= -c fsync=off"
    line = [programs / "pg_ctl", "-D", f"{folder}/cluster", "-l", f"{folder}/log2", "-o", settings, "-w", *words]
    subprocess.run(line, user=user, check=True, cwd=folder, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("away_s", [0, 15])
def test_workers_wait_for_a_database_that_is_restarted_and_go_on(away_s: int) -> None:
    programs = find_programs()
    assert programs is not None
    with serve_postgres(programs) as folder, ExitStack() as stack:
        command(folder, "CREATE SCHEMA fleet")
        where = address(folder, "fleet")
        sites = [stack.enter_context(serve_site(40)) for _ in range(4)]
        with open_archive(where) as archive:
            for site in sites:
                queue_crawl(archive, site.url, replace(QUICK, delay=0.3))
        workers = [stack.enter_context(start_worker(where, "--until-idle", "--places", "3")) for _ in range(2)]
        wait_until(lambda: min(len(site.asked) for site in sites) >= 3)
        control(programs, folder, "stop", "-m", "fast")
        subprocess.run(["sleep", str(away_s)], check=True)
        control(programs, folder, "start")
        try:
            for worker in workers:
                worker.communicate(timeout=90)
            with open_archive(where) as archive:
                assert states(archive) == {site.key: "done" for site in sites}
                assert [len(list(read_pages(archive, PageQuery(sites=(site.key,))))) for site in sites] == [40] * 4
                assert count_archive(archive).versions == 160
        finally:
            control(programs, folder, "stop", "-m", "immediate")
    assert [worker.returncode for worker in workers] == [0, 0]
    assert min(min(site.gaps) for site in sites) >= 0.298
