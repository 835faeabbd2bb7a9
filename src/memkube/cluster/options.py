"""The options with which a program starts a server."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Self, TypedDict

from memkube.admission.available import selected_plugins
from memkube.auth.authentication.options import AuthenticationOptions, checked_credentials
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.auth.authorization.modes import ALWAYS_ALLOW, authorizes, selected_authorizers
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers, WebhookOptions
from memkube.cluster.snapshots import AnySnapshot, snapshot_given
from memkube.controllers.available import selected_names
from memkube.controllers.options import ControllerOptions
from memkube.endpoints.filters.origins import OriginOptions
from memkube.errors import UsageError, unknown_name
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings, StorageOptions, pods_have_accounts
from memkube.time.clock import clock_named

if TYPE_CHECKING:
    from memkube.controllers.nodes.pools import AnyPools
    from memkube.controllers.scheduler.framework import Profile
    from memkube.controllers.scheduler.python_plugins import SchedulerPlugin

_FILES: Final = (
    "token_auth_file",
    "client_ca_file",
    "authentication_config",
    "authentication_token_webhook_config_file",
    "authorization_config",
    "authorization_webhook_config_file",
)
_EXPECTED: Final = {bool: "True or False", int: "a whole number", datetime: "a datetime"}


class Choices(TypedDict, total=False):
    """The options of `Memkube` as keyword arguments. Their meanings and defaults are documented in `Options`."""

    nodes: int | None
    zones: int
    node_pools: "AnyPools"
    clock: str
    start: datetime | None
    seed: int | None
    controllers: str | Sequence[str]
    stages: bool
    admission: str | Sequence[str]
    snapshot: AnySnapshot | None
    storage: str
    durability: str
    scheduler_config: str | os.PathLike[str]
    scheduler_plugins: Sequence["SchedulerPlugin"]
    scheduler_annotations: bool
    authorization: str | Sequence[str]
    token: str
    token_auth_file: str | os.PathLike[str]
    anonymous_auth: bool | None
    tls: bool
    client_ca_file: str | os.PathLike[str]
    authentication_config: str | os.PathLike[str]
    authentication_token_webhook_config_file: str | os.PathLike[str]
    authorization_config: str | os.PathLike[str]
    authorization_webhook_config_file: str | os.PathLike[str]
    insecure: bool
    allowed_hosts: str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a server, with their defaults."""

    nodes: int | None = None
    """Number of simulated nodes outside of pools; None for 1, or for 0 if there are `node_pools`."""
    zones: int = 1
    """Number of zones that the nodes are spread over."""
    node_pools: "AnyPools" = ()
    """Pools of simulated nodes: the path of a pool file, its content as a dictionary, or a list of pools."""
    clock: str = ""
    """``real``, ``stepped`` (only `clock.advance` moves it), or ``x60`` for sixty times as fast.

    Empty: the clock of the snapshot, else ``real``.
    """
    start: datetime | None = None
    """Time at which a clock other than the real one starts; None for the current time.

    If the storage has the objects of an earlier server, None is the time which that server had reached, if it is later.
    """
    seed: int | None = None
    """Seed of random values such as uids and name suffixes; None for values that differ each time."""
    controllers: str | Sequence[str] = "all"
    """``all``, ``none``, names, or ``all,-NAME``: a string with commas, or a sequence."""
    stages: bool = False
    """True to serve KWOK's kind Stage from the start; without it, apply KWOK's CustomResourceDefinition of Stages."""
    admission: str | Sequence[str] = ()
    """Names of admission plugins to enable, or with a leading minus to disable: a string with commas, or a sequence."""
    snapshot: AnySnapshot | None = None
    """The initial state of the server, which includes the simulated nodes: a snapshot, or the path of its file."""
    storage: str = "memory"
    """``memory``; ``sqlite:PATH`` or ``etcd:http://HOST:PORT[,…]`` for objects that outlive the server."""
    durability: str = "strict"
    """``strict`` flushes each write to disk before it is answered; ``relaxed`` leaves that to the operating system."""
    scheduler_config: str | os.PathLike[str] = ""
    """Path of a KubeSchedulerConfiguration with the profiles of the scheduler; empty for the default profile alone."""
    scheduler_plugins: Sequence["SchedulerPlugin"] = ()
    """Plugins that are added to all profiles of the scheduler."""
    scheduler_annotations: bool = False
    """True if the scheduler writes its results into annotations of the pods, like kube-scheduler-simulator."""
    authorization: str | Sequence[str] = "AlwaysAllow"
    """Modes of authorization, such as ``RBAC`` or ``Node,RBAC``: a string with commas, or a sequence."""
    token: str = field(default="", repr=False)
    """Bearer token of an administrator in the group ``system:masters``. Enables authentication."""
    token_auth_file: str | os.PathLike[str] = ""
    """CSV file of bearer tokens: ``token,user,uid,"group1,group2"``. Enables authentication."""
    anonymous_auth: bool | None = None
    """True to accept requests without credentials, False to refuse them. Both enable authentication."""
    tls: bool = False
    """True to serve over TLS, with a certificate that is generated at the start. Enables authentication."""
    client_ca_file: str | os.PathLike[str] = ""
    """PEM file of CA certificates. A client with a certificate from one of them is the user named in the certificate.
    """
    authentication_config: str | os.PathLike[str] = ""
    """YAML file with an AuthenticationConfiguration, which lists OpenID Connect providers. Enables authentication."""
    authentication_token_webhook_config_file: str | os.PathLike[str] = ""
    """Kubeconfig of the webhook that authenticates bearer tokens. Enables authentication."""
    authorization_config: str | os.PathLike[str] = ""
    """YAML file with an AuthorizationConfiguration, which lists the authorizers. It replaces `authorization`."""
    authorization_webhook_config_file: str | os.PathLike[str] = ""
    """Kubeconfig of the webhook that authorizes requests in the mode ``Webhook`` of `authorization`."""
    insecure: bool = False
    """True to let other machines use the server without TLS or authentication, if `host` is not a loopback address."""
    allowed_hosts: str | Sequence[str] = ()
    """Further host names under which clients reach the server: a string with commas, or a sequence."""

    @classmethod
    def of(cls, **choices: Any) -> Self:
        """Convert keyword arguments to options. Raises UsageError for an unknown name or a value of a wrong type."""
        types: dict[str, tuple[type, ...]] = {"nodes": (int, NoneType), "zones": (int,), "snapshot": (object,)}
        types |= {"node_pools": (str, os.PathLike, Mapping, Sequence)}
        types |= {"scheduler_config": (str, os.PathLike), "scheduler_plugins": (Sequence,)}
        types |= {"anonymous_auth": (bool, NoneType)}
        types |= dict.fromkeys(_FILES, (str, os.PathLike))
        types |= dict.fromkeys(("stages", "scheduler_annotations", "tls", "insecure"), (bool,))
        types |= {"seed": (int, NoneType), "start": (datetime, NoneType)}
        lists = ("controllers", "admission", "authorization", "allowed_hosts")
        for name, value in choices.items():
            if name not in (known := [one.name for one in fields(cls)]):
                raise UsageError(unknown_name("option", name, known))
            wanted = types.get(name, (str, Sequence) if name in lists else (str,))
            words = value if name in lists and isinstance(value, Sequence) else ()
            if not isinstance(value, wanted) or not all(isinstance(word, str) for word in words):
                expected = _EXPECTED.get(wanted[0], "a string or strings" if words else "a string")
                raise UsageError(f"option {name!r} must be {expected}, not {value!r}")
        return cls(**choices)

    def settings(self) -> Settings:
        """Return the settings of the server.

        Raises UsageError for an invalid value, and SnapshotError for a snapshot file that cannot be read. The message
        has one line, or for node pools a line for each problem.
        """
        plugins = _words(self.admission)
        off = [word.removeprefix("-") for word in plugins if word.startswith("-")]
        on = [word for word in plugins if not word.startswith("-")]
        try:
            settings = settings_of(
                ",".join(_words(self.controllers)),
                self.clock,
                replace(
                    machines_of(self.nodes, self.zones, self.node_pools, self._profiles()),
                    scheduler_annotations=self.scheduler_annotations,
                ),
                (",".join(on), ",".join(off)),
                self.snapshot,
                StorageOptions.of(self.storage, self.durability),
            )
            authorizers = self._authorizers()
            users = checked_credentials(self._credentials(), required=authorizes(authorizers.modes) or self.tls)
            settings = replace(settings, authorizers=authorizers, authentication=users)
            transport, origins = TlsOptions() if self.tls else None, OriginOptions(tuple(_words(self.allowed_hosts)))
            settings = replace(settings, tls=transport, origins=origins, insecure=self.insecure, stages=self.stages)
            return seeded(settings, self.start, self.seed)
        except ValueError as error:
            raise UsageError(str(error)) from None

    def _credentials(self) -> AuthenticationOptions:
        webhook = _path(self.authentication_token_webhook_config_file)
        return AuthenticationOptions(
            token=self.token,
            token_file=_path(self.token_auth_file),
            client_ca_file=_path(self.client_ca_file),
            configuration_file=_path(self.authentication_config),
            anonymous=self.anonymous_auth,
            token_webhook=None if webhook is None else TokenWebhookOptions(webhook),
        )

    def _authorizers(self) -> ConfiguredAuthorizers:
        file, kubeconfig = _path(self.authorization_config), _path(self.authorization_webhook_config_file)
        modes = ",".join(_words(self.authorization))
        if file is not None and (modes != ALWAYS_ALLOW or kubeconfig is not None):
            others = "'authorization' and 'authorization_webhook_config_file'"
            raise UsageError(f"option 'authorization_config' cannot be given together with {others}")
        return selected_authorizers(modes, None if kubeconfig is None else WebhookOptions(kubeconfig), file)

    def _profiles(self) -> tuple["Profile", ...]:
        profiles = scheduler_profiles(Path(self.scheduler_config) if self.scheduler_config else None)
        if not self.scheduler_plugins:
            return profiles
        # The module of scheduler plugins is imported only if a program adds a plugin, because importing it takes time.
        from memkube.controllers.scheduler.profiles import DEFAULT_PROFILE  # noqa: PLC0415
        from memkube.controllers.scheduler.python_plugins import with_plugins  # noqa: PLC0415

        return tuple(with_plugins(profile, self.scheduler_plugins) for profile in profiles or (DEFAULT_PROFILE,))


