"""What must hold of every page map, whatever the page."""

import numpy as np

from scythe.page.map import CONTINUES, FOREIGN, IMPLIED, MOVED, PageMap


def faults_of(page_map: PageMap) -> list[str]:
    """Return what is wrong with a map: nothing, or the laws that it breaks."""
    return [*_of_rows(page_map), *_of_runs(page_map), *_of_offsets(page_map)]


def _of_rows(m: PageMap) -> list[str]:
    rows = np.arange(len(m))
    parents = m.parent[1:]
    checks = {
        "the first row is not html": m.tags[m.tag[0]] == "html" and m.parent[0] == -1 and m.last[0] == len(m),
        "a parent stands behind its child": bool((parents < rows[1:]).all() and (parents >= 0).all()),
        "a row ends before it begins": bool((m.last > rows).all()),
        "a row ends behind its parent": bool((m.last[1:] <= m.last[parents]).all()),
        "a row lies outside of its parent": bool((rows[1:] < m.last[parents]).all()),
        "a depth is not one more than the parent's": bool((m.depth[1:] == m.depth[parents] + 1).all()),
        "a tag has no name": bool((m.tag < len(m.tags)).all()),
        "a key is 0": bool((m.key != 0).all()),
    }
    return [what for what, holds in checks.items() if not holds]


def _of_runs(m: PageMap) -> list[str]:
    runs = np.arange(len(m.run_start))
    parents = m.parent[1:]
    around = m.run_row
    checks = {
        "runs of a row end before they begin": bool((m.run_from <= m.run_to).all()),
        "runs of a row are not within its parent's": bool(
            (m.run_from[1:] >= m.run_from[parents]).all() and (m.run_to[1:] <= m.run_to[parents]).all()
        ),
        "runs begin earlier than those of the row before": bool((np.diff(m.run_from) >= 0).all()),
        "a run lies outside of its element": bool(
            (m.run_from[around] <= runs).all() and (runs < m.run_to[around]).all()
        ),
        "not all runs are in html": m.run_from[0] == 0 and m.run_to[0] == len(runs),
        "a run is empty or outside of the page": bool(
            (m.run_start < m.run_end).all() and (m.run_end <= len(m.source)).all()
        ),
        "the first run of a text continues another": not len(runs) or not m.run_flags[0] & CONTINUES,
    }
    return [what for what, holds in checks.items() if not holds]


def _of_offsets(m: PageMap) -> list[str]:
    found = []
    size = len(m.source)
    start, inner, close, end = (column.astype(np.int64) for column in (m.start, m.inner, m.close, m.end))
    if not ((start <= inner) & (inner <= close) & (close <= end) & (end <= size)).all():
        row = int(np.flatnonzero(~((start <= inner) & (inner <= close) & (close <= end) & (end <= size)))[0])
        found.append(f"offsets of row {row} ({m.tags[m.tag[row]]}) are out of order")
    for row in range(len(m)):
        if fault := _fault_of_tags(m, row):
            found.append(f"row {row}: {fault}")
    return found


def _fault_of_tags(m: PageMap, row: int) -> str:
    name, flags = m.tags[m.tag[row]], int(m.flags[row])
    opening = _lower(m.source[m.start[row] : m.inner[row]])
    closing = _lower(m.source[m.close[row] : m.end[row]])
    names = {"img": ("<img", "<image"), "br": ("<br", "</br")}.get(name, (f"<{name}",))
    if flags & IMPLIED and name != "br":
        if opening:
            return f"an implied {name} has the tag {opening[:30]!r}"
    elif not (opening.startswith(names) and opening.endswith(">")):
        return f"{opening[:30]!r} is no opening tag of {name}"
    if not closing or flags & (MOVED | FOREIGN):
        return ""
    ends_heading = name[:1] == "h" and name[1:].isdigit()  # any heading's tag ends a heading
    if not (closing.startswith(f"</{name}") or (closing.startswith("</h") and ends_heading)):
        return f"{closing[:30]!r} is no closing tag of {name}"
    return ""


def _lower(source: bytes) -> str:
    return source.lower().decode("utf-8", "replace")  # of bytes, which leaves all but ASCII alone
