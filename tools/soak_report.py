"""Judge a soak: its samples come in; slopes, growth, errors and a verdict, as JSON and as Markdown, go out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

import numpy as np

SLOPE_MOST_MB_H = 1.0
HANDLES_MOST, THREADS_MOST, TEMPORARY_MOST = 3, 2, 2  # by which the end may be above the beginning
_POINTS_MOST = 800  # that a line is fitted to; of them all pairs are compared
_JUDGED_S = 600.0  # shorter runs say nothing about megabytes an hour
_HOUR_S = 3_600.0
_ERRORS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Slope:
    """How memory grew: the median of the slopes of all pairs of points (Theil and Sen), which outliers do not move."""

    mb_h: float
    first_mb: float  # medians of the first and the last quarter
    last_mb: float
    points: int
    late_mb_h: float = 0.0  # the same of the second half: what fills up grows slower and slower, a leak does not


@dataclass(frozen=True, slots=True)
class Growth:
    """How a count grew: medians of the first and of the last quarter after warm-up."""

    first: float
    last: float

    @property
    def by(self) -> float:
        """How much more there is at the end."""
        return self.last - self.first


@dataclass(frozen=True)
class Judged:
    """One kind of process."""

    rss: Slope
    pss: Slope
    anonymous: Slope
    handles: Growth
    threads: Growth
    temporary: Growth
    cpu_share: float  # of one core


@dataclass(frozen=True)
class Report:
    """What a soak came to."""

    seconds: float
    warm_up_s: float
    is_judged: bool  # False: too short for slopes
    processes: dict[str, Judged]
    peaks: Slope | None  # of the short crawls
    archive: dict[str, float]
    asked: dict[str, Any]
    rounds: dict[str, int]
    found: dict[str, int]  # of the watched lists: what is lost, doubled, mixed
    errors: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def faults(self) -> list[str]:
        """Say what is wrong; nothing: the soak passed."""
        wrong = [f"error: {line}" for line in self.errors]
        for name, judged in self.processes.items() if self.is_judged else ():
            wrong += judge(name, judged)
        if self.is_judged and self.peaks is not None and self.peaks.mb_h >= SLOPE_MOST_MB_H:
            wrong.append(f"short crawls: the peak of memory grows by {self.peaks.mb_h:.2f} MB/h")
        return wrong


def judge(name: str, judged: Judged) -> list[str]:
    """Say what grows of one kind of process that should not."""
    wrong = []
    if judged.rss.mb_h >= SLOPE_MOST_MB_H:
        wrong.append(f"{name}: memory grows by {judged.rss.mb_h:.2f} MB/h")
    for what, growth, most in (
        ("handles", judged.handles, HANDLES_MOST),
        ("threads", judged.threads, THREADS_MOST),
        ("temporary files", judged.temporary, TEMPORARY_MOST),
    ):
        if growth.by >= most:
            wrong.append(f"{name}: {what} grow from {growth.first:g} to {growth.last:g}")
    return wrong


def fit(times_s: Sequence[float], values: Sequence[float]) -> Slope:
    """Fit a line that a few wild points do not move; the slope is per hour."""
    growth, half = grow(values), len(times_s) // 2
    whole, late = _per_hour(times_s, values), _per_hour(times_s[half:], values[half:])
    return Slope(whole, growth.first, growth.last, len(times_s), late)


def _per_hour(times_s: Sequence[float], values: Sequence[float]) -> float:
    step = -(-len(times_s) // _POINTS_MOST) or 1
    at, of = np.asarray(times_s[::step], dtype=float), np.asarray(values[::step], dtype=float)
    left, right = np.triu_indices(len(at), k=1)
    apart = at[right] - at[left]
    is_apart = apart > 0
    slopes = (of[right] - of[left])[is_apart] / apart[is_apart]
    return round(float(np.median(slopes)) * _HOUR_S, 3) if len(slopes) else 0.0


def grow(values: Sequence[float]) -> Growth:
    """Compare the first and the last quarter."""
    if not values:
        return Growth(0.0, 0.0)
    quarter = max(1, len(values) // 4)
    return Growth(round(float(median(values[:quarter])), 3), round(float(median(values[-quarter:])), 3))


def judge_process(samples: Sequence[dict[str, Any]], name: str) -> Judged | None:
    """Judge one kind of process by the samples after warm-up; None where it did not run."""
    known = [(sample["at_s"], sample["processes"][name]) for sample in samples if name in sample["processes"]]
    if not known:
        return None
    times = [at for at, _ in known]
    take: Callable[[str], list[float]] = lambda what: [used[what] for _, used in known]
    passed_s = max(times[-1] - times[0], 1e-9)
    cpu = take("cpu_s")
    return Judged(
        fit(times, take("rss_mb")),
        fit(times, take("pss_mb")),
        fit(times, take("anonymous_mb")),
        grow(take("handles")),
        grow(take("threads")),
        grow(take("temporary")),
        round((cpu[-1] - cpu[0]) / passed_s, 4) if len(cpu) > 1 else 0.0,
    )


@dataclass(frozen=True)
class Seen:
    """All that is known at the end of a soak besides its samples."""

    seconds: float
    warm_up_s: float
    rounds: Sequence[dict[str, Any]]  # the short crawls
    asked: dict[str, Any]
    found: dict[str, int]
    errors: list[str]
    notes: dict[str, Any] = field(default_factory=dict)


def make_report(samples: Sequence[dict[str, Any]], seen: Seen, names: Sequence[str]) -> Report:
    """Judge a soak."""
    warm = [sample for sample in samples if sample["at_s"] >= seen.warm_up_s]
    processes = {name: found for name in names if (found := judge_process(warm, name)) is not None}
    new = [one for one in seen.rounds if one["kind"] == "new" and one["began_s"] >= seen.warm_up_s]
    peaks = fit([one["began_s"] for one in new], [one["peak_mb"] for one in new]) if len(new) > 2 else None
    return Report(
        seconds=round(seen.seconds, 1),
        warm_up_s=seen.warm_up_s,
        is_judged=seen.seconds - seen.warm_up_s >= _JUDGED_S,
        processes=processes,
        peaks=peaks,
        archive=_grown(samples),
        asked=seen.asked,
        rounds={
            "new": sum(one["kind"] == "new" for one in seen.rounds),
            "again": sum(one["kind"] == "again" for one in seen.rounds),
            "failed": sum(one["code"] != 0 and not one.get("is_refused") for one in seen.rounds),
            "refused": sum(bool(one.get("is_refused")) for one in seen.rounds),
        },
        found=seen.found,
        errors=seen.errors,
        notes=seen.notes,
    )


def _grown(samples: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return what the archive held at the end, and how many bytes each page that was stored took."""
    known = [sample["archive"] for sample in samples if sample.get("archive")]
    if not known:
        return {}
    first, last = known[0], known[-1]
    more: dict[str, float] = dict(last)
    for what in ("fetches", "pages"):
        stored = last[what] - first[what]
        if stored:
            more[f"bytes_per_one_of_{what}"] = round((last["bytes"] - first["bytes"]) / stored, 1)
    return more


