"""Follows changes of lists of the control API. These lists cannot be watched, so their contents are compared."""

from typing import Any, Final

from memkube.ui.api_client import ApiClient
from memkube.ui.page import CONTROL

_REQUESTS: Final = f"{CONTROL}/requests"


class PolledList:
    """A list that memkube's control API serves at a path, with its contents at the last comparison."""

    def __init__(self, client: ApiClient, path: str) -> None:
        self._client = client
        self._path = path
        self._seen: Any = None
        self._query = {"limit": "1"} if path == _REQUESTS else {}

    async def has_changed(self) -> bool:
        """Return True if the list has changed since the last call, and at the first call.

        If the control API answers with an error, the result depends on the list. For the list of requests, this method
        raises Refused. For any other list, it compares the error with the previous response, as if it were the list.
        """
        answer = await self._client.send("GET", self._path, self._query)
        found: Any = answer.body
        if self._path == _REQUESTS:
            # The list of requests is long, so only the number of the newest request is compared.
            found = answer.document()["answered"]
            self._query["after"] = str(found)
        changed, self._seen = found != self._seen, found
        return bool(changed)
