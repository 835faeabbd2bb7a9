"""The composition root: one server, made of all layers."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from socket import gethostname
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from starlette.applications import Starlette

from memkube.admission.available import PLUGINS
from memkube.admission.chain import Chain
from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages
from memkube.apis.authentication.v1.tokens.issuer import TokenIssuer
from memkube.apis.catalog import GROUP_ORDER, served_resources
from memkube.apis.core.v1.componentstatuses.control_plane import ControlPlane, control_plane_of
from memkube.apis.core.v1.services.backends import ServiceBackends
from memkube.apis.core.v1.services.node_ports import NodePorts, ports_of
from memkube.apis.core.v1.services.shared_ports import TOPIC as CLAIMED_PORTS
from memkube.apis.core.v1.services.shared_ports import SharedPorts
from memkube.apis.known_kinds import KNOWN_KINDS
from memkube.apis.settings.v1alpha1.podpresets.resource import RESOURCE as POD_PRESETS
from memkube.control.mount import add_control_routes
from memkube.controllers.available import CONTROLLERS, SERVERS_OWN
from memkube.controllers.manager import ControllerManager
from memkube.endpoints.filters.recording import identify
from memkube.endpoints.responses.responses import status_of
from memkube.endpoints.routers.application import ApiServer
from memkube.hooks.client import HookClient
from memkube.hooks.services import Listeners
from memkube.registry.declarations.admission import AdmitAll
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.interface import Leader, OpenIdProvider
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.dependents import Dependents
from memkube.registry.objects.stored import ObjectCodec, StoredObject
from memkube.registry.reads.collection import Backend
from memkube.registry.reads.indexing import kept_indices
from memkube.registry.registry import Registry
from memkube.registry.replicas.local_reads import AtHandStorage
from memkube.registry.replicas.shared_listeners import follow_listeners
from memkube.registry.replicas.shared_state import Place
from memkube.server.bootstrap.nodes import create_nodes
from memkube.server.bootstrap.service_network import ServerAddress
from memkube.server.bootstrap.standing import create_standing_objects
from memkube.server.bootstrap.upkeep import Upkeep
from memkube.server.settings import Settings
from memkube.snapshots.snapshots import Snapshots, bring_back
from memkube.storage.errors import StorageUnusable
from memkube.storage.interface import HistoryBounds, Index, Storage
from memkube.storage.lifetimes import Lifetimes
from memkube.storage.memory import MemoryStorage
from memkube.telemetry.measures import Measures
from memkube.telemetry.request_log import RequestLog
from memkube.time.clock import clock_named
from memkube.version import VERSION

if TYPE_CHECKING:
    from memkube.controllers.leader_election.leadership import Leadership
    from memkube.storage.etcd.options import EtcdOptions

_CLAIMS: Final = {Place(CLAIMED_PORTS, "").key: timedelta(minutes=2)}
"""What servers keep from each other, for longer than any write takes."""
_KINDS_OF_PLUGINS = {"PodPreset": POD_PRESETS}
"""Kinds that are served only where the plugin that heeds them is on."""


def create_registry(settings: Settings) -> Registry:
    """A registry of its own, with its own storage.

    Raises KeyError for an unknown admission plugin, and ValueError for a file without keys and for storage that cannot
    be opened.
    """
    clock = clock_named(settings.clock)
    catalog = Catalog(served_resources(), KNOWN_KINDS, Messages(go_package), GROUP_ORDER)
    # What others write, and what was there before, nobody tells of here.
    dependents = Dependents(known=not settings.storage.is_memory)
    lifetimes = Lifetimes(clock, _lifetimes(catalog) | (_CLAIMS if settings.storage.is_shared else {}))
    measures = Measures()
    codec = ObjectCodec(dependents)
    storage = _opened(settings, codec, lifetimes, kept_indices(catalog), measures)
    catalog.serve(_KINDS_OF_PLUGINS[name] for name in settings.admission_plugins if name in _KINDS_OF_PLUGINS)
    # What plugins look up in passing need not be the newest of all, where that would have to be asked for.
    looked_up = AtHandStorage(storage) if settings.storage.is_shared else storage
    unguarded = Registry(catalog, Backend(looked_up, AdmitAll(), clock))
    unguarded.provide(Measures, measures)
    chain = Chain([PLUGINS[name] for name in settings.admission_plugins], unguarded)
    guarded = Registry(catalog, Backend(storage, chain, clock, faults=unguarded.faults))
    guarded.follow_faults()
    for let_go in (unguarded.let_go, catalog.let_go, codec.let_go, guarded.faults.let_go):
        guarded.on_stop(let_go)
    issuer = TokenIssuer(settings.tokens, guarded.shared_state)
    listeners = Listeners()
    follow_listeners(guarded.shared_state, listeners)
    client = HookClient(ServiceBackends(unguarded, listeners))
    for registry in (unguarded, guarded):
        registry.provide(HookClient, client)

    def reserve_ports(objects: Sequence[StoredObject]) -> None:
        services = (one.document for one in objects if one.kind == "Service")
        # Writes that are under way keep what they have reserved to themselves: they are in no state that counts.
        node_ports = NodePorts(ports_of(one for one in services if one["apiVersion"] == "v1"))
        for registry in (unguarded, guarded):
            registry.provide(NodePorts, node_ports)

    if settings.storage.is_shared:
        node_ports = NodePorts(others=SharedPorts(guarded))
        for registry in (unguarded, guarded):
            registry.provide(NodePorts, node_ports)
    else:
        reserve_ports(())
        guarded.on_restore(reserve_ports)
    guarded.provide(Dependents, dependents)
    guarded.provide(Listeners, listeners)
    guarded.provide(Measures, measures)
    guarded.provide(RequestLog, RequestLog(settings.requests, clock, storage, identify))
    guarded.provide(TokenIssuer, issuer)
    guarded.provide(OpenIdProvider, issuer)
    guarded.provide(ControlPlane, control_plane_of(settings.controllers))
    return guarded


def _lifetimes(resources: Iterable[Resource]) -> dict[str, timedelta]:
    kept = (resource.kept_as for resource in resources)
    return {one.key_prefix: one.time_to_live for one in kept if one.time_to_live is not None}


def _opened(
    settings: Settings,
    codec: ObjectCodec,
    lifetimes: Lifetimes,
    indices: Sequence[Index[StoredObject]],
    measures: Measures,
) -> Storage[StoredObject]:
    history, chosen = HistoryBounds(settings.history, settings.history_bytes), settings.storage
    if chosen.etcd is not None:
        return _in_etcd(settings, chosen.etcd, codec, lifetimes, measures)
    if chosen.path is None:
        return MemoryStorage(codec, history, lifetimes, indices=indices)
    from memkube.storage.sqlite.engine import SqliteStorage  # noqa: PLC0415  for those who choose it

    try:
        return SqliteStorage(chosen.path, codec, history, lifetimes, indices, durable=chosen.durable)
    except StorageUnusable as error:
        raise ValueError(str(error)) from None


def _in_etcd(
    settings: Settings, options: "EtcdOptions", codec: ObjectCodec, lifetimes: Lifetimes, measures: Measures
) -> Storage[StoredObject]:
    if settings.snapshot is not None:
        raise ValueError("a server does not begin with a snapshot in an etcd: others may use it")
    try:
        from memkube.storage.etcd.engine import EtcdStorage  # noqa: PLC0415  for those who choose it
    except ImportError as error:
        raise ValueError(f"etcd needs more packages (pip install 'memkube[etcd]'): {error}") from None

    try:
        history = HistoryBounds(settings.history, settings.history_bytes)
        storage = EtcdStorage(options, codec, history, lifetimes, measures.note_store_call)
        storage.check()
    except (OSError, StorageUnusable) as error:
        raise ValueError(str(error)) from None
    return storage


def create_app(settings: Settings | None = None, address: ServerAddress | None = None) -> ApiServer:
    """An API server as an ASGI application. Applications share nothing with each other.

    `address` is where it listens, as far as that is known.
    """
    settings = settings or Settings()
    registry = create_registry(settings)
    leadership = _leadership(registry, settings, address) if settings.storage.is_shared else None

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        kept = spared = None
        await registry.start()
        await registry.shared_state.begin(shared=settings.storage.is_shared)
        if settings.snapshot is not None:
            kept = await bring_back(registry, settings.snapshot)
        else:
            is_new = not await registry.resume() and settings.storage.is_memory
            # In the reference they are written by a client, so that nothing is there where everything is denied. Who
            # came before may have ended in the midst of it.
            if "AlwaysDeny" not in settings.admission_plugins:
                await create_standing_objects(registry, address, settings.controllers)
                spared = await create_nodes(registry, settings) if is_new else None
        own = ControllerManager(registry, SERVERS_OWN, tuple(SERVERS_OWN), kept=kept)
        chosen = ControllerManager(
            registry, CONTROLLERS, settings.controllers, settings.controller_options, kept or spared
        )
        snapshots = Snapshots(registry, own, chosen)
        registry.provide(Snapshots, snapshots)
        playing = chosen if leadership is None else leadership.running(chosen.begin, chosen.stop)
        async with Upkeep(registry, address), own, playing:
            # Whoever comes first finds what the controllers begin with, such as the nodes.
            await registry.clock.activity.at_rest()
            yield
            await snapshots.settled()
        client = registry.provided(HookClient)
        assert client is not None
        await client.close()
        await registry.shared_state.end()
        await registry.stop()

    app = ApiServer(registry, VERSION, lifespan, settings.connections.request_seconds, settings.in_flight)
    add_control_routes(app.router, registry, status_of, VERSION)
    app.state.registry = registry
    return app


def _leadership(registry: Registry, settings: Settings, address: ServerAddress | None) -> "Leadership":
    """What decides whether this server is the one that runs the controllers."""
    # Only servers that share their storage have to elect one of them.
    from memkube.controllers.leader_election.elector import Candidate, LeaderElector  # noqa: PLC0415
    from memkube.controllers.leader_election.leadership import Leadership  # noqa: PLC0415

    url = settings.election.url or (address.url if address else "")
    candidate = Candidate(f"{gethostname()}_{uuid4()}", url)
    elector = LeaderElector(registry, candidate, settings.election)
    leadership = Leadership(elector, campaigns=bool(settings.controllers))
    registry.provide(Leader, leadership)
    return leadership
