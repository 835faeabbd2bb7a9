"""Maintains the ConfigMap with the certificate authorities of clients, which extension API servers read.

Source: ``pkg/controlplane/controller/clusterauthenticationtrust``.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import orjson
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from memkube.apimachinery.errors import ApiError
from memkube.auth.authentication.certificate_authorities import CertificateAuthorities
from memkube.auth.authentication.options import AuthenticationOptions
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

_CONFIG_MAPS: Final = ("", "v1", "configmaps")
NAMESPACE: Final = "kube-system"
NAME: Final = "extension-apiserver-authentication"
_CLIENT_CA: Final = "client-ca-file"
_PROXY_CA: Final = "requestheader-client-ca-file"
_TOLERATED: Final = timedelta(minutes=5)
"""Time after its expiry for which a certificate remains in the ConfigMap."""
_INTERVAL: Final = 60
"""Seconds between two checks of the ConfigMap and the files of certificate authorities.

A deleted ConfigMap is created again at once.
"""
_WRITTEN_BY_OTHERS: Final = ("AlreadyExists", "Conflict", "NotFound")


class AuthenticationTrust:
    """The client CAs and header names that the server trusts, for ConfigMap ``extension-apiserver-authentication``."""

    def __init__(self, options: AuthenticationOptions) -> None:
        """Read the certificate authorities.

        Raises ValueError with a message of one line if a file with certificate authorities cannot be read.
        """
        proxies = options.request_headers
        self._clients = CertificateAuthorities(options.client_ca_file) if options.client_ca_file else None
        self._proxies = CertificateAuthorities(proxies.client_ca_file) if proxies else None
        self._lists: dict[str, Sequence[str]] = {}
        if proxies is not None:
            self._lists = {
                "requestheader-username-headers": proxies.username_headers,
                "requestheader-uid-headers": proxies.uid_headers,
                "requestheader-group-headers": proxies.group_headers,
                "requestheader-extra-headers-prefix": proxies.extra_prefixes,
                "requestheader-allowed-names": proxies.allowed_names,
            }

    def combined(self, found: Mapping[str, str], now: datetime) -> dict[str, str]:
        """Return the data of the ConfigMap, completed with this server's certificates and headers.

        Expired certificates are removed. Raises ValueError if `found`, the present data of the ConfigMap, is malformed.
        """
        data = {}
        if clients := _united(found.get(_CLIENT_CA, ""), self._clients, now):
            data[_CLIENT_CA] = clients
        if proxies := _united(found.get(_PROXY_CA, ""), self._proxies, now):
            data[_PROXY_CA] = proxies
            for key, own in self._lists.items():
                listed = list(dict.fromkeys([*_listed(found.get(key, "")), *own]))
                if listed or key != "requestheader-uid-headers":
                    data[key] = orjson.dumps(listed).decode()
        return data


class ClusterAuthenticationTrust:
    """Adds the CAs and header names that this server trusts to ConfigMap ``extension-apiserver-authentication``.

    Entries of other API servers are kept, except expired certificates.
    """

    def __init__(self, runtime: Runtime, *, options: AuthenticationOptions) -> None:
        """Create the controller.

        Raises ValueError with a message of one line if a file with certificate authorities cannot be read.
        """
        self._trust = AuthenticationTrust(options)
        self._runtime = runtime
        self._client = runtime.client_of("kube-apiserver")
        self._queue = runtime.queue("cluster_authentication_trust_controller", self._sync)
        self._config_maps = runtime.informers.of(*_CONFIG_MAPS)
        self._config_maps.subscribe(self._on_config_map)
        runtime.started.append(lambda: self._queue.add(NAME))

    def _on_config_map(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is not None:
            return
        changed = new or old
        if changed is not None and (changed.namespace, changed.name) == (NAMESPACE, NAME):
            self._queue.add(NAME)

    async def _sync(self, _: str) -> None:
        self._queue.add_after(NAME, _INTERVAL)
        resource = self._runtime.registry.find(*_CONFIG_MAPS).resource
        current = self._config_maps.get(NAMESPACE, NAME)
        found = {} if current is None else current.document.get("data", {})
        wanted = self._trust.combined(found, self._runtime.clock.now())
        try:
            if current is None:
                document = {"metadata": {"name": NAME, "namespace": NAMESPACE}, "data": wanted}
                await self._client.create(resource, resource.model.from_document(document), NAMESPACE)
            elif found != wanted:

                def change(obj: Any) -> None:
                    obj.data = wanted

                await self._client.update_revision(resource, current, change)
        except ApiError as error:
            # Another client has written the ConfigMap first. The informer's event for that write queues it again.
            if error.reason not in _WRITTEN_BY_OTHERS:
                raise


def _listed(text: str) -> Iterable[str]:
    return orjson.loads(text) if text else ()


def _united(pem: str, own: CertificateAuthorities | None, now: datetime) -> str:
    """Return the certificates in `pem` and those of `own`, in PEM, without duplicates and expired certificates."""
    there = x509.load_pem_x509_certificates(pem.encode()) if pem else []
    both = dict.fromkeys((*there, *(own.current() if own else ())))
    valid = [certificate for certificate in both if certificate.not_valid_after_utc > now - _TOLERATED]
    return "".join(certificate.public_bytes(Encoding.PEM).decode() for certificate in valid)
