"""The composition root: creates the parts of a server and passes them to one another."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from functools import partial
from socket import gethostname
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import uuid4

from fastapi import FastAPI

from memkube.admission.available import PLUGINS, warns_about
from memkube.admission.chain import AdmissionParts, Chain
from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages
from memkube.apimachinery.random_values import RandomValues
from memkube.apis.authentication.v1.tokens.authentication import authenticate
from memkube.apis.authentication.v1.tokens.issuer import TokenIssuer
from memkube.apis.catalog import GROUP_ORDER, served_resources
from memkube.apis.core.v1.componentstatuses.control_plane import local_components
from memkube.apis.core.v1.services.backends import ServiceBackends
from memkube.apis.core.v1.services.node_ports import NodePorts, restore_node_ports
from memkube.apis.core.v1.services.shared_ports import COLLECTION as CLAIMED_PORTS
from memkube.apis.core.v1.services.shared_ports import SharedPorts
from memkube.apis.flowcontrol.v1.objects import mandatory_levels, mandatory_schemas
from memkube.apis.known_kinds import KNOWN_KINDS
from memkube.apis.metrics.v1beta1.nodes.resource import RESOURCE as NODE_METRICS
from memkube.apis.metrics.v1beta1.pods.resource import RESOURCE as POD_METRICS
from memkube.apis.settings.v1alpha1.podpresets.resource import RESOURCE as POD_PRESETS
from memkube.auth.authentication.authenticator import Authenticator
from memkube.auth.authentication.options import AnonymousAccess
from memkube.auth.authentication.request_headers import UserHeaders
from memkube.auth.authorization.modes import RBAC
from memkube.control.mount import add_control_routes
from memkube.control.scenario_runs import ScenarioRuns
from memkube.control.server_parts import ServerParts
from memkube.controllers.api_server import api_server_controllers
from memkube.controllers.available import CONTROLLERS, KUBELET, absent_controllers
from memkube.controllers.framework.parts import ControllerParts
from memkube.controllers.framework.runtime import RestoredState
from memkube.controllers.manager import ControllerManager
from memkube.controllers.pod_autoscaler.metrics_apis import ServedMetrics
from memkube.endpoints.auditing.trail import Auditor
from memkube.endpoints.filters.recording import identify
from memkube.endpoints.flow_control.classifier import MandatoryFlows
from memkube.endpoints.parts import EndpointParts
from memkube.endpoints.responses.responses import status_of
from memkube.endpoints.routers.application import ApiServer
from memkube.hooks.client import HookClient
from memkube.hooks.services import Listeners
from memkube.registry.declarations.admission import AdmitAll
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kind_services import KindServices
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.codec import ObjectCodec
from memkube.registry.objects.dependents import Dependents
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Backend
from memkube.registry.reads.indexing import declared_indices
from memkube.registry.registry import Registry
from memkube.registry.replicas.local_reads import LocalReads
from memkube.registry.replicas.shared_listeners import follow_listeners
from memkube.registry.replicas.shared_state import DocumentKey, SharedState
from memkube.server.bootstrap.clock import continue_clock
from memkube.server.bootstrap.nodes import create_nodes
from memkube.server.bootstrap.standing import create_standing_objects
from memkube.server.bootstrap.upkeep import FlowControlUpkeep, NamespaceUpkeep, ServiceUpkeep
from memkube.server.route_endpoints import release_endpoints
from memkube.server.service_network import ServerAddress, ServiceNetwork
from memkube.server.settings import Settings
from memkube.snapshots.snapshots import Snapshots, restore_snapshot
from memkube.storage.errors import StorageUnusable
from memkube.storage.interface import HistoryBounds, Index, Storage
from memkube.storage.lifetimes import Lifetimes
from memkube.storage.memory import MemoryStorage
from memkube.telemetry.measures import Measures
from memkube.telemetry.request_log import RequestLog
from memkube.time.clock import clock_named
from memkube.time.turns import work_undivided
from memkube.ui.mount import WebPage
from memkube.version import VERSION

if TYPE_CHECKING:
    from memkube.controllers.leader_election.leadership import Leadership
    from memkube.storage.etcd.options import EtcdOptions

_CLAIMS: Final = {DocumentKey(CLAIMED_PORTS, "").storage_key: timedelta(minutes=2)}
"""Lifetime of the shared document in which servers with the same storage reserve node ports, by its storage key.

