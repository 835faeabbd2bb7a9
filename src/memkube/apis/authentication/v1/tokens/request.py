"""The ``token`` subresource of ServiceAccounts (``pkg/registry/core/serviceaccount/storage/token.go``)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from memkube.apimachinery.errors import ApiError, GroupResource, bad_request, conflict
from memkube.apimachinery.errors import invalid as invalid_object
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.authentication.v1.resources import TOKEN_REQUESTS
from memkube.apis.authentication.v1.types import (
    BoundObjectReference,
    TokenRequest,
    TokenRequestSpec,
    TokenRequestStatus,
)
from memkube.registry.declarations.interface import Created, Stores
from memkube.registry.declarations.kind_services import TokenOptions
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.reads.collection import check_key_name
from memkube.registry.writes.metadata import own_all

_DEFAULT_SECONDS: Final = 60 * 60
_SHORTEST_SECONDS: Final = 10 * 60
_LONGEST_SECONDS: Final = 2**32
_INJECTED_SECONDS: Final = 60 * 60 + 7
"""Lifetime in seconds of the tokens that admission injects into pods. A TokenRequest with this lifetime counts as a
request for such a token.
"""
_CREDENTIAL: Final = "authentication.kubernetes.io/issued-credential-id"
"""Key of the audit annotation with the id of the new token."""
_EXTENDED_SECONDS: Final = 365 * 24 * 60 * 60
_EXPIRATION: Final = FieldPath("spec").child("expirationSeconds")
_KIND: Final = KindName(TOKEN_REQUESTS.group, TOKEN_REQUESTS.version, TOKEN_REQUESTS.kind)
_PLURALS: Final = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}


@dataclass(frozen=True, slots=True)
class _Bound:
    """The object to which a token is bound and, for a pod, the node of the pod."""

    kind: str
    document: Document
    node: Document | None = None


async def request_token(stores: Stores, name: str, obj: TokenRequest, context: WriteContext) -> Created:
    """Sign a token for a service account, for a POST of a TokenRequest.

    Raises ApiError 400 or 422 if the request is invalid, and 404 if the account or the bound object does not exist.
    Raises ApiError 409 if the account or the bound object has another UID than the request names.
    """
    if obj.spec.expirationSeconds is None:
        obj.spec.expirationSeconds = _DEFAULT_SECONDS
    # As in kube-apiserver, the request's field manager owns the fields that were set by default, too.
    obj.metadata.managedFields = None
    own_all(obj, _KIND, "token", context, stores.clock)
    _check_metadata(obj, name)
    check_key_name(name)
    account = (await stores.find("", "v1", "serviceaccounts").get(context.namespace, name)).document["metadata"]
    _check_account(obj, name, account["uid"])
    issuer = stores.kind_services.token_issuer
    _complete(obj, account, issuer.options)
    now = stores.clock.now()
    obj.metadata.creationTimestamp = Time.at(now)
    if errors := validate_token_request(obj.spec):
        raise invalid_object(TOKEN_REQUESTS.group, TOKEN_REQUESTS.kind, "", errors)
    await context.validate_admission()
    reference = obj.spec.boundObjectRef
    bound = await _bound(stores, name, context.namespace, reference) if reference is not None else None
    _limit_expiration(obj.spec, issuer.options, context)
    claims = _claims(account, bound, obj.spec, issuer.options, now)
    token = await issuer.signed(claims)
    context.annotate(_CREDENTIAL, f"JTI={claims['jti']}")
    expires = now + timedelta(seconds=obj.spec.expirationSeconds)
    obj.status = TokenRequestStatus(token=token, expirationTimestamp=Time.at(expires))
    return Created(obj.to_document())


def validate_token_request(spec: TokenRequestSpec) -> list[FieldError]:
    """Validate the requested lifetime of a token: at least ten minutes (``pkg/apis/authentication/validation``)."""
    seconds = spec.expirationSeconds or 0
    if seconds < _SHORTEST_SECONDS:
        return [invalid(_EXPIRATION, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > _LONGEST_SECONDS:
        return [invalid(_EXPIRATION, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []


def _check_metadata(obj: TokenRequest, name: str) -> None:
    if obj.metadata.name and obj.metadata.name != name:
        why = "must match the service account name if specified"
        errors = [invalid(FieldPath("metadata").child("name"), obj.metadata.name, why)]
        raise invalid_object(TOKEN_REQUESTS.group, TOKEN_REQUESTS.kind, name, errors)


def _check_account(obj: TokenRequest, name: str, uid: str) -> None:
    if obj.metadata.uid and obj.metadata.uid != uid:
        where = f"the UID in the token request ({obj.metadata.uid})"
        why = f"{where} does not match the UID of the service account ({uid})"
        raise conflict(GroupResource(TOKEN_REQUESTS.group, TOKEN_REQUESTS.kind), name, why)


def _complete(obj: TokenRequest, account: Document, options: TokenOptions) -> None:
    obj.spec.audiences = obj.spec.audiences or list(options.audiences)
    obj.metadata.name = account["name"]
    obj.metadata.namespace = account["namespace"]
    obj.metadata.uid = account["uid"]


async def _bound(stores: Stores, name: str, namespace: str, reference: BoundObjectReference) -> _Bound:
    """Return the object that `reference` names, to which the token of the service account `name` is to be bound.

    Raises ApiError 400 for an unsupported kind, 404 if the object does not exist, and 409 if its UID differs from the
    one in `reference`.
    """
    group, version = _group_and_version(reference.apiVersion)
    kind = reference.kind
    if group or kind not in _PLURALS:
        raise bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
    check_key_name(reference.name)
    store = stores.find("", "v1", _PLURALS[kind])
    document = (await store.get("" if kind == "Node" else namespace, reference.name)).document
    node = None
    if kind == "Pod":
        if document["spec"].get("serviceAccountName", "") != name:
            to_whom = "to pod running with different serviceaccount name."
            raise bad_request(f"cannot bind token for serviceaccount {quoted(name)} {to_whom}")
        node = await _node_of(stores, document["spec"].get("nodeName", ""))
    if reference.uid and reference.uid != document["metadata"]["uid"]:
        where = f"the UID in the bound object reference ({reference.uid}) does not match the UID in record"
        why = f"{where}. The object might have been deleted and then recreated"
        raise conflict(GroupResource(group, kind), reference.name, why)
    return _Bound(kind, document, node)


async def _node_of(stores: Stores, name: str) -> Document | None:
    """Return the node of a pod. If the Node object does not exist, the result has only the node's name."""
    if not name:
        return None
    try:
        return (await stores.find("", "v1", "nodes").get("", name)).document
    except ApiError as error:
        if error.reason != "NotFound":
            raise
        return {"metadata": {"name": name}}