def scheduler_profiles(path: Path | None) -> tuple["Profile", ...]:
    """Return the profiles in a KubeSchedulerConfiguration file; an empty tuple if `path` is None.

    Raises ValueError with a one-line message for a file that cannot be read or is not supported.
    """
    if path is None:
        return ()
    # The module of scheduler plugins is imported only for a configuration file, because importing it takes time.
    from memkube.controllers.scheduler.configuration import read_scheduler_configuration  # noqa: PLC0415

    return read_scheduler_configuration(path)


def machines_of(
    nodes: int | None, zones: int, pools: "AnyPools | None", profiles: tuple["Profile", ...] = ()
) -> ControllerOptions:
    """Return the options of the simulated nodes and of the scheduler.

    `nodes` is the number of nodes outside of pools; None means 0 if there are pools, otherwise 1. These nodes are
    spread over `zones` zones. `profiles` are the profiles of the scheduler. Raises ValueError for an invalid value and
    for invalid pools; its message has a line for each problem.
    """
    if not pools:
        return ControllerOptions(1 if nodes is None else nodes, zones, scheduler_profiles=profiles)
    # The module that reads node pools is imported only if pools are given, because importing it takes time.

    from memkube.controllers.nodes.pools import read_pools  # noqa: PLC0415

    return ControllerOptions(nodes or 0, zones, scheduler_profiles=profiles, node_pools=read_pools(pools))


