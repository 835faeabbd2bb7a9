"""Mutating webhooks: one after another, each with what those before it have made of the object."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memkube.admission.chain import AdmissionParts
from memkube.admission.matching import Match, is_exempt
from memkube.admission.owners import owners_of, restore_owners
from memkube.admission.webhooks.calling import CallFailed, call
from memkube.admission.webhooks.hooks import Hook, Versions, wanted
from memkube.admission.webhooks.patching import operations_of, patched
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.registry.declarations.admission import Attributes

_PLUGIN: Final = "MutatingAdmissionWebhook"
_MUTATION: Final = "mutation.webhook.admission.k8s.io/"
_PATCH: Final = "patch.webhook.admission.k8s.io/"


@dataclass(slots=True)
class _Memory:
    """What one round leaves for the next (``reinvocationcontext.go``)."""

    asked: set[str] = field(default_factory=set)
    """Webhooks that want to be asked again, should the object change."""
    again: set[str] = field(default_factory=set)
    """Those for whom it has."""
    output: Document | None = None
    """The object as the last round has left it."""
    read_again: bool = False
    """Whether the object has been through JSON, as every patch takes it."""

    def changed(self) -> None:
        """Those that have been asked have not seen the object as it is now."""
        self.again |= self.asked
        self.asked = set()


async def mutate(hooks: Sequence[Hook], attributes: Attributes, parts: AdmissionParts) -> None:
    """Has the webhooks change the object. Raises ApiError where one denies the request, or fails and must not."""
    if is_exempt(attributes):
        return
    reinvocation = attributes.reinvocation
    memory: _Memory = reinvocation.kept.setdefault(_PLUGIN, _Memory())
    if reinvocation.again and memory.output != _document(attributes):
        memory.changed()
    versions = Versions(attributes, mutating=True)
    owners = owners_of(attributes)
    try:
        for index, hook in enumerate(hooks):
            match = await wanted(hook, versions, parts.registry)
            if match is not None and (not reinvocation.again or hook.uid in memory.again):
                await _ask(hook, match, versions, parts, memory, f"round_{int(reinvocation.again)}_index_{index}")
        restore_owners(attributes, owners)
    finally:
        memory.output = _document(attributes)


async def _ask(
    hook: Hook, match: Match, versions: Versions, parts: AdmissionParts, memory: _Memory, place: str
) -> None:
    attributes, changed, refusal = versions.attributes, False, None
    try:
        changed = await _changed(hook, match, versions, parts, memory, place)
    except CallFailed as error:
        refusal = error
    finally:
        said = {"configuration": hook.configuration, "webhook": hook.name, "mutated": changed}
        attributes.context.annotate(_MUTATION + place, to_json(said).decode())
    if changed:
        memory.changed()
        attributes.reinvocation.requested = True
    if hook.reinvocable:
        memory.asked.add(hook.uid)
    if refusal is not None:
        if not hook.may_fail:
            raise refusal.refusal()
        attributes.context.annotate(f"failed-open.{_MUTATION}{place}", hook.name)


async def _changed(
    hook: Hook, match: Match, versions: Versions, parts: AdmissionParts, memory: _Memory, place: str
) -> bool:
    """Whether the webhook has changed the object. Raises CallFailed and ApiError."""
    response = await call(hook, match, versions, parts, mutating=True)
    if not response.patch:
        return False
    operations = operations_of(hook, response)
    if not operations:
        return False
    before = await versions.of(match)
    cut, memory.read_again = not memory.read_again and _has_instants(versions.attributes), True
    changed = cut | await patched(
        hook, operations, before[0], response.patchType or "", versions.attributes, match, parts.registry
    )
    _annotate_patch(hook, operations, versions.attributes, place)
    versions.forget()
    return changed


def _annotate_patch(hook: Hook, operations: list[Any], attributes: Attributes, place: str) -> None:
    said = {
        "configuration": hook.configuration,
        "webhook": hook.name,
        "patch": operations,
        "patchType": "JSONPatch",
    }
    attributes.context.annotate(_PATCH + place, to_json(said).decode())


def _has_instants(attributes: Attributes) -> bool:
    """Whether JSON cuts a time of the object to the second, which counts as a change in the reference.

    So it is with the time at which the writer has come to own something; custom objects keep times as text.
    """
    new, old = attributes.new, attributes.old
    if not isinstance(new, ApiObject) or attributes.resource.structural is not None:
        return False
    known = (old.metadata.managedFields if old is not None else None) or ()
    return any(entry not in known for entry in new.metadata.managedFields or ())


def _document(attributes: Attributes) -> Document | None:
    return attributes.new.to_document() if attributes.new is not None else None