def _group_and_version(api_version: str) -> tuple[str, str]:
    """Return the group and version of an apiVersion.

    Both are empty if it is malformed (``schema.FromAPIVersionAndKind``).
    """
    parts = api_version.split("/")
    if len(parts) == 1:
        return "", api_version
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")


def _limit_expiration(spec: TokenRequestSpec, options: TokenOptions, context: WriteContext) -> None:
    asked, most = spec.expirationSeconds or 0, options.max_expiration
    if 0 < most < asked:
        context.warn(f"requested expiration of {asked} seconds shortened to {most} seconds")
        spec.expirationSeconds = most


def _claims(
    account: Document, bound: _Bound | None, spec: TokenRequestSpec, options: TokenOptions, now: datetime
) -> dict[str, Any]:
    """Return the claims of a new token for a service account (``pkg/serviceaccount/claims.go``).

    `account` is the metadata of the ServiceAccount, `bound` the object to which the token is bound, and `spec` the spec
    of the TokenRequest.
    """
    issued, seconds = int(now.timestamp()), spec.expirationSeconds or 0
    private: dict[str, Any] = {"namespace": account["namespace"], "serviceaccount": _named(account)}
    if bound is not None:
        private[bound.kind.lower()] = _named(bound.document["metadata"])
        if bound.node is not None:
            private["node"] = _named(bound.node["metadata"])
        is_injected = bound.kind == "Pod" and seconds == _INJECTED_SECONDS
        if options.extend_expiration and is_injected and set(spec.audiences) <= set(options.audiences):
            private["warnafter"] = issued + seconds
            seconds = _EXTENDED_SECONDS
    return {
        "sub": f"system:serviceaccount:{account['namespace']}:{account['name']}",
        "aud": spec.audiences,
        "iat": issued,
        "nbf": issued,
        "exp": issued + seconds,
        "jti": str(uuid4()),
        "kubernetes.io": private,
    }


def _named(metadata: Document) -> dict[str, str]:
    return {name: metadata[name] for name in ("name", "uid") if metadata.get(name)}
