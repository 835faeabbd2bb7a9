"""Executes the steps of a Stage on an object (KWOK's ``playStage``)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import orjson

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.decoding.yaml_body import parse_yaml
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.auth.impersonation import impersonated_user, rights_to_impersonate
from memkube.controllers.framework.client import Client
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.stages.languages.template_values import TemplateError, load_data
from memkube.controllers.stages.languages.templates import Template
from memkube.controllers.stages.played_kinds import PlayedKind
from memkube.controllers.stages.stage import (
    Action,
    ApplyObject,
    ChangeFinalizers,
    DeleteObject,
    PatchObject,
    SendEvent,
    finalizers_patch,
)
from memkube.registry.declarations.request_options import LOOPBACK, Impersonator, User
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.patching import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, Patch

_MEDIA_TYPES: Final = {
    "json": JSON_PATCH,
    "merge": MERGE_PATCH,
    "strategic": STRATEGIC_MERGE_PATCH,
    "apply": APPLY_PATCH,
}
_MANAGER: Final = "kwok"
COMPONENT: Final = "kwok_controller"
"""Name of the component that reports the Events in Stages."""


class StepFailed(Exception):
    """Raised if a step of a Stage cannot be executed. The message has one line."""


class Played(NamedTuple):
    """The object on which a Stage is executed, with its API resource and its PlayedKind."""

    resource: Resource
    kind: PlayedKind
    stored: StoredObject


class StagePlayer:
    """Executes the steps of Stages: patches, applies and deletes objects, and records Events."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of(_MANAGER)
        self._recorder = EventRecorder(runtime, COMPONENT, manager=_MANAGER)

    async def play(self, actions: Sequence[Action], played: Played) -> None:
        """Execute a step of a Stage on the object `played`: perform the step's `actions` in this order.

        Raises ApiError if a write is refused, and StepFailed if the step cannot be executed.
        """
        for action in actions:
            if isinstance(action, SendEvent):
                report = Report(action.type, action.reason, action.message)
                await self._recorder.record(played.stored, report)
            elif isinstance(action, ChangeFinalizers):
                await self._change_finalizers(action, played)
            elif isinstance(action, DeleteObject):
                await self._delete(played)
            elif isinstance(action, PatchObject):
                await self._patch(action, played)
            else:
                await self._apply(action, played)

    async def warn(self, about: StoredObject, reason: str, message: str) -> None:
        """Record an Event of type Warning about an object or a Stage."""
        await self._recorder.record(about, Report("Warning", reason, message))

    async def _change_finalizers(self, action: ChangeFinalizers, played: Played) -> None:
        patch = finalizers_patch(played.stored.document["metadata"].get("finalizers") or (), action)
        if patch:
            encoded, stored = _patch_of(played.resource, JSON_PATCH, patch), played.stored
            await self._client.patch(played.resource, stored.namespace, stored.name, encoded)

    async def _delete(self, played: Played) -> None:
        stored = played.stored
        await self._client.delete(played.resource, stored.namespace, stored.name, DeleteOptions(gracePeriodSeconds=0))

    async def _patch(self, action: PatchObject, played: Played) -> None:
        media_type = _MEDIA_TYPES[action.type or played.kind.default_patch]
        data = _rendered(action.template, played)
        if action.root:
            data = _below(action.root, data) if media_type == JSON_PATCH else {action.root: data}
        stored, patch = played.stored, _patch_of(played.resource, media_type, data)
        client = self._client_as(action.user)
        await client.patch(played.resource, stored.namespace, stored.name, patch, subresource=action.subresource)

    async def _apply(self, action: ApplyObject, played: Played) -> None:
        """Create the object that the action's template describes, rendered for the object `played`.

        If the described object exists already, or if the action names a subresource, patch it instead.
        """
        document = _rendered(action.template, played)
        resource, namespace, name = self._described(document, played.stored.namespace)
        client = self._client_as(action.user)
        if not action.subresource:
            try:
                await client.create(resource, self._decoded(resource, document), namespace)
            except ApiError as error:
                if error.reason != "AlreadyExists":
                    raise
            else:
                return
        media_type = _MEDIA_TYPES[action.type or "apply"]
        patch = _patch_of(resource, media_type, document)
        forced = media_type == APPLY_PATCH
        await client.patch(resource, namespace, name, patch, subresource=action.subresource, force=forced)

    def _described(self, document: Any, namespace: str) -> tuple[Resource, str, str]:
        """Return resource, namespace and name of the rendered object `document`; `namespace` is the default namespace.

        The returned namespace is empty for a cluster-scoped object.
        """
        metadata = document.get("metadata") if isinstance(document, dict) else None
        if not isinstance(metadata, dict):
            raise StepFailed("the template of the action apply must result in an object with metadata")
        api_version, kind = str(document.get("apiVersion") or ""), str(document.get("kind") or "")
        if not api_version or not kind:
            raise StepFailed("template must include apiVersion and kind")
        resource = self._runtime.resource(api_version, kind)
        if resource is None:
            raise StepFailed(f'no matches for kind "{kind}" in version "{api_version}"')
        if resource.namespaced:
            namespace = metadata["namespace"] = str(metadata.get("namespace") or namespace)
        return resource, namespace if resource.namespaced else "", str(metadata.get("name") or "")

    def _decoded(self, resource: Resource, document: Document) -> ApiObject:
        try:
            obj: ApiObject = self._runtime.registry.store(resource).form.decode(document).value
        except DecodeError as error:
            raise StepFailed(f"template: {error}") from None
        return obj

    def _client_as(self, user: str) -> Client:
        """Return the client for the requests of a step, which impersonates the user with the name `user`, if any."""
        if not user:
            return self._client
        wanted = User(user, groups=())
        impersonator = Impersonator(LOOPBACK, rights_to_impersonate(wanted))
        return self._runtime.client_of(_MANAGER, replace(impersonated_user(wanted), impersonator=impersonator))


def _patch_of(resource: Resource, media_type: str, data: Any) -> Patch:
    if resource.structural is not None and media_type == STRATEGIC_MERGE_PATCH:
        raise StepFailed("custom resources do not take strategic merge patches")
    return Patch(media_type, orjson.dumps(data), "Ignore")


def _rendered(template: Template, played: Played) -> Any:
    """Render a Stage's template for the object `played`, and parse the result as YAML."""
    try:
        text = template.render(load_data(played.stored.data), played.kind.functions(played.stored))
        return parse_yaml(text.encode())
    except (TemplateError, DecodeError) as error:
        raise StepFailed(f"template: {error}") from None


def _below(root: str, patch: Any) -> Any:
    """Return a JSON patch with the operations of `patch`, whose paths begin at the field `root` of an object."""
    if not isinstance(patch, list) or not all(isinstance(each, dict) for each in patch):
        raise StepFailed("the template of a JSON patch is not a list of operations")
    return [{**each, "path": f"/{root}{each.get('path', '')}"} for each in patch]
