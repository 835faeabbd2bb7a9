"""``memkube serve``: a server until somebody interrupts it."""

import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, Literal

from memkube.apimachinery.duration import parse_duration
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.cli.access import VerboseOption, log_requests
from memkube.cli.first_pod import prepare_soon
from memkube.cli.logs import LogFormat, configure_logging
from memkube.cli.plain import Option, PlainCommand
from memkube.cli.server_options import (
    Clock,
    Controllers,
    DisabledPlugins,
    Durability,
    EnabledPlugins,
    EtcdCaFile,
    EtcdCertFile,
    EtcdKeyFile,
    EtcdPrefix,
    Nodes,
    SnapshotFile,
    Storage,
    Zones,
    open_server,
    own_kubeconfig,
)
from memkube.cluster.options import settings_of
from memkube.controllers.available import CONTROLLERS
from memkube.controllers.manager import selected_names
from memkube.controllers.options import ControllerOptions, ElectionOptions
from memkube.endpoints.filters.limits import RequestLimits
from memkube.http.options import ShutdownOptions
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.settings import Settings, StorageOptions
from memkube.telemetry.request_log import RequestLogOptions
from memkube.version import KUBERNETES_VERSION

_Issuers = Annotated[list[str] | None, Option(help="Who issues tokens; the first signs, all are believed.")]
_SigningKey = Annotated[Path | None, Option(help="Private key in PEM that signs tokens; made if not given.")]
_Keys = Annotated[list[Path] | None, Option(help="Files with keys in PEM by which tokens are verified.")]
_Audiences = Annotated[str, Option(help="What tokens call this server, with commas between; the issuers if empty.")]
_Extends = Annotated[Literal["true", "false"], Option(help="Whether tokens in pods outlive what was asked for.")]
_Longest = Annotated[str, Option(help="How long tokens are valid at most, such as 24h; 0 is no bound.")]
_LIMITS: Final = RequestLimits()
_MaxReads = Annotated[int, Option(min=0, help="Reads that are worked on at once; 0 is no bound.")]
_MaxWrites = Annotated[int, Option(min=0, help="Writes that are worked on at once.")]
_MaxWatches = Annotated[int, Option(min=0, help="Open watches.")]
_MaxStreams = Annotated[int, Option(min=0, help="Logs that are followed, processes and ports.")]
_ELECTION: Final = ElectionOptions()
_LeaseSeconds = Annotated[
    float, Option(help="Seconds that other servers on the same storage wait for a leader that is silent.")
]
_RenewSeconds = Annotated[float, Option(help="Seconds for which a leader tries to renew its lease.")]
_RetrySeconds = Annotated[float, Option(help="Seconds that all of them wait between two attempts.")]
_AdvertisedUrl = Annotated[str, Option(help="Where those servers reach this one, if not where it listens.")]
_Slow = Annotated[str, Option(help="Requests that take longer are logged; 0s for none.")]
_Delay = Annotated[str, Option(help="How long it serves on when it is told to end, such as 10s.")]
_Grace = Annotated[str, Option(help="How long requests that are under way may take then.")]
_SendRetryAfter = Annotated[
    bool, Option("--shutdown-send-retry-after", help="Listen until those are answered; others get 429.")
]
_JwksUri = Annotated[str, Option(help="Where the keys are published, if not at this server.")]