The write of a Service ends earlier, so that its reservations do not expire before the Service is stored.
"""
_KINDS_OF_PLUGINS = {"PodPreset": POD_PRESETS}
"""Resources that are served only if an admission plugin is enabled, by plugin name."""


class Core(NamedTuple):
    """The parts of a server that are created before its controllers and routes, such as the registry of all objects."""

    parts: ControllerParts
    token_issuer: TokenIssuer


def create_core(settings: Settings) -> Core:
    """Create the storage, admission control and the registry.

    Two registries share one catalog. The first is for admission plugins and webhooks, and its writes skip admission.
    The second is for all other code.

    Raises KeyError for an unknown admission plugin, and ValueError for invalid settings, such as a key file without
    keys or a storage that cannot be opened.
    """
    clock, random_values = clock_named(settings.clock, settings.start), RandomValues(settings.seed)
    catalog = Catalog(served_resources(), KNOWN_KINDS, Messages(go_package), GROUP_ORDER)
    catalog.serve(_KINDS_OF_PLUGINS[name] for name in settings.plugins if name in _KINDS_OF_PLUGINS)
    if KUBELET in settings.controllers:
        catalog.serve((NODE_METRICS, POD_METRICS))
    # Only a storage in memory is certain to be empty. In another storage, objects of an earlier run or of other servers
    # may have dependents that `Dependents` has not recorded.
    dependents = Dependents(may_exist=not settings.storage.is_memory)
    lifetimes = Lifetimes(clock, _lifetimes(catalog) | (_CLAIMS if settings.storage.is_shared else {}))
    measures, codec, listeners = Measures(), ObjectCodec(dependents), Listeners()
    storage = _opened(settings, codec, lifetimes, declared_indices(catalog), measures)
    shared_state = SharedState(storage)
    follow_listeners(shared_state, listeners)
    issuer = TokenIssuer(settings.tokens, shared_state)
    services = KindServices(
        issuer,
        NodePorts(random_values=random_values),
        local_components(settings.controllers),
        random_values,
        settings.root_certificate,
        static_tokens=settings.authentication.static_tokens(),
    )
    # Admission plugins read the local copy of a shared storage. It may be slightly stale, like an informer's cache.
    looked_up = LocalReads(storage) if settings.storage.is_shared else storage
    plugin_registry = Registry(catalog, Backend(looked_up, AdmitAll(), clock, random_values), shared_state, services)
    hook_client = HookClient(ServiceBackends(plugin_registry, listeners))
    _set_token_webhook_and_authorizer(settings, plugin_registry, hook_client, measures)
    absent = absent_controllers(settings.controllers)
    plugins = [*(PLUGINS[name] for name in settings.plugins), *([warns_about(absent)] if absent else ())]
    admission = Chain(plugins, AdmissionParts(plugin_registry, measures, hook_client, absent))
    backend = Backend(storage, admission, clock, random_values, plugin_registry.faults)
    registry = Registry(catalog, backend, shared_state, services)
    registry.follow_faults()
    if settings.storage.is_shared:
        services.node_ports = NodePorts((), SharedPorts(registry), random_values)
    else:
        registry.on_restore(partial(restore_node_ports, services))
    for close in (plugin_registry.close, catalog.close, codec.close, registry.faults.close, services.close):
        registry.on_stop(close)
    log = RequestLog(settings.requests, clock, storage, identify)
    return Core(ControllerParts(registry, measures, log, hook_client, listeners, dependents), issuer)


def _lifetimes(resources: Iterable[Resource]) -> dict[str, timedelta]:
    kept = (resource.stored_as for resource in resources)
    return {one.key_prefix: one.stored.time_to_live for one in kept if one.stored.time_to_live is not None}


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
    from memkube.storage.sqlite.engine import SqliteStorage  # noqa: PLC0415  an engine is imported if it is chosen

    try:
        return SqliteStorage(chosen.path, codec, history, lifetimes, indices, durable=chosen.durable)
    except StorageUnusable as error:
        raise ValueError(str(error)) from None


def _in_etcd(
    settings: Settings, options: "EtcdOptions", codec: ObjectCodec, lifetimes: Lifetimes, measures: Measures
) -> Storage[StoredObject]:
    if settings.snapshot is not None:
        raise ValueError("a server with storage in etcd cannot start with a snapshot: other servers may use the etcd")
    if settings.authentication.is_on:
        raise ValueError("authentication is not supported with storage in etcd, which several servers may share")
    try:
        from memkube.storage.etcd.engine import EtcdStorage  # noqa: PLC0415  an engine is imported if it is chosen
    except ImportError as error:
        raise ValueError(f"etcd needs more packages (pip install 'memkube[etcd]'): {error}") from None

    try:
        history = HistoryBounds(settings.history, settings.history_bytes)
        storage = EtcdStorage(options, codec, history, lifetimes, measures.note_store_call)
        storage.check()
    except (OSError, StorageUnusable) as error:
        raise ValueError(str(error)) from None
    return storage


def _set_token_webhook_and_authorizer(
    settings: Settings, registry: Registry, hook_client: HookClient, measures: Measures
) -> None:
    """Set the token webhook and the authorizer in `registry.kind_services`, each only if the settings ask for it.

    The token webhook authenticates bearer tokens. The modules of both are imported only if they are used, because
    importing takes time.
    """
    services, now = registry.kind_services, registry.clock.now
    if settings.authentication.token_webhook is not None:
        from memkube.auth.authentication.token_webhook import TokenWebhook  # noqa: PLC0415

        own_audiences = partial(getattr, services.token_issuer.options, "audiences")
        services.token_webhook = TokenWebhook(settings.authentication.token_webhook, hook_client, own_audiences, now)
    if settings.authorizes:
        from memkube.auth.authorization.authorizers import AuthorizerParts, set_authorizer  # noqa: PLC0415

        parts = AuthorizerParts(registry, hook_client, now, measures.reloads["authorization"])
        set_authorizer(services, settings.authorizers, parts)


def create_app(settings: Settings | None = None, address: ServerAddress | None = None) -> ApiServer:
    """Create an API server as an ASGI application. Several applications share no state.

    `address` is the address that the server listens on, if known. Raises KeyError for an unknown admission plugin or
    controller, and ValueError for other invalid settings.
    """
    settings = settings or Settings()
    core = create_core(settings)
    parts, issuer, registry = core.parts, core.token_issuer, core.parts.registry
    network = ServiceNetwork(address, settings.service_range, settings.advertise_address)
    leadership = _leadership(parts, settings, address) if settings.storage.is_shared else None
    own_controllers = api_server_controllers(settings.authentication)
    own = ControllerManager(parts, own_controllers, tuple(own_controllers))
    chosen = ControllerManager(parts, CONTROLLERS, settings.controllers, settings.controller_options)
    snapshots, scenarios = Snapshots(registry, parts.listeners, issuer, own, chosen), ScenarioRuns()
    registry.kind_services.node_connections = lambda: chosen.kubelet.connections if chosen.kubelet else None
    registry.kind_services.resource_usage = lambda: chosen.kubelet.resource_usage if chosen.kubelet else None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if settings.seed is not None:
            work_undivided()
        await registry.start()
        await registry.shared_state.begin(shared=settings.storage.is_shared)
        kept = spared = None
        if settings.snapshot is not None:
            kept = await restore_snapshot(registry, issuer, settings.snapshot)
        else:
            spared = await _create_initial_objects(parts, settings, network)
        await _create_optional_objects(registry, settings)
        running = leadership.running(chosen.begin, chosen.stop) if leadership else chosen.running(kept or spared)
        async with (
            ServiceUpkeep(registry, network),
            FlowControlUpkeep(registry),
            NamespaceUpkeep(registry),
            _in_turn(own, kept, running),
        ):
            # Wait until the controllers have done their initial writes, such as the nodes, so that the first request
            # sees these.
            await registry.clock.activity.at_rest()
            yield
            await scenarios.close()
            await snapshots.wait_for_controllers()
        await _close_clients(parts.hook_client, endpoint_parts.auditor)
        await registry.shared_state.end()
        await registry.stop()

    endpoint_parts = EndpointParts(
        registry,
        parts.measures,
        parts.request_log,
        parts.hook_client,
        issuer,
        informers=chosen,
        definitions=lambda: own.definitions,
        api_services=lambda: own.api_services,
        origins=settings.origins,
        mandatory_flows=MandatoryFlows(mandatory_schemas(), mandatory_levels()),
        authenticator=_authenticator(registry, settings, parts.measures),
        authorizer=registry.kind_services.authorizer if settings.authorizes else None,
        has_rbac=RBAC in settings.authorizers.modes,
        auditor=_auditor(registry, settings, parts.hook_client, parts.measures),
        metrics_apis=ServedMetrics(registry) if KUBELET in settings.controllers else None,
        reported_version=settings.reported_version,
        leader=leadership,
    )
    app = ApiServer(endpoint_parts, VERSION, lifespan, settings.connections.request_seconds, settings.in_flight)
    control_parts = ServerParts(registry, parts.request_log, parts.listeners, chosen, snapshots, scenarios)
    _add_control_and_page(app, control_parts, settings)
    app.state.parts, app.state.leader = control_parts, leadership
    return app


def _add_control_and_page(app: ApiServer, parts: ServerParts, settings: Settings) -> None:
    """Add the routes of memkube's control API, and the web page, to the ASGI application `app`.

    `parts` are the objects on which the control API acts, such as the registry and the clock.
    """
    control = add_control_routes(app.router, parts, status_of, VERSION)
    parts.registry.on_stop(lambda: release_endpoints(control.endpoints()))
    app.page = WebPage(app.serve_api, VERSION, read_only=settings.read_only, hunt_report=settings.hunt_report)
    if settings.read_only:
        app.refuse_writes()


@asynccontextmanager
async def _in_turn(
    own: ControllerManager, restored: RestoredState | None, others: AbstractAsyncContextManager[None]
) -> AsyncIterator[None]:
    """Run the API server's own controllers `own`, and the other controllers, during the ``with`` block.

    `others` is a context manager that starts the other controllers when it is entered. They may need custom kinds, such
    as Stage, so they start only when the custom kinds that exist already are served. `restored` is the state of the
    controllers in a snapshot, if the server starts from one.
    """
    async with own.running(restored):
        await own.at_rest("definitions")
        async with others:
            yield


async def _create_initial_objects(
    parts: ControllerParts, settings: Settings, network: ServiceNetwork
) -> RestoredState | None:
    """Store the initial objects of every server and, in a new cluster, its nodes as their controllers would store them.

    Returns the state that the controllers of the nodes would have then; None if no nodes were stored.
    """
    is_new = not await _take_over(parts.registry, settings) and settings.storage.is_memory
    # In kube-apiserver, creations of the initial objects pass admission, so the plugin AlwaysDeny rejects them.
    if "AlwaysDeny" in settings.plugins:
        return None
    # Objects that exist are skipped: an earlier run may have stopped before it had created all objects.
    await create_standing_objects(parts.registry, network, settings.controllers, settings.authentication)
    return await create_nodes(parts.registry, parts.dependents, settings) if is_new else None


async def _take_over(registry: Registry, settings: Settings) -> bool:
    """Continue with the objects that an earlier server has left in the storage. Return False if there are none."""
    has_objects = await registry.resume()
    if has_objects and settings.start is None:
        await continue_clock(registry)
    return has_objects


async def _create_optional_objects(registry: Registry, settings: Settings) -> None:
    """Store the initial objects that only some servers have: roles and bindings, and the definition of Stages."""
    if RBAC in settings.authorizers.modes:
        # The bootstrap policy is imported only for servers with RBAC, because importing takes time.
        from memkube.server.bootstrap.rbac_policy import create_bootstrap_policy  # noqa: PLC0415

        await create_bootstrap_policy(registry)
    if settings.stages:
        # The definition of Stages is imported only if the option `stages` is set, because importing takes time.
        from memkube.server.bootstrap.stage_definition import create_stage_definition  # noqa: PLC0415

        await create_stage_definition(registry)


def _auditor(registry: Registry, settings: Settings, client: HookClient, measures: Measures) -> Auditor | None:
    """Return the writer of the audit log, or None if requests are not audited.

    Raises ValueError if the policy or the kubeconfig of the webhook is not valid.
    """
    options = settings.audit
    if options is None:
        return None
    # The modules of the audit log are imported only for servers that write one, because importing takes time.
    from memkube.endpoints.auditing.log_file import AuditLogFile, AuditSink  # noqa: PLC0415
    from memkube.endpoints.auditing.policy import read_audit_policy  # noqa: PLC0415
    from memkube.endpoints.auditing.webhook import AuditWebhook  # noqa: PLC0415

    sinks: list[AuditSink] = [AuditLogFile(options)] if options.path else []
    if options.webhook is not None:
        sinks.append(AuditWebhook(options.webhook, client))
    return Auditor(read_audit_policy(options.policy_file).rule_for, sinks, registry.clock, measures)


async def _close_clients(client: HookClient, auditor: Auditor | None) -> None:
    """Write the queued audit events, and close the connections to webhooks."""
    if auditor is not None:
        await auditor.close()
    await client.close()


def _authenticator(registry: Registry, settings: Settings, measures: Measures) -> Authenticator:
    """Return the authenticator of requests, which refuses invalid credentials if an option asks for authentication."""
    options = settings.authentication
    audiences = registry.kind_services.token_issuer.options.audiences
    by_token = partial(authenticate, registry, audiences=audiences)
    anonymous = AnonymousAccess(
        settings.authorizers.allow_anonymous if options.anonymous is None else options.anonymous
    )
    if options.has_other_tokens:
        # The module for tokens of other issuers is imported only for servers that accept some, because importing takes
        # time.
        from memkube.auth.authentication.other_tokens import other_tokens  # noqa: PLC0415

        others = other_tokens(options, registry, measures)
        registry.kind_services.other_tokens = others.find_user
        if others.anonymous is not None:
            anonymous = others.anonymous
    users = registry.kind_services.static_tokens
    user_headers = UserHeaders(options.request_headers)
    if not options.is_on:
        return Authenticator(by_token, users, user_headers, anonymous=AnonymousAccess(True), required=False)
    registry.kind_services.accepts_anonymous = anonymous.is_enabled
    certified = None
    if options.authority_files:
        # pyOpenSSL is imported only if clients may have certificates, because importing takes time.
        from memkube.auth.authentication.certified_users import CertifiedUsers  # noqa: PLC0415

        now = registry.clock.now
        certified = CertifiedUsers(options.client_ca_file, options.request_headers, user_headers, now)
    return Authenticator(by_token, users, user_headers, certified, anonymous=anonymous)


def _leadership(parts: ControllerParts, settings: Settings, address: ServerAddress | None) -> "Leadership":
    """Create the leader election, which decides which server runs the controllers."""
    # The leader election is imported only for servers that share a storage, because importing takes time.
    from memkube.controllers.leader_election.elector import Candidate, LeaderElector  # noqa: PLC0415
    from memkube.controllers.leader_election.leadership import Leadership  # noqa: PLC0415

    url = settings.election.url or (address.url if address else "")
    candidate = Candidate(f"{gethostname()}_{uuid4()}", url)
    elector = LeaderElector(parts, candidate, settings.election)
    return Leadership(elector, campaigns=bool(settings.controllers))
