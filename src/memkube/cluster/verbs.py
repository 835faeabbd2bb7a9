"""The verbs of the Kubernetes API as methods for programs with an asyncio or trio event loop."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from memkube.apimachinery.model import Document
from memkube.cluster.api_client import ApiClient, ExecResult, api_client, path_of
from memkube.cluster.bridge import Calls
from memkube.cluster.manifests import Manifests, read_manifests
from memkube.cluster.running import CALL_SECONDS
from memkube.errors import UsageError, unknown_name
from memkube.registry.declarations.resource import Resource

Documents: TypeAlias = list[Document]
PatchType: TypeAlias = Literal["strategic", "merge", "json"]
Propagation: TypeAlias = Literal["Background", "Foreground", "Orphan"]
_PATCHES: Final = {
    "strategic": "application/strategic-merge-patch+json",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
}


class AsyncVerbs:
    """Requests to the API server, as any client sends them: validation is strict, and admission applies.

    The request log records them with the client ``memkube-python``, and faults apply to them as to other requests. A
    resource is named as for kubectl: ``pods``, ``po``, ``deployments.apps``. If the clock is stepped (only
    `clock.advance` moves it), writes return once the controllers have reacted to them. Every method raises Refused for
    an error Status, and UsageError for an invalid argument.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def create(self, *manifests: Manifests, namespace: str = "default") -> Documents:
        """Create objects and return them as they are stored.

        Each manifest is the path of a file or folder, YAML or JSON text, a document, or a sequence of those. Custom
        resource definitions are created first, then namespaces. `namespace` is for objects without a namespace. Raises
        ManifestError, before anything is created, for a manifest that cannot be read.
        """
        created = []
        for manifest in read_manifests(*manifests):
            resource = await self._answer(self._calls.running.operations.kind(manifest))
            inside = str(manifest.metadata.get("namespace") or namespace)
            created.append(await self._write("POST", path_of(resource, inside), manifest.document))
        return created

    async def get(self, resource: str, name: str, *, namespace: str = "default", subresource: str = "") -> Document:
        """Return an object, or one of its subresources, such as ``scale`` or ``status``."""
        path = path_of(await self._resource(resource), namespace, name, subresource)
        return _document(await self._request("GET", path))

    async def list(
        self, resource: str, *, namespace: str | None = None, labels: str = "", fields: str = ""
    ) -> Documents:
        """Return the objects of a resource in one namespace, or in all namespaces if `namespace` is None.

        `labels` and `fields` are selectors, such as ``app=web,tier!=cache`` and ``status.phase=Running``.
        """
        found = await self._resource(resource)
        query = {"labelSelector": labels or None, "fieldSelector": fields or None}
        listed = _document(await self._request("GET", path_of(found, namespace or ""), query))
        return [{"apiVersion": found.api_version, "kind": found.kind, **item} for item in listed["items"]]

    async def patch(
        self,
        resource: str,
        name: str,
        patch: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        namespace: str = "default",
        type: PatchType = "strategic",  # noqa: A002 - as for kubectl
        subresource: str = "",
    ) -> Document:
        """Patch an object and return it. `type` is ``strategic`` (built-in kinds only), ``merge`` or ``json``.

        Raises UsageError for another `type`.
        """
        if type not in _PATCHES:
            raise UsageError(unknown_name("patch type", str(type), _PATCHES))
        path = path_of(await self._resource(resource), namespace, name, subresource)
        return await self._write("PATCH", path, patch, _PATCHES[type])

    async def scale(self, resource: str, name: str, replicas: int, *, namespace: str = "default") -> Document:
        """Set the number of replicas through the ``scale`` subresource; return the Scale."""
        change = {"spec": {"replicas": replicas}}
        return await self.patch(resource, name, change, namespace=namespace, type="merge", subresource="scale")

    async def delete(
        self,
        resource: str,
        name: str,
        *,
        namespace: str = "default",
        propagation: Propagation | None = None,
        grace_seconds: int | None = None,
    ) -> None:
        """Delete an object. Returns once the deletion is accepted: an object with finalizers is then terminating.

        `propagation` says what happens to dependents: Background, Foreground or Orphan. `grace_seconds` is the grace
        period. If they are None, the server's defaults apply. ``wait_for(resource, name, "delete")`` waits until the
        object is gone.
        """
        options = {"propagationPolicy": propagation, "gracePeriodSeconds": grace_seconds}
        body = {"apiVersion": "v1", "kind": "DeleteOptions", **{k: v for k, v in options.items() if v is not None}}
        await self._write("DELETE", path_of(await self._resource(resource), namespace, name), body)

    async def logs(
        self,
        pod: str,
        *,
        container: str | None = None,
        namespace: str = "default",
        tail: int | None = None,
        since_seconds: int | None = None,
        previous: bool = False,
        timestamps: bool = False,
    ) -> str:
        """Return the log of a container so far, or its last `tail` lines.

        A pod with one container needs no `container`. With `since_seconds`, older lines are left out. With `previous`,
        the log is that of the container's run before the last restart. With `timestamps`, lines begin with their time.
        """
        query = {"container": container, "tailLines": tail, "sinceSeconds": since_seconds}
        flags = {"previous": previous or None, "timestamps": timestamps or None}
        path = path_of(await self._resource("pods"), namespace, pod, "log")
        return (await self._request("GET", path, query | flags)).decode("utf-8", "replace")

    async def exec(
        self,
        pod: str,
        command: str | Sequence[str],
        *,
        container: str | None = None,
        namespace: str = "default",
        stdin: str = "",
        timeout: float = CALL_SECONDS,
    ) -> ExecResult:
        """Run a command in a simulated container, and return its output and exit code.

        `command` is a list of words such as ``["ls", "-l"]``; a string is a command of one word. `stdin` is the
        command's input. A pod with one container needs no `container`. Raises CallTimeout if the command prints nothing
        for `timeout` seconds and does not end.
        """
        words = [command] if isinstance(command, str) else list(command)
        path = path_of(await self._resource("pods"), namespace, pod, "exec")
        client = self._client(timeout)
        query = {"command": words, "container": container}
        return await self._calls.wait(partial(client.execute, path, query, stdin), abandon=True)

    async def events(self, resource: str = "", name: str = "", *, namespace: str | None = "default") -> Documents:
        """Return the events of a namespace, or only those about the objects of a resource or about one object.

        The oldest event comes first. `namespace` None is for all namespaces.
        """
        kind = (await self._resource(resource)).kind if resource else ""
        selected = {"involvedObject.kind": kind, "involvedObject.name": name}
        selector = ",".join(f"{field}={value}" for field, value in selected.items() if value)
        found: Iterable[Document] = await self.list("events", namespace=namespace, fields=selector)
        return sorted(found, key=_when)

    def _client(self, timeout: float) -> ApiClient:
        """Return an API client with the administrator's credentials; `timeout` is its time limit in seconds."""
        return api_client(self._calls.running.server, timeout)

    async def _resource(self, name: str) -> Resource:
        return await self._answer(self._calls.running.operations.resource(name))

    async def _answer(self, work: Any) -> Resource:
        resource: Resource = await self._calls.answer(work)
        return resource

    async def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> bytes:
        request = partial(self._client(CALL_SECONDS).request, method, path, query, body, content_type)
        return await self._calls.wait(request, abandon=True)

    async def _write(
        self,
        method: str,
        path: str,
        body: Any,
        content_type: str = "application/json",
        query: Mapping[str, Any] | None = None,
    ) -> Document:
        options = {"fieldManager": "memkube-python", "fieldValidation": "Strict"} if method != "DELETE" else {}
        answer = _document(await self._request(method, path, options | dict(query or {}), body, content_type))
        await self._calls.answer(self._calls.running.operations.settle())
        return answer


def _document(body: bytes) -> Document:
    document: Document = json.loads(body)
    return document


def _when(event: Document) -> str:
    return str(event.get("eventTime") or event.get("firstTimestamp") or event["metadata"]["creationTimestamp"])
