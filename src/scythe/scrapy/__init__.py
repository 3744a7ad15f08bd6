"""scythe inside Scrapy: add-on, middleware, pipeline, page objects and a durable scheduler."""

from __future__ import annotations

from importlib import import_module

from scythe.errors import MissingExtra

_HOMES = {
    "page_objects": ["LearnedSite", "ScytheArticle", "ScythePage", "ScytheRecords"],
    "pipeline": ["Addon", "ScythePipeline", "ScytheSpiderMiddleware"],
    "scheduler": ["Scheduler"],
}
_LATER = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_LATER)
_OF_THE_EXTRA = ("scrapy", "itemadapter", "web_poet", "scrapy_poet", "twisted")


def __getattr__(name: str) -> object:
    """Import a part when it is asked for: page objects do without Scrapy, and the rest without page objects."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in _OF_THE_EXTRA:
            raise
        raise MissingExtra(
            f"{__name__}.{name} needs the package {error.name}: pip install 'webscythe[scrapy]'"
        ) from error
