"""Reconciles CustomResourceDefinitions: accepts names, serves versions, deletes the objects of deleted definitions.

Sources: apiextensions ``pkg/controller/{status,establish,apiapproval,finalizer}``. The condition NonStructuralSchema
never occurs, because this server refuses schemas that are not structural.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apis.apiextensions.v1.customresourcedefinitions.approval import approval_of, is_protected
from memkube.apis.apiextensions.v1.customresourcedefinitions.conversion_validation import has_invalid_bundle
from memkube.apis.apiextensions.v1.customresourcedefinitions.resource import RESOURCE
from memkube.apis.apiextensions.v1.customresourcedefinitions.strategy import FINALIZER, set_condition
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import (
    CustomResourceDefinition,
    CustomResourceDefinitionCondition,
)
from memkube.apis.apiextensions.v1.customresourcedefinitions.validation import is_true
from memkube.controllers.definitions.names import name_definition
from memkube.controllers.definitions.served import ServedDefinitions
from memkube.controllers.definitions.serving import resources_of
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import WorkQueue
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_MANAGER: Final = "kube-apiserver"
_LOGGER: Final = logging.getLogger("memkube.controllers")
_OTHERS: Final = (404, 409)
_POLL_SECONDS: Final = 5.0
_PATIENCE: Final = timedelta(minutes=1)
_APPROVALS: Final = {
    "Invalid": ("False", "InvalidAnnotation"),
    "Missing": ("False", "MissingAnnotation"),
    "Approved": ("True", "ApprovedAnnotation"),
    "Unapproved": ("False", "UnapprovedAnnotation"),
}
Condition = CustomResourceDefinitionCondition


class DefinitionFollower:
    """Reconciles one CustomResourceDefinition at a time, so that two definitions cannot get the same names.

    After a snapshot is restored, a new object of this class continues to serve the kinds that the old object served.
    """

    def __init__(self, runtime: Runtime, definitions: Informer, queue: WorkQueue[str], left: ServedDefinitions) -> None:
        self._runtime = runtime
        self._client = runtime.client_of(_MANAGER)
        self._definitions = definitions
        self._queue = queue
        left.definitions = definitions
        self._left = left
        self._served, self._kept = left.served, left.kept
        self._waiting_since: dict[str, Any] = {}

    async def sync(self, name: str) -> None:
        """Reconcile the CustomResourceDefinition with this name: accepted names, versions, conditions and deletion."""
        try:
            stored = await self._client.get(RESOURCE, "", name)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            self._stop_serving(name)
            self._reconsider(name)
            return
        definition = CustomResourceDefinition.from_document(stored.document)
        if definition.metadata.deletionTimestamp is not None and FINALIZER in definition.metadata.finalizers:
            self._serve(definition)
            await self._finalize(stored, definition)
            return
        changes = (self._named, self._approved, self._established)
        for find_change in changes:
            change = await find_change(definition)
            if change is not None:
                await self._write(stored, change)
                return
        self._serve(definition)

    async def _write(self, stored: StoredObject, change: Callable[[Any], None]) -> bool:
        """Change the status of a CustomResourceDefinition with `change`, which modifies it in place, and write it.

        Returns False if another client has changed or deleted the definition meanwhile. No retry is needed in that
        case: the informer's event for the other client's change queues the definition again.
        """
        try:
            await self._client.update_revision(RESOURCE, stored, change, subresource="status")
        except ApiError as error:
            if error.code not in _OTHERS:
                raise
            return False
        return True

    async def _named(self, definition: CustomResourceDefinition) -> Callable[[Any], None] | None:
        spec, status = definition.spec, definition.status
        if spec.names.to_document() == status.acceptedNames.to_document():
            return None
        listed = await self._runtime.registry.store(RESOURCE).list("", ListOptions())
        all_of_group = [
            CustomResourceDefinition.from_document(other.document)
            for other in listed.items
            if other.document["spec"]["group"] == spec.group
        ]
        naming = name_definition(definition, all_of_group)
        known = next((c for c in status.conditions if c.type == "NamesAccepted"), None)
        same_names = naming.names.to_document() == status.acceptedNames.to_document()
        if same_names and known is not None and _says(known) == _says(naming.accepted):
            return None
        now = written_now(self._runtime.clock)

        def change(current: CustomResourceDefinition) -> None:
            current.status.acceptedNames = naming.names
            set_condition(current.status, naming.accepted, now)
            set_condition(current.status, naming.established, now)

        self._reconsider(definition.metadata.name)
        return change

    async def _approved(self, definition: CustomResourceDefinition) -> Callable[[Any], None] | None:
        if not is_protected(definition.spec.group):
            return None
        approval, why = approval_of(definition.metadata)
        status, reason = _APPROVALS[approval]
        condition = Condition(type="KubernetesAPIApprovalPolicyConformant", status=status, reason=reason, message=why)
        known = next((c for c in definition.status.conditions if c.type == condition.type), None)
        return None if known is not None and _says(known) == _says(condition) else self._setting(condition)

    async def _established(self, definition: CustomResourceDefinition) -> Callable[[Any], None] | None:
        if not is_true(definition, "NamesAccepted") or is_true(definition, "Established"):
            return None
        condition = Condition(
            type="Established",
            status="True",
            reason="InitialNamesAccepted",
            message="the initial names have been accepted",
        )
        if has_invalid_bundle(definition.spec):
            condition.status, condition.reason = "False", "InvalidCABundle"
            condition.message = "The conversion webhook CABundle is invalid"
        known = next((c for c in definition.status.conditions if c.type == "Established"), None)
        return None if known is not None and _says(known) == _says(condition) else self._setting(condition)

    def _setting(self, *conditions: Condition) -> Callable[[Any], None]:
        now = written_now(self._runtime.clock)

        def change(current: CustomResourceDefinition) -> None:
            for condition in conditions:
                set_condition(current.status, condition.model_copy(), now)

        return change

    def _serve(self, definition: CustomResourceDefinition) -> None:
        name = definition.metadata.name
        if not is_true(definition, "Established") or self._runtime.catalog.has_built_in(definition.spec.group):
            self._stop_serving(name)
            return
        left = self._left
        spec, accepted = definition.spec.to_document(), definition.status.acceptedNames.to_document()
        state = (definition.metadata.uid, spec, accepted)
        if self._served.get(name) == state:
            return
        try:
            resources = resources_of(definition, lambda: left.may_be_created(name), self._runtime)
        except ValueError:
            _LOGGER.exception("%s cannot be served", name)
            self._stop_serving(name)
            return
        catalog = self._runtime.catalog
        self._served[name] = state
        self._kept[name] = next(resource for resource in resources if resource.version == resource.stored_as.version)
        served_versions = {version.name for version in definition.spec.versions if version.served}
        if served := [resource for resource in resources if resource.version in served_versions]:
            catalog.replace(served)
        else:
            catalog.remove(definition.spec.group, definition.spec.names.plural)

    def _stop_serving(self, name: str) -> None:
        self._waiting_since.pop(name, None)
        self._kept.pop(name, None)
        if self._served.pop(name, None) is not None:
            plural, _, group = name.partition(".")
            self._runtime.catalog.remove(group, plural)

    def _reconsider(self, name: str) -> None:
        """Queue the other CustomResourceDefinitions of the group: names that they request may have become available."""
        group = name.partition(".")[2]
        for other in self._definitions:
            if other.name != name and other.document["spec"]["group"] == group:
                self._queue.add(other.name)

    async def _finalize(self, stored: StoredObject, definition: CustomResourceDefinition) -> None:
        name = definition.metadata.name
        going = ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
        if not await self._write(stored, self._setting(_terminating(*going))):
            return
        gone = ("False", "NeverEstablished", "resource was never established")
        if is_true(definition, "Established"):
            gone = ("False", "InstanceDeletionCompleted", "removed all instances")
            if not await self._delete_objects(definition):
                await self._wait(stored, name)
                return
        change = self._setting(_terminating(*gone))

        def release(current: CustomResourceDefinition) -> None:
            change(current)
            current.metadata.finalizers = [other for other in current.metadata.finalizers if other != FINALIZER]

        self._waiting_since.pop(name, None)
        await self._write(stored, release)

    async def _delete_objects(self, definition: CustomResourceDefinition) -> bool:
        """Delete all custom objects of a CustomResourceDefinition. Returns True if none remain."""
        kept = self._kept.get(definition.metadata.name)
        if kept is None:
            return True
        # As in kube-apiserver, objects are deleted in the storage version, even if that version is not served.
        store = self._runtime.registry.store(kept)
        listed = await store.list("", ListOptions())
        for namespace in sorted({item.namespace for item in listed.items}):
            context = WriteContext(namespace=namespace, manager=_MANAGER)
            await store.delete_collection(ListOptions(), DeleteOptions(), context)
        return not (await store.list("", ListOptions())).items

    async def _wait(self, stored: StoredObject, name: str) -> None:
        now = self._runtime.clock.now()
        since = self._waiting_since.setdefault(name, now)
        if now - since >= _PATIENCE:
            del self._waiting_since[name]
            why = "could not confirm zero CustomResources remaining: timed out waiting for the condition"
            await self._write(stored, self._setting(_terminating("True", "InstanceDeletionCheck", why)))
        self._queue.add_after(name, _POLL_SECONDS)


def _terminating(status: str, reason: str, message: str) -> Condition:
    return Condition(type="Terminating", status=status, reason=reason, message=message)


def _says(condition: Condition) -> tuple[str, str, str]:
    return condition.status, condition.reason, condition.message
