"""Mutating webhooks, called in order. Each receives the object as changed by the webhooks before it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memkube.admission.chain import AdmissionParts
from memkube.admission.managed_fields import managed_fields_of, restore_managed_fields
from memkube.admission.matching import Match, is_exempt
from memkube.admission.webhooks.calling import CallFailed, call
from memkube.admission.webhooks.hooks import Hook, VersionedObjects, match_hook
from memkube.admission.webhooks.patching import apply_patch, decode_patch, patched_object
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.registry.declarations.admission import Attributes

_PLUGIN: Final = "MutatingAdmissionWebhook"
_MUTATION: Final = "mutation.webhook.admission.k8s.io/"
_PATCH: Final = "patch.webhook.admission.k8s.io/"


@dataclass(slots=True)
class _ReinvocationState:
    """What the first round of webhook calls records for the second, the reinvocation (``reinvocationcontext.go``)."""

    asked: set[str] = field(default_factory=set)
    """Webhooks with the reinvocationPolicy IfNeeded that were called since the last change of the object."""
    again: set[str] = field(default_factory=set)
    """Webhooks to call in the second round, because the object has changed since they were called."""
    output: Document | None = None
    """The object after the first round. Other admission plugins may change it before the second round."""
    read_again: bool = False
    """True if the object was already converted to JSON and back once, in order to apply a patch."""

    def changed(self) -> None:
        """Mark all called webhooks to be called again (reinvocation), because the object has changed."""
        self.again |= self.asked
        self.asked = set()


async def mutate(hooks: Sequence[Hook], attributes: Attributes, parts: AdmissionParts) -> None:
    """Call those webhooks of `hooks` that match the request, in order, and apply their patches to its object.

    Raises ApiError if a webhook denies the request, or fails with failurePolicy Fail.
    """
    if is_exempt(attributes):
        return
    reinvocation = attributes.reinvocation
    memory: _ReinvocationState = reinvocation.state.setdefault(_PLUGIN, _ReinvocationState())
    if reinvocation.again and memory.output != _document(attributes):
        memory.changed()
    versions = VersionedObjects(attributes, mutating=True)
    managed_fields = managed_fields_of(attributes)
    try:
        for index, hook in enumerate(hooks):
            match = await match_hook(hook, versions, parts.registry)
            if match is not None and (not reinvocation.again or hook.uid in memory.again):
                await _ask(hook, match, versions, parts, memory, f"round_{int(reinvocation.again)}_index_{index}")
        restore_managed_fields(attributes, managed_fields)
    finally:
        memory.output = _document(attributes)


async def _ask(
    hook: Hook,
    match: Match,
    versions: VersionedObjects,
    parts: AdmissionParts,
    memory: _ReinvocationState,
    key_suffix: str,
) -> None:
    attributes, changed, refusal = versions.attributes, False, None
    try:
        changed = await _changed(hook, match, versions, parts, memory, key_suffix)
    except CallFailed as error:
        refusal = error
    finally:
        said = {"configuration": hook.configuration, "webhook": hook.name, "mutated": changed}
        attributes.context.annotate(_MUTATION + key_suffix, to_json(said).decode())
    if changed:
        memory.changed()
        attributes.reinvocation.requested = True
    if hook.reinvocable:
        memory.asked.add(hook.uid)
    if refusal is not None:
        if not hook.ignores_failures:
            raise refusal.refusal()
        attributes.context.annotate(f"failed-open.{_MUTATION}{key_suffix}", hook.name)


async def _changed(
    hook: Hook,
    match: Match,
    versions: VersionedObjects,
    parts: AdmissionParts,
    memory: _ReinvocationState,
    key_suffix: str,
) -> bool:
    """Call the webhook `hook`, apply its patch to the object, and return True if the object changed.

    `match` has the resource and kind that a rule of the webhook matched, and `versions` the object in all versions.
    `memory` has the state of the request for the reinvocation of webhooks, and is updated. `key_suffix` is the last
    part of the keys of audit annotations. Raises CallFailed if the call fails, and ApiError if the webhook denies the
    request.
    """
    response = await call(hook, match, versions, parts, mutating=True)
    if not response.patch:
        return False
    operations = decode_patch(hook, response)
    if not operations:
        return False
    received, _ = await versions.of(match)
    cut, memory.read_again = not memory.read_again and _has_instants(versions.attributes), True
    before = patched_object(hook, response, received)
    changed = cut | await apply_patch(operations, before, versions.attributes, match, parts.registry)
    _annotate_patch(hook, operations, versions.attributes, key_suffix)
    versions.clear()
    return changed


def _annotate_patch(hook: Hook, operations: list[Any], attributes: Attributes, key_suffix: str) -> None:
    said = {
        "configuration": hook.configuration,
        "webhook": hook.name,
        "patch": operations,
        "patchType": "JSONPatch",
    }
    attributes.context.annotate(_PATCH + key_suffix, to_json(said).decode(), is_detailed=True)


def _has_instants(attributes: Attributes) -> bool:
    """True if converting the object to JSON and back would change it, because its managedFields have a new entry.

    The conversion truncates the time in a new entry to seconds, which kube-apiserver counts as a change. In custom
    objects the time is a string, which the conversion does not change.
    """
    new, old = attributes.new, attributes.old
    if not isinstance(new, ApiObject) or attributes.resource.structural is not None:
        return False
    known = (old.metadata.managedFields if old is not None else None) or ()
    return any(entry not in known for entry in new.metadata.managedFields or ())


def _document(attributes: Attributes) -> Document | None:
    return attributes.new.to_document() if attributes.new is not None else None
