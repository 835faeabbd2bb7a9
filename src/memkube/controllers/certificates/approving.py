"""Approves the CertificateSigningRequests of kubelets (kube-controller-manager's ``certificates/approver``)."""

from typing import Final

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.authorization.v1.types import (
    ResourceAttributes,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from memkube.apis.certificates.v1.certificatesigningrequests.types import (
    CertificateSigningRequest,
    CertificateSigningRequestCondition,
)
from memkube.controllers.certificates.conditions import REQUESTS, RETRIES, has, is_issued
from memkube.controllers.certificates.requested import RequestedCertificate
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import TryAgain
from memkube.registry.objects.stored import StoredObject

_SIGNER: Final = "kubernetes.io/kube-apiserver-client-kubelet"
_REVIEWS: Final = ("authorization.k8s.io", "v1", "subjectaccessreviews")
_SELF: Final = ("selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview.")
_ANY: Final = ("nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview.")


class ApprovingController:
    """Approves kubelets' requests for client certificates, if the requesting user may create such requests."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("certificate approval", self._sync, retries=RETRIES)
        self._requests = runtime.informers.of(*REQUESTS)
        self._requests.subscribe(self._on_request)

    def _on_request(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and self._is_undecided(new):
            self._queue.add(new.name)

    @staticmethod
    def _is_undecided(stored: StoredObject) -> bool:
        is_decided = is_issued(stored) or has(stored, "Approved") or has(stored, "Denied")
        return stored.document["spec"]["signerName"] == _SIGNER and not is_decided

    async def _sync(self, name: str) -> None:
        stored = self._requests.get("", name)
        if stored is None or not self._is_undecided(stored):
            return
        try:
            requested = RequestedCertificate.of(stored)
        except ValueError:
            return
        if requested.kubelet_client_error() is not None:
            return
        is_own = stored.document["spec"].get("username", "") == requested.common_name
        for subresource, message in (_SELF, _ANY) if is_own else (_ANY,):
            if await self._may_create(stored, subresource):
                await self._approve(stored, message)
                return
        # Try again later: an administrator may grant the missing permission to the user.
        raise TryAgain

    async def _may_create(self, stored: StoredObject, subresource: str) -> bool:
        """Return True if the user who created the CertificateSigningRequest `stored` may create this subresource of it.

        A SubjectAccessReview decides that.
        """
        group, _, plural = REQUESTS
        spec = CertificateSigningRequest.from_document(stored.document).spec
        attributes = ResourceAttributes(
            group=group, resource=plural, verb="create", subresource=subresource, version="*"
        )
        asked = SubjectAccessReviewSpec(
            user=spec.username, uid=spec.uid, groups=spec.groups, extra=spec.extra, resourceAttributes=attributes
        )
        resource = self._runtime.catalog.find(*_REVIEWS)
        assert resource is not None
        answer = await self._runtime.client.review(resource, SubjectAccessReview(spec=asked))
        return bool(answer["status"]["allowed"])

    async def _approve(self, stored: StoredObject, message: str) -> None:
        def change(obj: ApiObject) -> None:
            assert isinstance(obj, CertificateSigningRequest)
            approved = CertificateSigningRequestCondition(
                type="Approved", status="True", reason="AutoApproved", message=message
            )
            obj.status.conditions = [*obj.status.conditions, approved]

        resource = self._runtime.registry.find(*REQUESTS).resource
        await self._runtime.client.update_revision(resource, stored, change, subresource="approval")
