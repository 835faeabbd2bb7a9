"""Reads a live cluster with the official Python client.

The client handles kubeconfigs, certificates, tokens, exec plugins and proxies.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlencode

import orjson
from yaml import YAMLError

from memkube.errors import MemkubeError, Refused, ServerError, reason_of

_PAGE: Final = 500
_SECONDS: Final = 60.0
_GONE: Final = 410
_REFUSED: Final = 400


class LiveCluster:
    """Reads from a cluster, and never writes.

    The constructor raises ServerError if the package ``kubernetes`` is not installed, or for an invalid kubeconfig.
    Every call raises ServerError if no server answers, and Refused if the server answers with an error Status.
    """

    def __init__(self, kubeconfig: str | None = None, context: str | None = None) -> None:
        """Read the kubeconfig file `kubeconfig` and its context `context`; by default those that kubectl uses."""
        try:
            from kubernetes import config  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            raise ServerError(
                "reading a cluster needs the official Kubernetes client: pip install 'memkube[load]'"
            ) from None
        try:
            client = config.new_client_from_config(kubeconfig, context, persist_config=False)
        except (config.ConfigException, OSError, ValueError, YAMLError) as error:
            raise ServerError(f"{kubeconfig or 'the kubeconfig'}: {reason_of(error)}") from None
        self._configuration = client.configuration
        self._pool = client.rest_client.pool_manager
        self.url = str(self._configuration.host).rstrip("/")
        """The URL of the API server."""

    def get(self, path: str, query: Mapping[str, str | int] | None = None) -> Any:
        """Return the parsed JSON that the cluster answers to a GET of this path with the parameters `query`."""
        url = f"{self.url}{path}{f'?{urlencode(query)}' if query else ''}"
        with self._failures():
            answer = self._pool.request("GET", url, headers=self._headers(), timeout=_SECONDS)
        if answer.status >= _REFUSED:
            raise self._refusal(path, answer.status, answer.data)
        return orjson.loads(answer.data)

    def items(self, path: str, selector: str = "") -> Iterator[dict[str, Any]]:
        """Yield the objects of a collection that the label selector `selector` selects, page by page.

        If a continue token expires, the whole collection is read again in one page.
        """
        query: dict[str, str | int] = {"limit": _PAGE}
        if selector:
            query["labelSelector"] = selector
        first = self.get(path, query)
        found = list(first["items"] or ())
        token = first["metadata"].get("continue")
        while token:
            try:
                page = self.get(path, {**query, "continue": token})
            except Refused as error:
                if error.code != _GONE:
                    raise
                page = self.get(path, {name: value for name, value in query.items() if name != "limit"})
                found = []
            found += page["items"] or ()
            token = page["metadata"].get("continue")
        return iter(found)

    def _headers(self) -> dict[str, str]:
        """Return request headers with the user's credentials, after renewing expired tokens."""
        settings = self._configuration.auth_settings().values()
        found = {one["key"]: one["value"] for one in settings if one["in"] == "header" and one["value"]}
        return {"Accept": "application/json", "User-Agent": "memkube-load", **found}

    @contextmanager
    def _failures(self) -> Iterator[None]:
        import urllib3  # noqa: PLC0415 - a dependency of the client, which is an extra

        try:
            with warnings.catch_warnings():
                # Certificates stay unverified only if the user's kubeconfig disables the verification. Hide urllib3's
                # warning about unverified requests.
                warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)
                yield
        except urllib3.exceptions.HTTPError as error:
            why = getattr(error, "reason", None) or error
            raise ServerError(f"no server answers at {self.url}: {why}") from None

    def _refusal(self, path: str, status: int, body: bytes) -> MemkubeError:
        try:
            document = orjson.loads(body)
        except orjson.JSONDecodeError:
            document = None
        if isinstance(document, dict) and document.get("kind") == "Status":
            return Refused({"code": status, **document}, path)
        return ServerError(f"the server at {self.url} answers {status} for {path}")