def to_json(report: Report) -> str:
    """Write a report for programs."""
    return json.dumps(asdict(report) | {"faults": report.faults}, indent=2) + "\n"


def to_markdown(report: Report) -> str:
    """Write a report for people."""
    faults = report.faults
    verdict = "failed" if faults else "passed" if report.is_judged else "passed, but is too short for slopes"
    lines = [
        "# Soak",
        "",
        f"{report.seconds / _HOUR_S:.2f} hours, of them {report.warm_up_s / 60:.0f} minutes of warm-up: **{verdict}**.",
        "",
    ]
    lines += [f"- {line[:300]}" for line in faults[:_ERRORS_SHOWN]]
    lines += [
        "",
        "| process | RSS, MB/h | second half | PSS | anonymous | RSS, MB | handles | threads | files | core |",
    ]
    lines += ["|---|---|---|---|---|---|---|---|---|---|"]
    lines += [_row(name, judged) for name, judged in report.processes.items()]
    if report.peaks is not None:
        peaks = report.peaks
        sizes = f"{peaks.first_mb:.1f} to {peaks.last_mb:.1f}"
        lines.append(f"| short crawls, peak | {peaks.mb_h:+.2f} | {peaks.late_mb_h:+.2f} | | | {sizes} | | | | |")
    for title, table in (
        ("Archive at the end", report.archive),
        ("Short crawls", report.rounds),
        ("Watched records", report.found),
        ("Requests to the web page", report.asked),
        ("Besides", report.notes),
    ):
        lines += ["", f"## {title}", "", "| what | value |", "|---|---|"]
        lines += [f"| {name} | {value} |" for name, value in table.items() if not isinstance(value, dict)]
    slow = report.asked.get("paths", {})
    lines += ["", "| path | requests | p50 first third, ms | p50 last third, ms | p99, ms |", "|---|---|---|---|---|"]
    lines += [
        f"| `{path}` | {row['count']} | {row['p50_first_ms']} | {row['p50_last_ms']} | {row['p99_ms']} |"
        for path, row in slow.items()
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, judged: Judged) -> str:
    sizes = f"{judged.rss.first_mb:.1f} to {judged.rss.last_mb:.1f}"
    counts = [f"{one.first:g} to {one.last:g}" for one in (judged.handles, judged.threads, judged.temporary)]
    rates = (judged.rss.mb_h, judged.rss.late_mb_h, judged.pss.mb_h, judged.anonymous.mb_h)
    slopes = [f"{rate:+.2f}" for rate in rates]
    return f"| {' | '.join([name, *slopes, sizes, *counts, f'{judged.cpu_share:.1%}'])} |"
