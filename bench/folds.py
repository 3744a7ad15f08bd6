"""Judge sites by models that have not seen them: the files of `train/folds.py` come in, held-out models go out.

What ships was trained on all labelled pages, so on these it shows memory. Here each task has one model per fold of the
sites, trained without them; the name of a site tells its fold.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from bench.peers import Extract
from bench.site_names import fold_of
from scythe.errors import BadInput
from scythe.model import Document, RecordList
from scythe.page import Page
from scythe.reader import Judging, read_by
from scythe.reading import forest as forests
from scythe.reading.forest import Forest
from scythe.reading.images import relevance
from scythe.reading.images.image_features import feature_names
from scythe.reading.images.image_methods import DEFAULT as RELEVANCE
from scythe.reading.images.image_methods import mark_by_model
from scythe.reading.lists.find_lists import read_records
from scythe.reading.lists.list_features import feature_columns
from scythe.reading.text import choose_text, network
from scythe.reading.text.network import Network, prepare

FORMAT = "scythe-folds"
VERSION = 1
FOLDS = 5  # that the sites are shared out to in training
TEXT, IMAGES, RECORDS = TASKS = ("text", "images", "records")
_Model = TypeVar("_Model", Network, Forest)


@dataclass(frozen=True, slots=True)
class Folds:
    """Of each task one model per fold; a task whose file is not there has none. `site` is what `site_of` says."""

    folder: Path
    text: tuple[Network, ...] = ()
    images: tuple[Forest, ...] = ()
    records: tuple[Forest, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)  # SHA-256 of each file that was learned from, by its name

    def need(self, *tasks: str) -> None:
        """Raise BadInput unless there are models for all of these tasks."""
        missing = [f"{task}.json.xz" for task in tasks if not getattr(self, task)]
        if missing:
            raise BadInput(f"{self.folder} has no {', no '.join(missing)}: train/folds.py writes them")

    def network(self, site: str) -> Network:
        """Return the network for main text that has not seen a site. Raises BadInput where there is none."""
        self.need(TEXT)
        return self.text[fold_of(site, len(self.text))]

    def image_forest(self, site: str) -> Forest:
        """Return the shared image model that has not seen a site. Raises BadInput where there is none."""
        self.need(IMAGES)
        return self.images[fold_of(site, len(self.images))]

    def record_forest(self, site: str) -> Forest:
        """Return the ranker of regions that has not seen a site. Raises BadInput where there is none."""
        self.need(RECORDS)
        return self.records[fold_of(site, len(self.records))]

    def extractor(self, site: str) -> Extract:
        """Return what `scythe.read` does for the text of pages of a site, by a network that has not seen it."""
        choose = partial(choose_text.read, network=self.network(site))
        return lambda html, url: read_by(choose, html, url).text

    def read_document(self, html: str, url: str | None, site: str) -> Document:
        """Read a page as `scythe.read` does, its text and its images by models that have not seen its site."""
        judging = Judging(RELEVANCE, partial(mark_by_model, forest=self.image_forest(site)))
        return read_by(partial(choose_text.read, network=self.network(site)), html, url, judging=judging)

    def read_records(self, page: Page, site: str) -> tuple[RecordList, ...]:
        """Return the regions of a page, ranked by a forest that has not seen its site."""
        return read_records(page, forest=self.record_forest(site))


def load_folds(folder: Path) -> Folds:
    """Load the models of a folder. Raises BadInput for one without any, for damaged files and for other versions."""
    files = {task: folder / f"{task}.json.xz" for task in TASKS}
    if not any(file.is_file() for file in files.values()):
        raise BadInput(f"{folder} holds no models of folds: expected {', '.join(file.name for file in files.values())}")
    data: dict[str, str] = {}
    text = _load(files[TEXT], _network, data)
    for one in text:
        prepare(one)
    return Folds(
        folder, text, _load(files[IMAGES], _image_forest, data), _load(files[RECORDS], _record_forest, data), data
    )


def save_folds(file: Path, models: Sequence[str], learned_from: Sequence[Path]) -> None:
    """Write the models of one task, each in its saved form, the one of fold 0 first, and digests of their data."""
    data = {f"{path.parent.name}/{path.name}": sha256(path.read_bytes()).hexdigest() for path in learned_from}
    saved = {"format": FORMAT, "version": VERSION, "data": data, "models": [json.loads(model) for model in models]}
    text = json.dumps(saved, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    file.write_bytes(lzma.compress(text.encode(), preset=9))


def _load(file: Path, make: Callable[[str], _Model], data: dict[str, str]) -> tuple[_Model, ...]:
    """Return the models of one task, none without its file, and add what they learned from to `data`."""
    if not file.is_file():
        return ()
    try:
        saved: dict[str, Any] = json.loads(lzma.decompress(file.read_bytes()))
        if saved["format"] != FORMAT or saved["version"] != VERSION:
            raise BadInput(f"expected {FORMAT} version {VERSION}, got {saved['format']} version {saved['version']}")
        models = tuple(make(json.dumps(model)) for model in saved["models"])
        if not models:
            raise BadInput("no models")
        data |= {str(name): str(digest) for name, digest in saved["data"].items()}
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError, AttributeError, BadInput) as error:
        raise BadInput(f"{file} does not hold models of folds: {error}") from error
    return models


def _network(text: str) -> Network:
    made = network.from_json(text)
    if len(made.mean) != len(network.load().mean):
        raise BadInput("it was trained on other features: run train/folds.py")
    return made


def _image_forest(text: str) -> Forest:
    made = forests.from_json(text, relevance.FORM)
    if made.features != feature_names():
        raise BadInput("it was trained on other features: run train/folds.py")
    return made


def _record_forest(text: str) -> Forest:
    made = forests.from_json(text)
    if not set(made.features) <= feature_columns().keys():
        raise BadInput("it was trained on other features: run train/folds.py")
    return made
