"""What a worker imports before its first page: no more than pages need."""

import subprocess
import sys

import pytest

NO_PANDAS = """
import sys
from scythe.batch.batch_worker import spare_pandas
spare_pandas()
import pyarrow
assert pyarrow.array(["a"]).to_pylist() == ["a"]
print("pandas" in sys.modules)
import pandas
"""
NO_LEARNING = "import sys, scythe.batch.batch_worker; print('scythe.site.site' in sys.modules)"


def said_by(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.strip()


def test_columns_are_built_without_pandas_which_can_still_be_imported() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    assert said_by(NO_PANDAS) == "False"


def test_what_learns_is_not_imported_to_extract() -> None:
    assert said_by(NO_LEARNING) == "False"
