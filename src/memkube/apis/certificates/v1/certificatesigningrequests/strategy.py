"""Strategies of CertificateSigningRequests: for requesters, signers (``status``) and approvers (``approval``).

Source: ``pkg/registry/certificates/certificates``.
"""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.certificates.v1.certificatesigningrequests.types import (
    CertificateSigningRequest,
    CertificateSigningRequestStatus,
)
from memkube.apis.certificates.v1.certificatesigningrequests.validation import (
    APPROVED,
    DENIED,
    conditions_of,
    validate_request,
    validate_request_update,
)
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, Strategy
from memkube.time.clock import written_now

_SPEC: Final = ("spec",)


class CertificateSigningRequestStrategy(Strategy[CertificateSigningRequest]):
    """Strategy for creating and updating CertificateSigningRequests.

    Updates of the main resource change only metadata. Source: ``strategy.go``.
    """

    reset_fields: ClassVar[FieldPaths] = (_SPEC, ("status",))

    validate = staticmethod(validate_request)

    async def begin_create(
        self, stores: Stores, obj: CertificateSigningRequest, context: WriteContext
    ) -> Finish | None:
        """Set the user, UID, groups and extra values in the spec of a new request to those of the client."""
        spec, user = obj.spec, context.user
        spec.username, spec.uid, spec.groups = user.name, user.uid, list(user.groups)
        spec.extra = {key: list(values) for key, values in user.extra.items()}
        return None

    def prepare_for_create(self, obj: CertificateSigningRequest, now: Time) -> list[str]:
        """Clear the status of a new CertificateSigningRequest."""
        obj.status = CertificateSigningRequestStatus()
        return []

    def prepare_for_update(self, new: CertificateSigningRequest, old: CertificateSigningRequest) -> None:
        """Discard an update's changes to spec and status, which only subresources may write."""
        new.spec, new.status = old.spec, old.status

    def validate_update(self, new: CertificateSigningRequest, old: CertificateSigningRequest) -> list[FieldError]:
        return validate_request_update(new, old, may_decide=False)


class _ConditionStrategy(CertificateSigningRequestStrategy):
    """Base strategy of the ``status`` and ``approval`` subresources: sets the times of conditions."""

    async def begin_update(
        self, stores: Stores, new: CertificateSigningRequest, old: CertificateSigningRequest, context: WriteContext
    ) -> Finish | None:
        """Set the times that are missing in the conditions of a CertificateSigningRequest to the current time.

        A missing lastTransitionTime is copied from the old condition if the condition's status is unchanged.
        """
        now = written_now(stores.clock)
        for condition in new.status.conditions:
            condition.lastUpdateTime = condition.lastUpdateTime or now
            if condition.lastTransitionTime is None:
                known = (c for c in conditions_of(old, condition.type) if c.status == condition.status)
                condition.lastTransitionTime = next((c.lastTransitionTime for c in known if c.lastTransitionTime), now)
        return None


class CertificateSigningRequestStatusStrategy(_ConditionStrategy):
    """Strategy of the ``status`` subresource of CertificateSigningRequests, which signers write.

    Signers can set the certificate if it is unset, and conditions other than Approved and Denied.
    """

    reset_fields: ClassVar[FieldPaths] = (_SPEC, ("status", "conditions"))

    def prepare_for_update(self, new: CertificateSigningRequest, old: CertificateSigningRequest) -> None:
        """Discard an update's changes to the spec, and its changes of existing Approved and Denied conditions.

        If the update adds or removes such a condition, validation rejects it.
        """
        new.spec = old.spec
        for of_type in (APPROVED, DENIED):
            kept = conditions_of(old, of_type)
            if len(kept) != len(conditions_of(new, of_type)):
                continue
            conditions = new.status.conditions
            new.status.conditions = [kept.pop(0) if c.type == of_type else c for c in conditions]


class ApprovalStrategy(_ConditionStrategy):
    """Strategy of the ``approval`` subresource of CertificateSigningRequests, by which approvers set conditions."""

    reset_fields: ClassVar[FieldPaths] = (_SPEC, ("status", "certificate"))

    def prepare_for_update(self, new: CertificateSigningRequest, old: CertificateSigningRequest) -> None:
        """Discard an update's changes to the spec and to the issued certificate."""
        new.spec = old.spec
        new.status.certificate = old.status.certificate

    def validate_update(self, new: CertificateSigningRequest, old: CertificateSigningRequest) -> list[FieldError]:
        return validate_request_update(new, old, may_decide=True)
