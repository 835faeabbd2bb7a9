"""The condition Dangling of FlowSchemas: True if the priority level that a FlowSchema names does not exist.

kube-apiserver sets the condition shortly after each change (``util/flowcontrol/apf_controller.go``); memkube sets it as
part of the change.
"""

from contextlib import suppress
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.flowcontrol.v1.objects import CONDITION_MANAGER, dangling_condition
from memkube.registry.declarations.interface import Finish, ObjectStore, Stores
from memkube.registry.declarations.priority_levels import limits_of
from memkube.registry.declarations.request_options import EVERYTHING, WriteContext
from memkube.time.clock import written_now

_GROUP: Final = "flowcontrol.apiserver.k8s.io"


def condition_after_schema_write(stores: Stores, name: str, context: WriteContext) -> Finish:
    """Return a callback that updates the condition Dangling of a FlowSchema after the FlowSchema is written."""

    async def finish(written: bool) -> None:
        if not written or context.dry_run:
            return
        stores.kind_services.on_flow_control_changed()
        # Errors are ignored: if this update fails because another request has changed or deleted the FlowSchema, that
        # request updates the condition.
        with suppress(ApiError):
            store = _schemas(stores)
            document = (await store.get("", name)).document
            await _update_condition(stores, document, await _exists(stores, _level_of(document)))

    return finish


def conditions_after_level_write(stores: Stores, name: str, context: WriteContext) -> Finish:
    """Return a callback that updates the condition Dangling of all FlowSchemas that name a written priority level."""

    async def finish(written: bool) -> None:
        if written and not context.dry_run:
            await update_referring_schemas(stores, name)

    return finish


async def update_referring_schemas(stores: Stores, level: str) -> None:
    """Update the Dangling condition of all FlowSchemas that name a priority level, after it was written or deleted."""
    stores.kind_services.on_flow_control_changed()
    found = await _exists(stores, level)
    listed = await _schemas(stores).list("", EVERYTHING)
    for stored in listed.items:
        if _level_of(stored.document) == level:
            with suppress(ApiError):
                await _update_condition(stores, stored.document, found)


async def _update_condition(stores: Stores, schema: Document, found: bool) -> None:
    wanted = dangling_condition(_level_of(schema), found=found, since=written_now(stores.clock))
    conditions = schema["status"].get("conditions") or ()
    if any(_comparable(condition) == _comparable(wanted) for condition in conditions):
        return
    context = WriteContext(manager=CONDITION_MANAGER)
    name = schema["metadata"]["name"]
    await _schemas(stores).apply_forcibly(name, {"status": {"conditions": [wanted]}}, context, subresource="status")


def _comparable(condition: Document) -> tuple[str | None, ...]:
    return tuple(condition.get(field) for field in ("type", "status", "reason", "message"))


def _level_of(schema: Document) -> str:
    level: str = schema["spec"]["priorityLevelConfiguration"]["name"]
    return level


async def _exists(stores: Stores, level: str) -> bool:
    """Return True if a priority level exists, and has the limits of its type."""
    try:
        found = await stores.find(_GROUP, "v1", "prioritylevelconfigurations").get("", level)
    except ApiError:
        return False
    return limits_of(found.document) is not None


def _schemas(stores: Stores) -> ObjectStore:
    return stores.find(_GROUP, "v1", "flowschemas")
