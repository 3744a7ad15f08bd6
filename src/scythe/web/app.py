"""Build the web application: routes, templates and authentication of all areas."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from scythe.web.auth import PAGE_POLICY, Auth, Guarded
from scythe.web.filters import FILTERS
from scythe.web.operations import (
    MEANT,
    Operation,
    WebArea,
    fail,
    read_wanted,
    send_document,
    send_json,
    words,
)
from scythe.web.state import State

# Areas in the order of the menu; each has a folder, with a module of the same name that holds its AREA.
AREAS = "home documents annotate fields rules records archive schedule health runs frames interface".split()


def load_areas() -> list[WebArea]:
    """Import the areas."""
    return [import_module(f"scythe.web.{name}.{name}").AREA for name in AREAS]


def all_operations() -> list[Operation]:
    """Return what programs can ask for, in the order of the areas."""
    return [one for area in load_areas() for one in area.operations]


def all_views() -> list[Operation]:
    """Return the pages for people."""
    return [one for area in load_areas() for one in area.views]


def all_documents() -> list[Operation]:
    """Return what is loaded beside pages and JSON."""
    return [one for area in load_areas() for one in area.files]


def make_app(state: State, auth: Auth) -> ASGIApp:
    """Return the application. Whatever it answers goes through the auth."""
    pages = make_templates(state, auth)
    routes: list[BaseRoute] = [
        *(Route(one.path, _sending(state, one, send_json), methods=[one.method]) for one in all_operations()),
        *(Route(one.path, _sending(state, one, send_document), methods=["GET"]) for one in all_documents()),
        *(Route(one.path, _view(state, one, pages), methods=["GET"]) for one in all_views()),
        Mount("/static", StaticFiles(directory=Path(str(files("scythe.web") / "static")))),
    ]
    failing = _failing(pages)
    app = Starlette(routes=routes, exception_handlers={HTTPException: failing, Exception: failing})
    app.router.redirect_slashes = False  # one address for each thing
    return Guarded(app, auth)


Pages = Callable[[str, dict[str, Any]], str]


def make_templates(state: State, auth: Auth) -> Pages:
    """Return what fills templates. Everything is escaped; a name that is not there is an error, not an empty place."""
    environment = Environment(
        loader=PackageLoader("scythe.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"word": auth.word, "state": state}
    environment.filters |= FILTERS

    def fill(template: str, values: dict[str, Any]) -> str:
        return environment.get_template(template).render(values)

    return fill


Endpoint = Callable[[Request], Awaitable[Response]]


def _sending(state: State, one: Operation, send: Callable[[Any], Response]) -> Endpoint:
    return _answering(one, lambda wanted: send(one.call(state, wanted)), fail)


def _view(state: State, view: Operation, pages: Pages) -> Endpoint:
    def show(wanted: Any) -> Response:
        return _page(pages(view.template, {"area": view.menu, "wanted": wanted, **view.call(state, wanted)}))

    def explain(error: Exception) -> Response:
        status = fail(error).status_code
        return _page(
            pages("wrong.html", {"area": view.menu, "wanted": None, "why": words(error), "status": status}), status
        )

    return _answering(view, show, explain)


def _answering(one: Operation, work: Callable[[Any], Response], explain: Callable[[Exception], Response]) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            return await run_in_threadpool(work, await read_wanted(request, one.wanted))
        except MEANT as error:
            return explain(error)

    return answer


def _page(html: str, status: int = 200) -> Response:
    return Response(html, status, {"Content-Security-Policy": PAGE_POLICY}, "text/html")


def _failing(pages: Pages) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        status, why = 500, "an error in scythe itself; the terminal shows where"
        if isinstance(error, HTTPException):
            status, why = error.status_code, "there is no such page" if error.status_code == 404 else str(error.detail)
        if request.url.path.startswith(("/api/", "/static/")):
            return send_json({"error": why}, status)
        return _page(pages("wrong.html", {"area": "", "wanted": None, "why": why, "status": status}), status)

    return answer
