"""Reads the lists of a view that shows several kinds, and remembers their revisions for live updates."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from fastapi import Request

from memkube.ui.api_client import ApiClient, Refused
from memkube.ui.page import At, at_of, client_of
from memkube.ui.tables import TABLE

_FORBIDDEN: Final = frozenset({403, 404})


class NamedRow(NamedTuple):
    """A row of a metav1.Table, with its cells by column name."""

    cells: Mapping[str, Any]
    document: Any
    """The whole object or only its metadata, depending on the request for the list."""


class Reading:
    """Reads the lists that one view shows, now or at a past revision.

    A list is empty if the user may not read it, or if the server does not serve its kind.
    """

    def __init__(self, client: ApiClient, at: At) -> None:
        self._client = client
        self._at = at
        self._revisions: dict[str, str] = {}
        self.refused: list[str] = []
        """Messages of the API about lists that the user may not see."""

    @classmethod
    def of(cls, request: Request) -> "Reading":
        """Return a Reading for the view that a browser requests, with the browser's credentials and the URL's revision.

        Raises Refused 400 if the revision is invalid.
        """
        return cls(client_of(request), at_of(request))

    async def items(self, path: str, fields: str = "") -> list[Any]:
        """Return the objects of the list at an API path. The field selector `fields` may restrict them."""
        found = await self._read(path, {"fieldSelector": fields} if fields else {}, "application/json")
        return list(found["items"] or ())

    async def rows(self, path: str, *, whole: bool = False) -> Iterator[NamedRow]:
        """Read the list at an API path as a Table, and return its rows.

        Rows contain whole objects if `whole` is true, otherwise only their metadata.
        """
        found = await self._read(path, {"includeObject": "Object" if whole else "Metadata"}, TABLE)
        names = [column["name"] for column in found.get("columnDefinitions", ())]
        rows = found.get("rows") or ()
        return (NamedRow(dict(zip(names, row["cells"], strict=True)), row["object"]) for row in rows)

    @property
    def watched(self) -> str:
        """API paths of the lists that were read, separated by spaces, for the HTML attribute ``data-watch``.

        Empty if the view shows a past revision, which cannot change.
        """
        return "" if self._at.is_past else " ".join(self._revisions)

    @property
    def after(self) -> str:
        """Revisions of the lists in `watched`, in the same order and joined by ``-``, for ``data-after`` in HTML."""
        return "-".join(self._revisions.values())

    async def _read(self, path: str, query: dict[str, str], accept: str) -> Any:
        try:
            found = await self._client.get(path, query | self._at.options(), accept)
        except Refused as error:
            if error.code not in _FORBIDDEN:
                raise
            self.refused.append(error.message)
            return {"items": []}
        selector = {"fieldSelector": query["fieldSelector"]} if "fieldSelector" in query else {}
        watched = f"{path}?{urlencode(selector)}" if selector else path
        self._revisions[watched] = found["metadata"]["resourceVersion"]
        return found


def in_namespace(root: str, plural: str, namespace: str) -> str:
    """Return the API path of a list in one namespace, or in all namespaces if `namespace` is empty.

    `root` is the path of the API group and version, such as ``/apis/apps/v1``.
    """
    return f"{root}/namespaces/{namespace}/{plural}" if namespace else f"{root}/{plural}"
