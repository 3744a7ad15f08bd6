"""What an archive holds, counted."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, Table, func, select

from scythe.archive.schema import FETCHES, PAGES, RECORDS, SIGHTINGS, URLS, WATCHES
from scythe.visits import Counts


def count(connection: Connection, site: int | None, states: dict[str, int] | None = None) -> Counts:
    """Count the addresses, pages, records and fetches of one site, or of all where it is None.

    A list that is watched is no document: neither its address nor its page counts, what was seen there does. `states`
    are those of its addresses, where they were counted already: that takes most of the time.
    """
    if states is None:
        states = count_states(connection, site)
    documents = select(func.count(), func.coalesce(func.sum(PAGES.c.versions), 0)).select_from(PAGES)
    documents = documents.where(PAGES.c.id.not_in(select(WATCHES.c.id)))
    pages, versions = connection.execute(_of(documents, PAGES, site)).one()
    sightings = select(func.count()).select_from(SIGHTINGS)
    if site is not None:
        sightings = sightings.join(PAGES, PAGES.c.id == SIGHTINGS.c.page).where(PAGES.c.site == site)
    return Counts(
        states=states,
        pages=int(pages),
        versions=int(versions),
        records=_number(connection, RECORDS, site),
        sightings=int(connection.execute(sightings).scalar_one()),
        fetches=_number(connection, FETCHES, site),
    )


def count_sites(connection: Connection) -> dict[int, Counts]:
    """Count the same of every site that has anything, each table read once."""
    states: dict[int, dict[str, int]] = {}
    addresses = select(URLS.c.site, URLS.c.state, func.count()).where(URLS.c.kind != "list")
    # by state first, for which there is no index: to go through one and look up each address takes longer
    for site, state, number in connection.execute(addresses.group_by(URLS.c.state, URLS.c.site)):
        states.setdefault(site, {})[state] = int(number)
    documents = select(PAGES.c.site, func.count(), func.sum(PAGES.c.versions)).group_by(PAGES.c.site)
    documents = documents.where(PAGES.c.id.not_in(select(WATCHES.c.id)))
    pages = {site: (int(number), int(versions)) for site, number, versions in connection.execute(documents)}
    sightings = select(PAGES.c.site, func.count()).select_from(SIGHTINGS).join(PAGES, PAGES.c.id == SIGHTINGS.c.page)
    seen = _by_site(connection, sightings.group_by(PAGES.c.site))
    records, fetches = (
        _by_site(connection, select(table.c.site, func.count()).group_by(table.c.site)) for table in (RECORDS, FETCHES)
    )
    return {
        site: Counts(
            states.get(site, {}),
            *pages.get(site, (0, 0)),
            records.get(site, 0),
            seen.get(site, 0),
            fetches.get(site, 0),
        )
        for site in sorted({*states, *pages, *records, *seen, *fetches})
    }


def _by_site(connection: Connection, query: Select[Any]) -> dict[int, int]:
    return {site: int(number) for site, number in connection.execute(query)}


def count_states(connection: Connection, site: int | None) -> dict[str, int]:
    """Count the addresses by their state."""
    addresses = select(URLS.c.state, func.count()).where(URLS.c.kind != "list").group_by(URLS.c.state)
    return {state: int(number) for state, number in connection.execute(_of(addresses, URLS, site)).all()}


def _number(connection: Connection, table: Table, site: int | None) -> int:
    return int(connection.execute(_of(select(func.count()).select_from(table), table, site)).scalar_one())


def _of(query: Select[Any], table: Table, site: int | None) -> Select[Any]:
    return query if site is None else query.where(table.c.site == site)
