"""Repair of the server's FlowSchemas and PriorityLevelConfigurations each minute."""

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.registry import Registry
from memkube.server.app import create_core
from memkube.server.bootstrap.flow_control import create_flow_control_objects
from memkube.server.bootstrap.upkeep import FlowControlUpkeep
from memkube.server.settings import Settings
from memkube.storage.errors import StorageUnavailable
from memkube.time.clock import SteppedClock
from tests.server.bootstrap.creating import create

pytestmark = pytest.mark.anyio
GROUP: Final = "flowcontrol.apiserver.k8s.io"
SCHEMAS, LEVELS = (GROUP, "v1", "flowschemas"), (GROUP, "v1", "prioritylevelconfigurations")
ANNOTATION: Final = "apf.kubernetes.io/autoupdate-spec"


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    registry = create_core(Settings(controllers=(), clock="stepped")).parts.registry
    await create_flow_control_objects(registry)
    async with FlowControlUpkeep(registry):
        yield registry


async def document(registry: Registry, name: str, resource: tuple[str, str, str] = SCHEMAS) -> Any:
    return (await registry.find(*resource).get("", name)).document


async def edit(registry: Registry, name: str, annotation: str | None, precedence: int | None = None) -> None:
    def change(schema: Any) -> None:
        schema.metadata.annotations = {} if annotation is None else {ANNOTATION: annotation}
        schema.spec.matchingPrecedence = precedence or schema.spec.matchingPrecedence

    await registry.find(*SCHEMAS).update(name, change, WriteContext())


async def advance(registry: Registry, seconds: float) -> None:
    assert isinstance(registry.clock, SteppedClock)
    await registry.clock.advance(seconds)


@pytest.mark.parametrize(("resource", "name"), [(SCHEMAS, "probes"), (SCHEMAS, "exempt"), (LEVELS, "system")])
async def test_a_deleted_object_is_recreated_at_the_next_full_minute(
    registry: Registry, resource: tuple[str, str, str], name: str
) -> None:
    await advance(registry, 50)
    await registry.find(*resource).delete(name, DeleteOptions(), WriteContext())
    await advance(registry, 9)
    with pytest.raises(ApiError):
        await document(registry, name, resource)
    await advance(registry, 1)
    assert (await document(registry, name, resource))["metadata"]["annotations"] == {ANNOTATION: "true"}


@pytest.mark.parametrize(
    ("annotation", "precedence", "result"),
    [
        ("true", 7000, ("true", 9900)),
        ("T", 7000, ("true", 9900)),
        ("false", 7000, ("false", 7000)),
        (None, 7000, ("false", 7000)),
        ("maybe", 7000, ("false", 7000)),
        (None, None, ("true", 9900)),
        ("0", None, ("0", 9900)),
    ],
)
async def test_the_annotation_decides_whether_a_suggested_spec_is_restored(
    registry: Registry, annotation: str | None, precedence: int | None, result: tuple[str, int]
) -> None:
    await edit(registry, "global-default", annotation, precedence)
    await advance(registry, 60)
    found = await document(registry, "global-default")
    assert (found["metadata"]["annotations"][ANNOTATION], found["spec"]["matchingPrecedence"]) == result


async def test_mandatory_objects_get_their_annotation_back(registry: Registry) -> None:
    await edit(registry, "catch-all", "false")
    await advance(registry, 60)
    assert (await document(registry, "catch-all"))["metadata"]["annotations"] == {ANNOTATION: "true"}


async def test_limits_of_the_exempt_level_stay_as_a_client_set_them(registry: Registry) -> None:
    def change(level: Any) -> None:
        level.spec.exempt.lendablePercent = 7

    await registry.find(*LEVELS).update("exempt", change, WriteContext())
    await advance(registry, 60)
    assert (await document(registry, "exempt", LEVELS))["spec"]["exempt"]["lendablePercent"] == 7


@pytest.mark.parametrize(("annotation", "stays"), [("true", False), ("false", True), ("maybe", True)])
async def test_an_annotated_object_of_another_version_is_deleted(
    registry: Registry, annotation: str, stays: bool
) -> None:
    metadata = {"name": "old", "annotations": {ANNOTATION: annotation}}
    await create(registry, SCHEMAS, {"metadata": metadata, "spec": {"priorityLevelConfiguration": {"name": "system"}}})
    await advance(registry, 60)
    listed = await registry.find(*SCHEMAS).all_seen()
    assert ("old" in {schema.name for schema in listed}) is stays


async def test_schemas_of_a_recreated_level_are_not_dangling(registry: Registry) -> None:
    await registry.find(*LEVELS).delete("system", DeleteOptions(), WriteContext())
    assert (await document(registry, "system-nodes"))["status"]["conditions"][0]["status"] == "True"
    await advance(registry, 60)
    assert (await document(registry, "system-nodes"))["status"]["conditions"][0]["status"] == "False"


@pytest.mark.parametrize("error", [unclassified("cannot read"), StorageUnavailable("no answer within 5 s")])
async def test_an_object_is_recreated_a_minute_after_a_read_failed(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise error

    await registry.find(*SCHEMAS).delete("probes", DeleteOptions(), WriteContext())
    with monkeypatch.context() as patched:
        patched.setattr(registry.find(*SCHEMAS).backend.storage, "get", fail)
        await advance(registry, 60)
    assert "probes" not in {schema.name for schema in await registry.find(*SCHEMAS).all_seen()}
    await advance(registry, 60)
    assert await document(registry, "probes")
