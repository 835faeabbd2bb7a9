"""``certificatesigningrequest-signing-controller``: issues certificates for approved requests (``signer``)."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.base64 import encode_base64
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.time import Time
from memkube.apis.certificates.v1.certificatesigningrequests.types import (
    CertificateSigningRequest,
    CertificateSigningRequestCondition,
)
from memkube.controllers.certificates.authority import AuthorityExpired, SigningAuthority
from memkube.controllers.certificates.authority_files import AuthorityFiles
from memkube.controllers.certificates.conditions import REQUESTS, RETRIES, has, is_issued
from memkube.controllers.certificates.requested import RequestedCertificate
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.registry.objects.stored import StoredObject

_LONGEST: Final = timedelta(days=365)
"""Lifetime of a certificate whose request has no ``expirationSeconds`` (``--cluster-signing-duration``)."""
_SHORTEST: Final = timedelta(minutes=10)
_OPTIONAL: Final = ("digital signature", "key encipherment")
_LOGGER: Final = logging.getLogger("memkube.controllers")


def _client_error(requested: RequestedCertificate, usages: list[str]) -> str | None:
    for usage in usages:
        if usage not in (*_OPTIONAL, "client auth"):
            return f"invalid usage for client certificate: {usage}"
    return None if "client auth" in usages else "missing required usage for client certificate: client auth"


_SIGNERS: Final[Mapping[str, Callable[[RequestedCertificate, list[str]], str | None]]] = {
    "kubernetes.io/kube-apiserver-client": _client_error,
    "kubernetes.io/kube-apiserver-client-kubelet": lambda requested, _: requested.kubelet_client_error(),
    "kubernetes.io/kubelet-serving": lambda requested, _: requested.kubelet_serving_error(),
    "kubernetes.io/legacy-unknown": lambda *_: None,
}
"""The signers of Kubernetes by name.

Each signer is a function that takes the parsed request and its usages, and returns why the signer refuses the request,
or None if it signs the certificate.
"""


class SigningController:
    """Issues certificates for approved CertificateSigningRequests that name a signer of Kubernetes."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        files = runtime.options.signing_files
        self._authority = AuthorityFiles(files) if files else SigningAuthority(runtime.registry.shared_state)
        self._queue = runtime.queue("certificate", self._sync, retries=RETRIES)
        self._requests = runtime.informers.of(*REQUESTS)
        self._requests.subscribe(self._on_request)

    def _on_request(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and self._must_sign(new):
            self._queue.add(new.name)

    @staticmethod
    def _must_sign(stored: StoredObject) -> bool:
        if is_issued(stored) or stored.document["spec"]["signerName"] not in _SIGNERS:
            return False
        return has(stored, "Approved") and not has(stored, "Denied") and not has(stored, "Failed")

    async def _sync(self, name: str) -> None:
        stored = self._requests.get("", name)
        if stored is None or not self._must_sign(stored):
            return
        spec, now = stored.document["spec"], self._runtime.clock.now()
        try:
            requested = RequestedCertificate.of(stored)
            refusal = _SIGNERS[spec["signerName"]](requested, spec["usages"])
            certificate = b"" if refusal is not None else await self._signed(requested, stored, now)
        except ValueError as error:
            # The content of a CertificateSigningRequest never changes, so a retry would fail again.
            _LOGGER.warning("unable to parse csr %s: %s", name, error)
            return
        except AuthorityExpired as error:
            _LOGGER.warning("error auto signing csr %s: %s", name, error)
            raise TryAgain from None
        await self._write(stored, refusal, certificate)

    async def _signed(self, requested: RequestedCertificate, stored: StoredObject, now: datetime) -> bytes:
        spec = stored.document["spec"]
        authority = await self._authority.current(now)
        return authority.signed(requested, spec["usages"], _lifetime(spec.get("expirationSeconds")), now)

    async def _write(self, stored: StoredObject, refusal: str | None, certificate: bytes) -> None:
        now = Time.at(self._runtime.clock.now())

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, CertificateSigningRequest)
            if refusal is None:
                obj.status.certificate = encode_base64(certificate)
                return
            failed = CertificateSigningRequestCondition(
                type="Failed",
                status="True",
                reason="SignerValidationFailure",
                message=refusal,
                lastUpdateTime=now,
            )
            obj.status.conditions = [*obj.status.conditions, failed]

        resource = self._runtime.registry.find(*REQUESTS).resource
        await self._runtime.client.update_revision(resource, stored, change, subresource="status")


def _lifetime(seconds: int | None) -> timedelta:
    return _LONGEST if seconds is None else max(min(timedelta(seconds=seconds), _LONGEST), _SHORTEST)
