"""The real command on a disk that fails: it ends with one line that says where, and goes on when it is run again."""

import subprocess
from pathlib import Path

import pytest
from bench.trial_runs import ENVIRONMENT, FAST, crawl_command
from tests.faults.io.shim import CRASHES, STRUCK, Fault, compile_shim, find_compiler
from tests.faults.trials import assert_complete, open_trial

pytestmark = [pytest.mark.fault, pytest.mark.slow, pytest.mark.soak]

PAGES = 42
FAULTS = (
    (3, Fault.EIO),
    (170, Fault.EIO),
    (240, Fault.FULL),
    (300, Fault.BROKEN),
    (333, Fault.SHORT),
    (380, Fault.CRASH_HALF),
)


@pytest.mark.parametrize(("place", "fault"), FAULTS)
def test_a_crawl_on_a_disk_that_fails_says_so_and_goes_on_later(tmp_path: Path, place: int, fault: Fault) -> None:
    if find_compiler() is None:
        pytest.skip("no C compiler: the library that lets calls fail cannot be made")
    work = tmp_path.resolve() / "work"
    work.mkdir()
    failing = {"LD_PRELOAD": str(compile_shim(tmp_path)), "IO_FOLDER": str(work)}
    failing |= {"IO_PLACE": str(place), "IO_FAULT": str(int(fault))}
    with open_trial(tmp_path, PAGES) as trial:
        command = crawl_command(trial.url, str(work / "a.db"), *FAST)
        ran = subprocess.run(command, env=ENVIRONMENT | failing, capture_output=True, text=True, check=False)
        if fault in CRASHES:
            assert (ran.returncode, ran.stderr) == (STRUCK, "")
        else:
            (line,) = ran.stderr.splitlines()
            assert line.startswith(f"scythe: {work / 'a.db'}: the archive could not be written")
            assert ran.returncode == 1
        assert subprocess.run(command, env=ENVIRONMENT, check=False).returncode == 0
        assert_complete(trial, work / "a.db")
