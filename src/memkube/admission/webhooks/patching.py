"""Application of a webhook's JSON patch to the object (``mutating/dispatcher.go``: callAttrMutatingHook)."""

from base64 import b64decode
from typing import Any, Final

from memkube.admission.matching import Match, to_request_version
from memkube.admission.matching.custom_kinds import checked_custom_object
from memkube.admission.webhooks.calling import CallFailed
from memkube.admission.webhooks.hooks import Hook
from memkube.admission.webhooks.review import AdmissionResponse, as_sent
from memkube.apimachinery.decoding import DecodeError, parse_json, probe_type
from memkube.apimachinery.errors import internal_error, unclassified
from memkube.apimachinery.forms import Form, ModelForm, StructuralForm
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.patches import NotApplied, PatchError, apply_operations, check_operations
from memkube.apimachinery.shown_values import quoted
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.kinds import KindName, WrongKind
from memkube.registry.registry import Registry
from memkube.registry.writes.defaulting import default_admitted

_JSON_PATCH: Final = "JSONPatch"


def decode_patch(hook: Hook, response: AdmissionResponse) -> list[Any]:
    """Return the operations of the JSON patch in a webhook's response. Raises CallFailed if they are invalid."""
    try:
        operations = parse_json(b64decode(response.patch))
        check_operations(operations)
    except (DecodeError, PatchError) as error:
        raise CallFailed(hook, f"received undecodable patch in webhook response: {error.message}") from None
    return operations or []


def patched_object(hook: Hook, response: AdmissionResponse, received: Document | None) -> Document:
    """Check that the patch in a webhook's response can be applied, and return the object to apply it to.

    This object is `received`, the one that was sent to the webhook. Raises ApiError if it is None, because the request
    has no object that could be changed. Raises CallFailed if the type of the patch is not JSONPatch.
    """
    if received is None:
        raise internal_error(
            f"admission webhook {quoted(hook.name)} attempted to modify the object, "
            "which is not supported for this operation"
        )
    if response.patchType != _JSON_PATCH:
        raise CallFailed(hook, f"unsupported patch type {quoted(response.patchType or '')}")
    return received


async def apply_patch(
    operations: list[Any], before: Document, attributes: Attributes, match: Match, registry: Registry
) -> bool:
    """Apply the JSON patch `operations` of a webhook to the request's object. Returns True if the object changed.

    `before` is the object in the API version that a rule matched. Raises ApiError if the patch cannot be applied.
    """
    try:
        document = apply_operations(before if match.resource.structural is None else as_sent(before), operations)
    except NotApplied as error:
        raise internal_error(str(error)) from None
    new = _decoded(document, attributes, match, registry)
    changed = new.to_document()
    attributes.replace_new(await to_request_version(changed, attributes, match))
    return changed != before


def _decoded(document: Document, attributes: Attributes, match: Match, registry: Registry) -> ApiModel:
    """Decode the patched object `document`, set its defaults and return it. Raises ApiError if it is invalid.

    `match` has the resource and kind that a rule of the webhook matched.
    """
    try:
        api_version, kind = probe_type(document)
    except DecodeError as error:
        raise internal_error(error.message) from None
    found = KindName.of(api_version or match.kind.api_version, kind or match.kind.kind)
    if match.resource.structural is not None and attributes.shown is None:
        creates = attributes.operation == "CREATE"
        document = checked_custom_object(document, match, unclassified, creates=creates)
        found = match.kind
    form: Form[ApiModel] = match.resource.form
    if attributes.shown is not None:
        form = ModelForm(type(attributes.new)) if attributes.new is not None else form
    if found != match.kind:
        return _refuse_kind(document, found, match, registry)
    new: ApiModel = _read(document, form)
    named: Any = new
    named.kind, named.apiVersion = found.kind, found.api_version
    if attributes.shown is None:
        default_admitted(new, match.resource)
    return new


def _read(document: Document, form: Form[ApiModel]) -> Any:
    try:
        return form.decode(document, to_json(document)).value
    except DecodeError as error:
        refuse = unclassified if isinstance(form, StructuralForm) else internal_error
        raise refuse(error.message) from None


def _refuse_kind(document: Document, found: KindName, match: Match, registry: Registry) -> ApiModel:
    """Raise ApiError for the object `document`, whose kind a patch changed.

    `found` is its new kind, and `match` has the kind that a rule matched. If `found` is a known kind, an error in one
    of the object's fields takes precedence.
    """
    other = registry.catalog.of_kind(found)
    if other is not None:
        _read(document, other.form)
    try:
        registry.catalog.check_kind(match.kind, found.api_version, found.kind)
    except WrongKind as error:
        raise (internal_error if other is None else unclassified)(error.message) from None
    raise internal_error(f"unable to convert to {found.api_version}, Kind={found.kind}")
