"""Compare installed packages with known vulnerabilities: `python tools/audit.py [--path FOLDER] [--service osv]`.

pip-audit does the work. By itself it says "no known vulnerabilities" also where its service knew nothing of any
package, as behind a mirror of the package index that has files only; here that is a failure.

Exit codes: 0 all packages are known and none is vulnerable; 1 some are vulnerable; 2 not all could be compared.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

OWN = ("webscythe",)  # in no index yet, or another one there
CLEAN, VULNERABLE, UNKNOWN = 0, 1, 2


@dataclass(frozen=True)
class Verdict:
    """What is known of the packages."""

    compared: int
    vulnerable: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    trouble: str = ""  # why nothing could be compared

    @property
    def code(self) -> int:
        """The exit code: what is vulnerable counts more than what is unknown."""
        if self.vulnerable:
            return VULNERABLE
        return UNKNOWN if self.trouble or self.unknown or not self.compared else CLEAN

    def tell(self) -> str:
        """Say it in lines for people."""
        lines = [f"vulnerable: {one}" for one in self.vulnerable]
        if self.trouble:
            lines.append(f"the vulnerability service could not be asked: {self.trouble}")
        if self.unknown:
            lines.append(f"not compared, {len(self.unknown)}: {', '.join(self.unknown)}")
        lines.append(f"{self.compared} packages compared, {len(self.vulnerable)} vulnerable")
        return "\n".join([*lines, "audit FAILED" if self.code else "audit passed"])


def read_verdict(output: str, complaints: str) -> Verdict:
    """Read what pip-audit wrote as JSON; without any, its last complaint says why."""
    try:
        rows = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        lines = complaints.strip().splitlines()
        return Verdict(0, trouble=lines[-1][:500] if lines else "pip-audit said nothing")
    known = [row for row in rows if "version" in row]
    unknown = tuple(row["name"] for row in rows if "version" not in row and row["name"] not in OWN)
    vulnerable = tuple(
        f"{row['name']} {row['version']}: {one['id']}, fixed in {' or '.join(one['fix_versions']) or 'no release'}"
        for row in known
        for one in row.get("vulns", [])
    )
    return Verdict(len(known), vulnerable, unknown)


def audit(arguments: Sequence[str]) -> Verdict:
    """Run pip-audit with these arguments."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return read_verdict(done.stdout, done.stderr)


def main() -> None:
    """Audit as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", action="append", default=[], help="folder of installed packages; otherwise our own")
    parser.add_argument("--service", default="pypi", choices=("pypi", "osv"), help="who is asked")
    parser.add_argument("--service-url", help="of an OSV service other than the public one")
    said = parser.parse_args()
    arguments = [part for path in said.path for part in ("--path", path)] + ["--vulnerability-service", said.service]
    if said.service_url:
        arguments += ["--osv-url", said.service_url]
    verdict = audit(arguments)
    print(verdict.tell())
    raise SystemExit(verdict.code)


if __name__ == "__main__":
    main()
