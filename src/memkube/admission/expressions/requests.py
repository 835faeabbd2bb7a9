"""The CEL variable ``request`` (``admission.k8s.io/v1`` AdmissionRequest; apiserver ``admission/plugin/cel``)."""

from memkube.admission.matching.rules import namespace_of
from memkube.apimachinery.model import Document
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import User
from memkube.registry.declarations.resource import Resource


def request_of(attributes: Attributes, resource: Resource, kind: KindName) -> Document:
    """Return the AdmissionRequest for a request, without the fields object and oldObject.

    `resource` and `kind` have the API version that a rule matched.
    """
    asked = attributes.resource
    request: Document = {
        "uid": "",
        "kind": _kind(kind),
        "resource": _resource(resource),
        "subResource": attributes.subresource,
        "requestKind": _kind(attributes.kind),
        "requestResource": _resource(asked),
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": namespace_of(attributes),
        "operation": attributes.operation,
        "userInfo": user_info(attributes.context.user),
        "object": None,
        "oldObject": None,
        "dryRun": attributes.context.dry_run,
        "options": attributes.options,
    }
    return {name: value for name, value in request.items() if value != "" or name in ("uid", "operation")}


def user_info(user: User) -> Document:
    """Convert the requesting user to a UserInfo of ``authentication.k8s.io/v1``."""
    info = {"username": user.name, "uid": user.uid, "groups": list(user.groups), "extra": _extra(user)}
    return {name: value for name, value in info.items() if value}


def _extra(user: User) -> Document:
    return {key: list(values) for key, values in user.extra.items()}


def _kind(kind: KindName) -> Document:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource(resource: Resource) -> Document:
    return {"group": resource.group, "version": resource.version, "resource": resource.plural}
