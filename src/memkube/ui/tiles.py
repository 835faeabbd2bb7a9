"""Tiles that show pods: the status that kubectl would print, and the number of restarts."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.ui.reading import NamedRow
from memkube.ui.tables import tone_of

_PODS: Final = "/api/v1/namespaces/{}/pods/{}"
_count: Final = re.compile(r"\d+")


class Tile(NamedTuple):
    """A small box that shows one pod."""

    namespace: str
    name: str
    ready: str
    status: str
    """Text of kubectl's column STATUS, such as CrashLoopBackOff."""
    tone: str
    restarts: int
    node: str
    """Name of the node; empty while the pod is not scheduled."""

    @property
    def key(self) -> str:
        """Identifier of the pod's tile in the HTML, by which scripts find it."""
        return f"{self.namespace}/{self.name}"

    @property
    def path(self) -> str:
        """Path of the pod in the API."""
        return _PODS.format(self.namespace, self.name)


def tile_of(row: NamedRow) -> Tile:
    """Return the tile of a pod from its row in the Table of pods."""
    cells, metadata = row.cells, row.document["metadata"]
    status, ready = str(cells["Status"]), str(cells["Ready"])
    tone = tone_of(status)
    if status == "Running":
        tone = tone_of(ready)
    restarts = _count.match(str(cells["Restarts"]))
    node = str(cells.get("Node") or "")
    place = metadata.get("namespace", ""), metadata["name"]
    return Tile(*place, ready, status, tone, int(restarts[0]) if restarts else 0, "" if node == "<none>" else node)


def counted(tiles: Sequence[Tile]) -> list[tuple[str, str, int]]:
    """Return the statuses of the pods in `tiles`, the most frequent first.

    Each is a tuple of the status, its tone (the CSS class of its colour, such as ``good``), and the number of pods.
    """
    counter = Counter((tile.status, tone_of(tile.status)) for tile in tiles)
    return [(status, tone, count) for (status, tone), count in counter.most_common()]
