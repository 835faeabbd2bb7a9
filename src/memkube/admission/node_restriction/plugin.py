"""The NodeRestriction plugin, with its rules for Leases, CSINodes, ResourceSlices, CSRs and claims."""

from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Final, TypeAlias

from cryptography.x509.oid import NameOID

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.node_restriction.nodes import check_node
from memkube.admission.node_restriction.pods import PodRules
from memkube.admission.node_restriction.tokens import TokenRules
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.pem import pem_blocks
from memkube.apimachinery.shown_values import go_json, internal_form, line_diff, quoted
from memkube.apimachinery.x509_objects import read_request
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.declarations.request_options import NODES

_PREFIX: Final = "system:node:"
_LEASES: Final = "kube-node-lease"
_KUBELET_SIGNERS: Final = ("kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet")
_REPORTED: Final = ("capacity", "conditions", "allocatedResources", "allocatedResourceStatuses")
_Rule: TypeAlias = Callable[[str, Attributes], Awaitable[None]]


class NodeRestriction(Plugin):
    """Admission plugin that limits which objects a kubelet may change (``plugin/pkg/admission/noderestriction``)."""

    name: ClassVar[str] = "NodeRestriction"

    def __init__(self, parts: AdmissionParts) -> None:
        self._rules: dict[tuple[str, str], _Rule] = {
            ("", "pods"): PodRules(parts.registry).check_pod,
            ("", "nodes"): check_node,
            ("", "persistentvolumeclaims"): _check_claim,
            ("", "serviceaccounts"): TokenRules(parts.registry).check,
            ("coordination.k8s.io", "leases"): _check_lease,
            ("storage.k8s.io", "csinodes"): _check_csi_node,
            ("resource.k8s.io", "resourceslices"): _check_slice,
            ("certificates.k8s.io", "certificatesigningrequests"): _check_signing_request,
        }

    async def mutate(self, attributes: Attributes) -> None:
        """Refuse a kubelet's writes to objects of other nodes, and all writes of kubelets whose names have no node.

        The object is not changed.
        """
        user = attributes.context.user
        if not user.name.startswith(_PREFIX) or NODES not in user.groups:
            return
        node = user.name.removeprefix(_PREFIX)
        if not node:
            raise refused(attributes, f"could not determine node from user {quoted(user.name)}")
        rule = self._rules.get((attributes.resource.group, attributes.resource.plural))
        if rule is not None:
            await rule(node, attributes)


async def _check_lease(node: str, attributes: Attributes) -> None:
    if attributes.namespace != _LEASES:
        raise refused(attributes, f"can only access leases in the {quoted(_LEASES)} system namespace")
    if attributes.name != node:
        raise refused(attributes, "can only access node lease with the same name as the requesting node")


async def _check_csi_node(node: str, attributes: Attributes) -> None:
    if attributes.name != node:
        raise refused(attributes, "can only access CSINode with the same name as the requesting node")


async def _check_slice(node: str, attributes: Attributes) -> None:
    if attributes.operation == "UPDATE":
        return
    # `obj` has the type Any, because this module must not import the types of another API group.
    obj: Any = attributes.new if attributes.operation == "CREATE" else attributes.old
    if obj.spec.nodeName != node:
        verb = attributes.operation.lower()
        raise refused(attributes, f"can only {verb} ResourceSlice with the same NodeName as the requesting node")


async def _check_signing_request(node: str, attributes: Attributes) -> None:
    """Refuse a kubelet's CertificateSigningRequest unless its common name is the kubelet's own user name."""
    # `request` has the type Any, because this module must not import the types of another API group.
    request: Any = attributes.new
    if attributes.operation != "CREATE" or request.spec.signerName not in _KUBELET_SIGNERS:
        return
    try:
        name = _common_name(b64decode(request.spec.request))
    except ValueError as error:
        raise refused(attributes, f"unable to parse csr: {error}") from None
    if name != f"{_PREFIX}{node}":
        raise refused(attributes, f"can only create a node CSR with CN={_PREFIX}{node}")


def _common_name(request: bytes) -> str:
    """Return the common name of a PEM-encoded certificate request. Raises ValueError if the request is malformed."""
    block = next(pem_blocks(request), None)
    if block is None or block.type != "CERTIFICATE REQUEST":
        raise ValueError("PEM block type must be CERTIFICATE REQUEST")
    try:
        names = read_request(block.content).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    except TypeError as error:  # A name in the subject is not text.
        raise ValueError(str(error)) from None
    return str(names[-1].value) if names else ""


async def _check_claim(node: str, attributes: Attributes) -> None:
    if attributes.subresource != "status":
        raise refused(attributes, "may only update PVC status")
    before, after = (_without_reports(obj) for obj in (attributes.old, attributes.new))
    if before.to_document() != after.to_document():
        what = f"node {quoted(node)} is not allowed to update fields other than status.quantity and status.conditions"
        texts = (go_json(internal_form(claim), indent=1) for claim in (before, after))
        raise refused(attributes, f"{what}: {line_diff(*texts)}")


def _without_reports(claim: Any) -> ApiObject:
    """Return a copy of a claim without the status fields that kubelets may write, for comparing two claims.

    The copy also lacks resourceVersion and managedFields, which each write changes.
    """
    copy: ApiObject = claim.model_copy(deep=True)
    copy.metadata.resourceVersion = ""
    copy.metadata.managedFields = None
    status: Any = getattr(copy, "status")  # noqa: B009 -- the type is not known here
    status.capacity, status.conditions = {}, []
    status.allocatedResources, status.allocatedResourceStatuses = {}, {}
    # Treat the cleared fields as not sent by the client: messages then print them as null, like nil in Go.
    status.model_fields_set.difference_update(_REPORTED)
    return copy
