"""``bootstrap-signer-controller``: signs the ConfigMap ``cluster-info`` (``bootstrapsigner.go``)."""

import hmac
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final

import orjson

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.controllers.bootstrap_tokens.secrets import SECRETS, TOKEN_NAMESPACE, is_bootstrap_token, signing_token
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

_CONFIG_MAPS: Final = ("", "v1", "configmaps")
_CLUSTER_INFO: Final = ("kube-public", "cluster-info")
_SIGNED: Final = "kubeconfig"
_SIGNATURE: Final = "jws-kubeconfig-"


class BootstrapSigner:
    """Signs the kubeconfig in the ConfigMap ``cluster-info`` with each bootstrap token whose usages include signing."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("bootstrap signer", self._sync)
        self._config_maps = runtime.informers.of(*_CONFIG_MAPS)
        self._secrets = runtime.informers.of(*SECRETS)
        self._config_maps.subscribe(self._on_config_map)
        self._secrets.subscribe(self._on_secret)

    def _on_config_map(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and (new.namespace, new.name) == _CLUSTER_INFO:
            self._queue.add(new.name)

    def _on_secret(self, old: StoredObject | None, new: StoredObject | None) -> None:
        secret = new or old
        if secret is not None and is_bootstrap_token(secret):
            self._queue.add(_CLUSTER_INFO[1])

    async def _sync(self, _: str) -> None:
        config_map = self._config_maps.get(*_CLUSTER_INFO)
        data: dict[str, str] = {} if config_map is None else config_map.document.get("data") or {}
        if config_map is None or _SIGNED not in data:
            return
        wanted = {name: value for name, value in data.items() if not name.startswith(_SIGNATURE)}
        wanted.update(self._signatures(data[_SIGNED]))
        if wanted == data:
            return

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, ConfigMap)
            obj.data = wanted

        resource = self._runtime.registry.find(*_CONFIG_MAPS).resource
        try:
            await self._runtime.client.update_revision(resource, config_map, change)
        except ApiError as error:
            # Another client changed or deleted the ConfigMap; the watch event for that queues it again.
            if error.reason not in ("Conflict", "NotFound"):
                raise

    def _signatures(self, content: str) -> dict[str, str]:
        """Sign `content` with each bootstrap token that may sign. Returns signatures by their keys in the ConfigMap."""
        now, found = self._runtime.clock.now(), dict[str, str]()
        for secret in self._secrets.in_namespace(TOKEN_NAMESPACE).values():
            token = signing_token(secret, now) if is_bootstrap_token(secret) else None
            if token is not None:
                found[_SIGNATURE + token[0]] = detached_signature(content, *token)
        return found


def detached_signature(content: str, token_id: str, token_secret: str) -> str:
    """Return a JSON Web Signature (HS256) without its content (RFC 7515, appendix F)."""
    header = _encoded(orjson.dumps({"alg": "HS256", "kid": token_id}))
    signed = f"{header}.{_encoded(content.encode())}".encode()
    return f"{header}..{_encoded(hmac.digest(token_secret.encode(), signed, sha256))}"


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()
