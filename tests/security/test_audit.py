"""The audit of dependencies: what nobody compared must not pass for clean."""

import json

import pytest
from tools.audit import CLEAN, UNKNOWN, VULNERABLE, read_verdict

GOOD = {"name": "aiohttp", "version": "3.14.5", "vulns": []}
BAD = {"name": "jinja2", "version": "2.0", "vulns": [{"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"]}]}
UNSEEN = {"name": "numpy", "skip_reason": "Dependency not found on PyPI and could not be audited: numpy (2.4.6)"}
OURS = {"name": "webscythe", "skip_reason": "distribution marked as editable"}


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([GOOD, OURS], CLEAN),
        ([GOOD, BAD, UNSEEN], VULNERABLE),
        ([GOOD, UNSEEN], UNKNOWN),  # what pip-audit itself calls "no known vulnerabilities"
        ([UNSEEN, OURS], UNKNOWN),
        ([], UNKNOWN),
    ],
    ids=["clean", "vulnerable", "one unseen", "all unseen", "nothing installed"],
)
def test_only_what_was_compared_passes(rows: list[dict[str, object]], code: int) -> None:
    verdict = read_verdict(json.dumps({"dependencies": rows, "fixes": []}), "")
    assert verdict.code == code
    assert ("audit passed" in verdict.tell()) == (code == CLEAN)


@pytest.mark.parametrize("output", ["", "Traceback", "[]", "{}"])
def test_a_service_that_cannot_be_reached_is_a_failure_that_says_so(output: str) -> None:
    verdict = read_verdict(output, "Traceback ...\nConnectionError: Failed to resolve 'api.osv.dev'\n")
    assert verdict.code == UNKNOWN
    assert "api.osv.dev" in verdict.tell()