def serve(
    host: Annotated[str, Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option(help="Port to listen on; 0 takes a free one.")] = 8080,
    kubeconfig: Annotated[Path | None, Option(help="Where to write a kubeconfig.")] = None,
    controllers: Controllers = "all",
    clock: Clock = "",
    nodes: Nodes = 1,
    zones: Zones = 1,
    snapshot: SnapshotFile = None,
    storage: Storage = "memory",
    durability: Durability = "strict",
    etcd_prefix: EtcdPrefix = "",
    etcd_cafile: EtcdCaFile = None,
    etcd_certfile: EtcdCertFile = None,
    etcd_keyfile: EtcdKeyFile = None,
    enable_admission_plugins: EnabledPlugins = "",
    disable_admission_plugins: DisabledPlugins = "",
    log_format: LogFormat = "text",
    verbose: VerboseOption = False,
    service_account_issuer: _Issuers = None,
    service_account_signing_key_file: _SigningKey = None,
    service_account_key_file: _Keys = None,
    service_account_extend_token_expiration: _Extends = "true",
    service_account_max_token_expiration: _Longest = "0",
    service_account_jwks_uri: _JwksUri = "",
    api_audiences: _Audiences = "",
    max_requests_inflight: _MaxReads = _LIMITS.reads,
    max_mutating_requests_inflight: _MaxWrites = _LIMITS.writes,
    max_watches: _MaxWatches = _LIMITS.watches,
    max_streams: _MaxStreams = _LIMITS.streams,
    leader_elect_lease_seconds: _LeaseSeconds = _ELECTION.lease_seconds,
    leader_elect_renew_seconds: _RenewSeconds = _ELECTION.renew_seconds,
    leader_elect_retry_seconds: _RetrySeconds = _ELECTION.retry_seconds,
    advertise_url: _AdvertisedUrl = "",
    slow_request_threshold: _Slow = "500ms",
    shutdown_delay_duration: _Delay = "0s",
    shutdown_grace_duration: _Grace = "60s",
    shutdown_send_retry_after: _SendRetryAfter = False,
) -> None:
    """Serve until interrupted.

    The address, the kubeconfig and a line that makes kubectl use it are printed once requests are answered.

    Example::

        memkube serve --port 0 --nodes 3 --zones 3 --clock stepped
    """
    plugins = (enable_admission_plugins, disable_admission_plugins)

    def settings() -> Settings:
        tokens = TokenOptions(
            issuers=tuple(service_account_issuer or TokenOptions().issuers),
            api_audiences=tuple(filter(None, api_audiences.split(","))),
            signing_key_file=service_account_signing_key_file,
            key_files=tuple(service_account_key_file or ()),
            extend_expiration=service_account_extend_token_expiration == "true",
            max_expiration=int(parse_duration(service_account_max_token_expiration)),
            jwks_uri=service_account_jwks_uri,
        )
        etcd = {"prefix": etcd_prefix, "ca_file": etcd_cafile, "cert_file": etcd_certfile, "key_file": etcd_keyfile}
        kept = StorageOptions.of(storage, durability, {name: given for name, given in etcd.items() if given})
        machines = ControllerOptions(nodes=nodes, zones=zones)
        chosen = settings_of(controllers, clock, machines, plugins, snapshot, kept)
        in_flight = RequestLimits(max_requests_inflight, max_mutating_requests_inflight, max_watches, max_streams)
        times = leader_elect_lease_seconds, leader_elect_renew_seconds, leader_elect_retry_seconds
        election = ElectionOptions(*times, url=advertise_url)
        delay, grace = parse_duration(shutdown_delay_duration), parse_duration(shutdown_grace_duration)
        log = RequestLogOptions(slow_seconds=parse_duration(slow_request_threshold))
        shutdown = ShutdownOptions(delay, grace, shutdown_send_retry_after)
        return replace(chosen, tokens=tokens, in_flight=in_flight, election=election, shutdown=shutdown, requests=log)

    configure_logging(log_format)
    server = open_server(settings, host, port)
    if verbose:
        log_requests(server.parts.request_log, server.registry.catalog)
    with contextlib.nullcontext(kubeconfig) if kubeconfig else own_kubeconfig() as path:
        write_kubeconfig(path, server.url)

        def ready() -> None:
            _announce(server.url, path)
            if nodes and "kubelet" in selected_names(controllers, tuple(CONTROLLERS)):
                prepare_soon()

        if not server.run(ready):
            sys.exit(1)


def _announce(url: str, kubeconfig: Path) -> None:
    lines = (
        f"memkube serves Kubernetes {KUBERNETES_VERSION.rpartition('.')[0]} at {url}",
        f"kubeconfig: {kubeconfig}",
        f"export KUBECONFIG={kubeconfig}",
    )
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


app: Final = PlainCommand(serve)
