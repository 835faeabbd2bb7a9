"""Creates, updates, deletions, lists and watches of a store, compared with a simple model of fifty lines."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apis.authentication.v1.tokens.issuer import TokenIssuer
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.apis.core.v1.configmaps.resource import RESOURCE
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.apis.core.v1.services.node_ports import NodePorts
from memkube.registry.declarations.admission import AdmitAll
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.declarations.request_options import ListOptions, WatchOptions, WriteContext
from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Backend
from memkube.registry.registry import Registry
from memkube.registry.replicas.shared_state import SharedState
from memkube.storage.memory import MemoryStorage
from memkube.time.clock import RealClock

Result = TypeVar("Result")
NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.sampled_from(["1", "2", "3"])


@dataclass
class Model:
    """A model of a store that maps names to values."""

    values: dict[str, str] = field(default_factory=dict)
    events: list[tuple[str, str, str]] = field(default_factory=list)
    states: list[dict[str, str]] = field(default_factory=lambda: [{}])
    """The values after each change. The index is the revision."""

    def create(self, name: str, value: str) -> bool:
        if name in self.values:
            return False
        return self._record("ADDED", name, value, {**self.values, name: value})

    def update(self, name: str, value: str) -> bool:
        if name not in self.values:
            return False
        if self.values[name] == value:
            return True
        return self._record("MODIFIED", name, value, {**self.values, name: value})

    def delete(self, name: str) -> bool:
        if name not in self.values:
            return False
        rest = {other: value for other, value in self.values.items() if other != name}
        return self._record("DELETED", name, self.values[name], rest)

    def _record(self, event: str, name: str, value: str, values: dict[str, str]) -> bool:
        self.values = values
        self.events.append((event, name, value))
        self.states.append(values)
        return True


class StoreMachine(RuleBasedStateMachine):
    """Applies the same operations to a store and to the model."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        storage: MemoryStorage[StoredObject] = MemoryStorage(ObjectCodec())
        backend, shared_state = Backend(storage, AdmitAll(), RealClock()), SharedState(storage)
        services = KindServices(TokenIssuer(TokenOptions(), shared_state), NodePorts(), frozenset())
        self.store = Registry(Catalog([RESOURCE]), backend, shared_state, services).store(RESOURCE)
        self.model = Model()

    def teardown(self) -> None:
        self.loop.close()

    @rule(name=NAMES, value=VALUES)
    def create(self, name: str, value: str) -> None:
        assert self._succeeds(self.store.create(_config_map(name, value), _context())) == self.model.create(name, value)

    @rule(name=NAMES, value=VALUES)
    def update(self, name: str, value: str) -> None:
        def change(config_map: ConfigMap) -> None:
            config_map.data = {"value": value}

        assert self._succeeds(self.store.update(name, change, _context())) == self.model.update(name, value)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        assert self._succeeds(self.store.delete(name, DeleteOptions(), _context())) == self.model.delete(name)

    @rule(data=st.data())
    def list_an_older_state(self, data: st.DataObject) -> None:
        revision = data.draw(st.integers(0, len(self.model.states) - 1))
        if revision:
            exact = ListOptions(resource_version=str(revision), resource_version_match="Exact")
            assert self._listed(exact) == self.model.states[revision]

    @rule(data=st.data())
    def watch_from_an_older_state(self, data: st.DataObject) -> None:
        revision = data.draw(st.integers(1, len(self.model.states) - 1)) if self.model.events else 0
        if revision:
            assert self._seen_after(revision) == self.model.events[revision:]

    @invariant()
    def lists_what_there_is(self) -> None:
        assert self._listed(ListOptions()) == self.model.values

    @invariant()
    def pages_add_up_to_the_list(self) -> None:
        options, pages = ListOptions(limit=1), {}
        while True:
            page = self._run(self.store.list("default", options))
            pages.update(_values(page.items))
            if not page.continue_token:
                break
            options = options._replace(continue_token=page.continue_token)
        assert pages == self.model.values

    def _listed(self, options: ListOptions) -> dict[str, str]:
        return _values(self._run(self.store.list("default", options)).items)

    def _seen_after(self, revision: int) -> list[tuple[str, str, str]]:
        watch = self.store.watch("default", WatchOptions(resource_version=str(revision)))
        self._run(watch.start())
        events = self._run(watch.next(0))
        return [(event.type, event.object.name, event.object.document["data"]["value"]) for event in events]

    def _succeeds(self, call: Coroutine[Any, Any, object]) -> bool:
        try:
            self._run(call)
        except ApiError as error:
            if error.reason not in ("AlreadyExists", "NotFound"):
                raise
            return False
        return True

    def _run(self, call: Coroutine[Any, Any, Result]) -> Result:
        return self.loop.run_until_complete(call)


def _config_map(name: str, value: str) -> ConfigMap:
    config_map = ConfigMap(kind="ConfigMap", apiVersion="v1", data={"value": value})
    config_map.metadata.name = name
    return config_map


def _context() -> WriteContext:
    return WriteContext(namespace="default")


def _values(items: Any) -> dict[str, str]:
    return {stored.name: stored.document["data"]["value"] for stored in items}


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
