"""The Scrapy add-on that enables all parts of scythe with one setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_HERE = "scythe.scrapy"
# behind HttpError (50), so that pages of errors are not learned from; behind the others on the way back, so that the
# items it takes note of are those that come to the pipeline
_PARTS = (
    ("SPIDER_MIDDLEWARES", f"{_HERE}.ScytheSpiderMiddleware", 100),
    ("ITEM_PIPELINES", f"{_HERE}.ScythePipeline", 100),
    ("SCRAPY_POET_PROVIDERS", f"{_HERE}.provider.LearnedSiteProvider", 500),
)


class Addon:
    """`ADDONS = {"scythe.scrapy.Addon": 300}`; a part that a project has in its settings stays as it is."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the parts that are not there; one that is set to None stays switched off."""
        for setting, path, order in _PARTS:
            places = settings.getdict(setting)
            if not any(_is_same(key, path) for key in places):
                settings.set(setting, {**places, path: order}, settings.getpriority(setting) or "addon")


def _is_same(key: object, path: str) -> bool:
    """Tell whether a key of a setting, a path or a class, is one of our parts, whichever module it is taken from."""
    module, _, name = key.rpartition(".") if isinstance(key, str) else _place(key)
    return name == path.rpartition(".")[2] and module.startswith(_HERE)


def _place(part: object) -> tuple[str, str, str]:
    return str(getattr(part, "__module__", "")), ".", str(getattr(part, "__qualname__", ""))
