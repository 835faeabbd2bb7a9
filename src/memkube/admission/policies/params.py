"""Finds the parameter objects to which a policy's binding refers.

Source: apiserver ``admission/plugin/policy/generic`` (CollectParams).
"""

from collections.abc import Sequence
from typing import Final

from memkube.admission.expressions.evaluation import plain_json
from memkube.admission.policies.constraints import Misconfigured
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.labels import from_model
from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.rules.types import ParamKind, ParamRef
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import ListOptions, Selection
from memkube.registry.declarations.resource import Resource
from memkube.registry.registry import Registry
from memkube.registry.store import Store

_NEITHER: Final = "one of name or selector must be provided"
_NO_PARAMS: Final = "no params found for policy binding with `Deny` parameterNotFoundAction"
_NO_NAMESPACE: Final = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
_NEEDLESS_NAMESPACE: Final = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"


def param_resource(kind: ParamKind, registry: Registry) -> Resource:
    """Return the API resource of a policy's paramKind. Raises Misconfigured if the kind is not served."""
    name = KindName.of(kind.apiVersion, kind.kind)
    found = registry.catalog.of_kind(name)
    if found is None:
        shown = f"{name.group}/{name.version}, Kind={name.kind}"
        raise Misconfigured(f"failed to find resource referenced by paramKind: '{shown}'")
    return found


async def collect_params(
    kind: ParamKind, resource: Resource, reference: ParamRef, namespace: str, registry: Registry
) -> Sequence[Document]:
    """Return the parameter objects to which a binding's paramRef refers.

    `kind` is the policy's paramKind, `resource` the API resource of this kind, and `reference` the paramRef. Objects of
    a namespaced kind are read from the namespace that the paramRef names, or else from `namespace`, the namespace of
    the request.

    If there are no such objects, returns an empty list, or raises Misconfigured if parameterNotFoundAction is Deny.
    Also raises Misconfigured if the paramRef is invalid.
    """
    params_namespace = _params_namespace(resource, reference, namespace)
    if "list" not in resource.verbs or "watch" not in resource.verbs:
        shown = f"&ParamKind{{APIVersion:{kind.apiVersion},Kind:{kind.kind},}}"
        raise Misconfigured(f"paramKind kind `{shown}` not yet synced to use for admission")
    if reference.namespace and not resource.namespaced:
        raise Misconfigured(_NEEDLESS_NAMESPACE)
    try:
        found = await _found(registry.store(resource), params_namespace, reference)
    except ApiError as error:
        raise Misconfigured(error.message) from None
    if not found and reference.parameterNotFoundAction == "Deny":
        raise Misconfigured(_NO_PARAMS)
    return found


def _params_namespace(resource: Resource, reference: ParamRef, namespace: str) -> str:
    """Return the namespace of a policy's parameter objects: that in the binding's paramRef, or else the request's."""
    if not resource.namespaced:
        return ""
    found = reference.namespace or namespace
    if not found:
        raise Misconfigured(_NO_NAMESPACE)
    return found


async def _found(store: Store, namespace: str, reference: ParamRef) -> Sequence[Document]:
    if reference.name:
        try:
            return [plain_json((await store.get(namespace, reference.name)).document)]
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return []
    if reference.selector is None:
        raise Misconfigured(_NEITHER)
    options = ListOptions(Selection(labels=from_model(reference.selector)))
    return [plain_json(stored.document) for stored in (await store.list(namespace, options)).items]
