"""CETR: keep the lines with much text per tag (Weninger, Hsu, Han: Content Extraction via Tag Ratios, WWW 2010).

Ratios are smoothed, paired with their change, and clustered with one centre fixed at the origin, which is not content.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.reading.papers.text_elements import TextElements, number_elements

Floats = npt.NDArray[np.float64]

ROUNDS = 100  # of clustering; real pages settle within 20


@dataclass(frozen=True, slots=True)
class Cetr:
    """The method with its parameters; a block of the page takes the place of a line of its source."""

    clusters: int = 3
    sigma: float = 1.0  # of the Gaussian that smooths, in lines
    ahead: int = 3  # lines over which a change is measured

    def __call__(self, page: Page, options: TextOptions) -> Reading:
        """Keep the blocks outside the cluster at the origin."""
        blocks = page.blocks
        if not len(blocks):
            return Reading("cetr", why="no text")
        ratios = measure_ratios(blocks, number_elements(page))
        points = self.place(ratios)
        kept = np.flatnonzero(cluster(points, self.clusters))
        return Reading("cetr", kept=tuple(kept.tolist()), scores=tuple(points[:, 0].tolist()))

    def place(self, ratios: Floats) -> Floats:
        """Return one point per line: its smoothed ratio, and how strongly the ratio changes there."""
        smoothed = smooth(ratios, self.sigma)
        padded = np.concatenate([smoothed, np.zeros(self.ahead)])
        running = np.concatenate([[0.0], np.cumsum(padded)])
        ahead = (running[self.ahead : self.ahead + len(smoothed)] - running[: len(smoothed)]) / self.ahead
        return np.stack([smoothed, np.abs(smooth(ahead - smoothed, self.sigma))], axis=1)


read = Cetr()


def measure_ratios(blocks: Blocks, elements: TextElements) -> Floats:
    """Return each block's characters per tag met since the end of the block before, both ends of elements counting."""
    depth = [1] * len(elements.tag)
    for element in range(1, len(depth)):
        depth[element] = depth[elements.parent[element]] + 1
    leaves = np.arange(len(elements.leaf_text))
    opened = np.searchsorted(np.array(elements.leaf_start), leaves, side="right")
    met = 2 * opened - np.array([depth[parent] for parent in elements.leaf_parent], dtype=np.int64)  # opened + closed
    last = np.zeros(len(blocks), dtype=np.int64)
    last[np.array(elements.leaf_block, dtype=np.int64)] = met  # the last leaf of a block is written last
    tags = np.maximum(np.diff(last, prepend=0), 1)
    chars = np.array([len(text) for text in blocks.text], dtype=np.float64)
    ratios: Floats = chars / tags
    return ratios


def smooth(values: Floats, sigma: float) -> Floats:
    """Convolve with a Gaussian cut off one sigma from its middle; outside the page all is zero."""
    radius = int(np.ceil(sigma))
    offsets = np.arange(-radius, radius + 1)
    kernel = np.exp(-(offsets**2) / (2 * sigma**2))
    smoothed: Floats = np.convolve(values, kernel / kernel.sum())[radius : radius + len(values)]
    return smoothed


def cluster(points: Floats, clusters: int) -> npt.NDArray[np.bool_]:
    """Run k-means with one centre fixed at the origin; tell which points belong to another centre.

    The other centres start at the points farthest from all centres so far, which makes the outcome repeatable.
    """
    centres = np.zeros((clusters, points.shape[1]))
    nearest = (points**2).sum(axis=1)
    for number in range(1, clusters):
        centres[number] = points[nearest.argmax()]
        nearest = np.minimum(nearest, ((points - centres[number]) ** 2).sum(axis=1))
    owners = np.zeros(len(points), dtype=np.int64)
    for _ in range(ROUNDS):
        distances = np.stack([((points - centre) ** 2).sum(axis=1) for centre in centres])
        now = distances.argmin(axis=0)
        if (now == owners).all():
            break
        owners = now
        for number in range(1, clusters):
            if (owners == number).any():
                centres[number] = points[owners == number].mean(axis=0)
    chosen: npt.NDArray[np.bool_] = owners > 0
    return chosen
