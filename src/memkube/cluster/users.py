"""Users of a cluster, each with credentials, a kubeconfig and a client of its own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import token_urlsafe
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.cluster.api_client import ApiClient, path_of
from memkube.cluster.bridge import Blocking, Calls, blocking
from memkube.cluster.manifests import Manifests, read_manifests
from memkube.cluster.running import MANAGER, Running
from memkube.cluster.verbs import AsyncVerbs, Documents
from memkube.errors import UsageError
from memkube.registry.declarations.authentication import with_group_of_authenticated
from memkube.registry.declarations.request_options import ANONYMOUS, WriteContext
from memkube.registry.declarations.request_options import User as ServerUser
from memkube.registry.declarations.resource import CreateSubresource

_MISSING: Final = 404
_APPLY: Final = "application/apply-patch+yaml"
_TOKEN_SECONDS: Final = 10 * 365 * 24 * 60 * 60
"""Lifetime in seconds of a service account's token: ten years, so that it outlasts tests that advance the clock."""


class UserCredentials:
    """The name, the bearer token and the kubeconfig of a user."""

    def __init__(self, running: Running, name: str, token: str) -> None:
        self.running = running
        """The server in which the user exists."""
        self.name = name
        """Name of the user, such as ``alice`` or ``system:serviceaccount:shop:operator``."""
        self.token = token
        """Bearer token of the user."""

    @property
    def kubeconfig(self) -> Path:
        """Path of a kubeconfig file for this user, which is deleted when the server stops."""
        return self.running.user_kubeconfig(self.token)

    @property
    def kubeconfig_content(self) -> str:
        """The kubeconfig as YAML."""
        return self.running.user_kubeconfig_text(self.token)


class AsyncUser(UserCredentials, AsyncVerbs):
    """A user of a cluster. Its methods are requests of this user, which the server authorizes."""

    def __init__(self, calls: Calls, name: str, token: str) -> None:
        UserCredentials.__init__(self, calls.running, name, token)
        AsyncVerbs.__init__(self, calls)

    async def apply(self, *manifests: Manifests, namespace: str = "default", force: bool = False) -> Documents:
        """Apply manifests as this user (server-side apply), and return the stored objects.

        Each manifest is the path of a file or folder, YAML or JSON text, a document, or a sequence of those.
        `namespace` is the namespace of objects that name none. `force` takes over fields of other field managers.
        Raises ManifestError, before anything is written, if a manifest cannot be read. Raises UsageError if an object
        has no name.
        """
        applied = []
        for manifest in read_manifests(*manifests):
            resource = await self._answer(self._calls.running.operations.kind(manifest))
            name = manifest.metadata.get("name")
            if not name:
                raise UsageError(f"{manifest.source}: an object without a name cannot be applied")
            inside = str(manifest.metadata.get("namespace") or namespace)
            query = {"force": True} if force else {}
            path = path_of(resource, inside, str(name))
            applied.append(await self._write("PATCH", path, manifest.document, _APPLY, query))
        return applied

    def _client(self, timeout: float) -> ApiClient:
        return ApiClient(self._calls.running.server.url, timeout, self.token)


class User(UserCredentials, Blocking[AsyncUser]):
    """A user of a cluster, which ``kube.user(...)`` and ``kube.service_account(...)`` return.

    ::

        alice = kube.user("alice", groups=["developers"])
        with pytest.raises(memkube.Refused, match='User "alice" cannot list resource "secrets"'):
            alice.list("secrets", namespace="shop")

    ``alice.name``, ``alice.token`` and ``alice.kubeconfig`` are for programs under test, such as kubectl. The methods
    ``create``, ``get``, ``list``, ``patch``, ``scale``, ``delete``, ``logs``, ``exec`` and ``events`` are those of the
    cluster. They are requests of this user, which the server authorizes if it runs with ``authorization="RBAC"``.
    """

    apply = blocking(AsyncUser.apply)
    create = blocking(AsyncUser.create)
    get = blocking(AsyncUser.get)
    list = blocking(AsyncUser.list)
    patch = blocking(AsyncUser.patch)
    scale = blocking(AsyncUser.scale)
    delete = blocking(AsyncUser.delete)
    logs = blocking(AsyncUser.logs)
    exec = blocking(AsyncUser.exec)
    events = blocking(AsyncUser.events)

    def __init__(self, implementation: AsyncUser) -> None:
        UserCredentials.__init__(self, implementation.running, implementation.name, implementation.token)
        Blocking.__init__(self, implementation)


async def user_token(running: Running, name: str, groups: Sequence[str], extra: Mapping[str, Sequence[str]]) -> str:
    """Return a bearer token for a user, which the server in `running` accepts from now on.

    `extra` maps keys to the user's extra values. Must run in the server's thread. A second call for the same user
    returns the same token. Raises UsageError for an empty name, for the anonymous user, and if `groups` is a string.
    """
    if not name or name == ANONYMOUS:
        raise UsageError(f"a user with credentials cannot have the name {name!r}")
    if isinstance(groups, str):
        raise UsageError(f"groups must be a sequence of names, not {groups!r}")
    values = {key: tuple(extra[key]) for key in extra}
    user = with_group_of_authenticated(ServerUser(name, groups=tuple(groups), extra=values))
    known = running.server.registry.kind_services.static_tokens
    token = next((token for token, other in known.items() if other == user), None) or token_urlsafe()
    known[token] = user
    return token


async def service_account_token(running: Running, namespace: str, name: str) -> str:
    """Return a new token of a service account, which is created in the server in `running` if it does not exist.

    Must run in the server's thread. Raises ApiError 404 if the namespace does not exist.
    """
    store = running.operations.store("serviceaccounts")
    try:
        await store.get(namespace, name)
    except ApiError as error:
        if error.code != _MISSING:
            raise
        metadata = {"name": name, "namespace": namespace}
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
        await running.operations.apply(read_manifests(account), namespace, force=False)
    subresource = store.resource.subresource("token")
    assert isinstance(subresource, CreateSubresource)
    request = subresource.model.from_document({"spec": {"expirationSeconds": _TOKEN_SECONDS}})
    answer = await store.post(subresource, name, request, WriteContext(namespace=namespace, manager=MANAGER))
    token: str = answer.document["status"]["token"]
    return token