def settings_of(
    controllers: str,
    clock: str,
    machines: ControllerOptions,
    plugins: tuple[str, str],
    snapshot: AnySnapshot | None,
    storage: StorageOptions,
) -> Settings:
    """Return the server's settings for options given as text, by a program or on a command line.

    `controllers` names the controllers to run, and `clock` the mode of the clock. `machines` has the options of
    simulated nodes and of the scheduler. `plugins` are the admission plugins to enable and those to disable, with
    commas between them. `snapshot` is the initial state, if given, and `storage` says where objects are stored. Raises
    ValueError, with a one-line message for an invalid value, and SnapshotError for a snapshot file that cannot be read.
    """
    clock_named(clock or "real")
    initial = None if snapshot is None else snapshot_given(snapshot)
    if initial is not None and machines.node_pools:
        raise ValueError("the nodes and their pools are those of the snapshot, so node pools cannot be given")
    names = selected_names(controllers)
    return Settings(
        controllers=names,
        controller_options=machines,
        clock=clock or ("real" if initial is None else initial.clock),
        snapshot=initial,
        storage=storage,
        admission_plugins=selected_plugins(*plugins, have_accounts=pods_have_accounts(names)),
    )


def seeded(settings: Settings, start: datetime | None, seed: int | None) -> Settings:
    """Return the settings with this seed and, if `start` is given, this start time of the clock.

    A start time without a time zone is in UTC. Raises ValueError if the clock cannot start at that time.
    """
    if start is None:
        return replace(settings, seed=seed)
    if settings.snapshot is not None:
        raise ValueError("the clock starts at the time of the snapshot, so a start time cannot be given")
    aware = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
    clock_named(settings.clock, aware)
    return replace(settings, start=aware, seed=seed)


def _path(given: str | os.PathLike[str]) -> Path | None:
    return Path(given) if given else None


def _words(chosen: str | Sequence[str]) -> list[str]:
    words = chosen.split(",") if isinstance(chosen, str) else chosen
    return [word.strip() for word in words if word.strip()]
