"""``memkube serve``: a server that runs until it is interrupted."""

import contextlib
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal

from typer import Option, Typer

from memkube.apimachinery.duration import parse_duration
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.auth.authentication.options import AuthenticationOptions, checked_credentials
from memkube.auth.authorization.modes import authorizes
from memkube.cli.access import VerboseOption, log_requests
from memkube.cli.logs import LogFormat, configure_logging
from memkube.cli.server_options import (
    AllowedHosts,
    AllowedOrigins,
    AnonymousAuth,
    AuditLogFormat,
    AuditLogMaxAge,
    AuditLogMaxBackup,
    AuditLogMaxSize,
    AuditLogPath,
    AuditPolicyFile,
    AuthenticationConfig,
    AuthorizationMode,
    BootstrapTokens,
    ClientCaFile,
    Clock,
    Controllers,
    DisabledPlugins,
    Durability,
    EnabledPlugins,
    EtcdCaFile,
    EtcdCertFile,
    EtcdKeyFile,
    EtcdPrefix,
    ExtraPrefix,
    GroupHeader,
    Insecure,
    NodePools,
    Nodes,
    OidcAlgorithms,
    OidcCaFile,
    OidcClient,
    OidcGroupsClaim,
    OidcGroupsPrefix,
    OidcIssuer,
    OidcRequired,
    OidcUserClaim,
    OidcUserPrefix,
    ProxyCaFile,
    ProxyNames,
    SchedulerAnnotations,
    SchedulerConfig,
    Seed,
    SnapshotFile,
    Stages,
    Start,
    Storage,
    Tls,
    TlsCertFile,
    TlsKeyFile,
    TlsNamedFiles,
    Token,
    TokenFile,
    UidHeader,
    UserHeader,
    Zones,
    audit_options,
    listed,
    oidc_options,
    open_server,
    own_kubeconfig,
    request_header_options,
    tls_options,
)
from memkube.cli.webhook_options import (
    AuthenticationTokenWebhookCacheTtl,
    AuthenticationTokenWebhookConfigFile,
    AuthenticationTokenWebhookVersion,
    AuthorizationConfig,
    AuthorizationWebhookCacheAuthorizedTtl,
    AuthorizationWebhookCacheUnauthorizedTtl,
    AuthorizationWebhookConfigFile,
    AuthorizationWebhookVersion,
    chosen_authorizers,
    token_webhook,
)
from memkube.cluster.options import machines_of, scheduler_profiles, seeded, settings_of
from memkube.controllers.options import ElectionOptions
from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.filters.origins import OriginOptions
from memkube.http.options import ShutdownOptions
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.settings import Settings, StorageOptions
from memkube.telemetry.request_log import RequestLogOptions
from memkube.version import KUBERNETES_VERSION

app = Typer(add_completion=False)
_Issuers = Annotated[
    list[str] | None,
    Option(
        help="Issuer of service account tokens; may be repeated. New tokens name the first; tokens of all are valid."
    ),
]
_SigningKey = Annotated[
    Path | None,
    Option(help="File with the private key that signs service account tokens, in PEM; generated if not given."),
]
_Keys = Annotated[
    list[Path] | None, Option(help="File with keys that verify service account tokens, in PEM; may be repeated.")
]
_Audiences = Annotated[
    str,
    Option(help="Audiences of service account tokens for this server, with commas between them; the issuers if empty."),
]
_Extends = Annotated[Literal["true", "false"], Option(help="Extend the lifetime of tokens that are mounted into pods.")]
_Longest = Annotated[str, Option(help="Maximum lifetime of service account tokens, such as 24h; 0 for no limit.")]
_LIMITS: Final = RequestLimits()
_MaxReads = Annotated[int, Option(min=0, help="Maximum number of concurrent reads; 0 for no limit.")]
_MaxWrites = Annotated[int, Option(min=0, help="Maximum number of concurrent writes; 0 for no limit.")]
_MaxWatches = Annotated[int, Option(min=0, help="Maximum number of open watches; 0 for no limit.")]
_MaxStreams = Annotated[
    int, Option(min=0, help="Maximum number of log, exec, attach and port-forward streams; 0 for no limit.")
]
_ELECTION: Final = ElectionOptions()
_LeaseSeconds = Annotated[
    float,
    Option(
        help="Seconds after which other servers on the same storage replace a leader that has not renewed its lease."
    ),
]
_RenewSeconds = Annotated[float, Option(help="Seconds after which a leader stops trying to renew its lease.")]
_RetrySeconds = Annotated[
    float, Option(help="Seconds between two attempts to acquire or renew the lease of the leader.")
]
_AdvertisedUrl = Annotated[
    str,
    Option(
        help="URL at which other servers on the same storage reach this one; by default the address of this server."
    ),
]
_Slow = Annotated[str, Option(help="Log requests that take longer than this, such as 500ms; 0s for none.")]
_Delay = Annotated[str, Option(help="Time to continue to serve after a signal to stop, such as 10s.")]
_Grace = Annotated[str, Option(help="Time for requests in progress to end after the shutdown delay, such as 60s.")]
_SendRetryAfter = Annotated[
    bool,
    Option(
        "--shutdown-send-retry-after",
        help="While requests in progress are answered, keep listening, and answer new requests with 429.",
    ),
]
_JwksUri = Annotated[
    str, Option(help="URL at which the public keys of service account tokens are published, if not at this server.")
]


@app.command()
def serve(
    host: Annotated[
        str, Option(help="Address to listen on. Other addresses than loopback need TLS and authentication.")
    ] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8080,
    kubeconfig: Annotated[Path | None, Option(help="File to write a kubeconfig of this server into.")] = None,
    controllers: Controllers = "all",
    stages: Stages = False,
    clock: Clock = "",
    start: Start = None,
    seed: Seed = None,
    nodes: Nodes = None,
    zones: Zones = 1,
    node_pools: NodePools = None,
    snapshot: SnapshotFile = None,
    scheduler_config: SchedulerConfig = None,
    scheduler_annotations: SchedulerAnnotations = False,
    tls: Tls = False,
    tls_cert_file: TlsCertFile = None,
    tls_private_key_file: TlsKeyFile = None,
    tls_sni_cert_key: TlsNamedFiles = None,
    insecure: Insecure = False,
    allowed_host: AllowedHosts = None,
    cors_allowed_origins: AllowedOrigins = None,
    token: Token = "",
    token_auth_file: TokenFile = None,
    client_ca_file: ClientCaFile = None,
    requestheader_client_ca_file: ProxyCaFile = None,
    requestheader_allowed_names: ProxyNames = None,
    requestheader_username_headers: UserHeader = None,
    requestheader_uid_headers: UidHeader = None,
    requestheader_group_headers: GroupHeader = None,
    requestheader_extra_headers_prefix: ExtraPrefix = None,
    authentication_config: AuthenticationConfig = None,
    oidc_issuer_url: OidcIssuer = "",
    oidc_client_id: OidcClient = "",
    oidc_ca_file: OidcCaFile = None,
    oidc_username_claim: OidcUserClaim = "sub",
    oidc_username_prefix: OidcUserPrefix = "",
    oidc_groups_claim: OidcGroupsClaim = "",
    oidc_groups_prefix: OidcGroupsPrefix = "",
    oidc_signing_algs: OidcAlgorithms = "RS256",
    oidc_required_claim: OidcRequired = None,
    enable_bootstrap_token_auth: BootstrapTokens = False,
    anonymous_auth: AnonymousAuth = None,
    storage: Storage = "memory",
    durability: Durability = "strict",
    etcd_prefix: EtcdPrefix = "",
    etcd_cafile: EtcdCaFile = None,
    etcd_certfile: EtcdCertFile = None,
    etcd_keyfile: EtcdKeyFile = None,
    enable_admission_plugins: EnabledPlugins = "",
    disable_admission_plugins: DisabledPlugins = "",
    authorization_mode: AuthorizationMode = "AlwaysAllow",
    authorization_config: AuthorizationConfig = None,
    authorization_webhook_config_file: AuthorizationWebhookConfigFile = None,
    authorization_webhook_version: AuthorizationWebhookVersion = "v1beta1",
    authorization_webhook_cache_authorized_ttl: AuthorizationWebhookCacheAuthorizedTtl = "5m0s",
    authorization_webhook_cache_unauthorized_ttl: AuthorizationWebhookCacheUnauthorizedTtl = "30s",
    authentication_token_webhook_config_file: AuthenticationTokenWebhookConfigFile = None,
    authentication_token_webhook_version: AuthenticationTokenWebhookVersion = "v1beta1",
    authentication_token_webhook_cache_ttl: AuthenticationTokenWebhookCacheTtl = "2m0s",
    audit_policy_file: AuditPolicyFile = None,
    audit_log_path: AuditLogPath = "",
    audit_log_format: AuditLogFormat = "json",
    audit_log_maxsize: AuditLogMaxSize = 0,
    audit_log_maxbackup: AuditLogMaxBackup = 0,
    audit_log_maxage: AuditLogMaxAge = 0,
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
    """Run a server until it is interrupted.

    Once the server answers requests, it prints its address, the path of its kubeconfig, and a shell command that makes
    kubectl use the server.

    Example::

        memkube serve --port 0 --nodes 3 --zones 3 --clock stepped
    """
    plugins = (enable_admission_plugins, disable_admission_plugins)
    transport = tls_options(tls, tls_cert_file, tls_private_key_file, tls_sni_cert_key)
    webhook = (
        authorization_webhook_config_file,
        authorization_webhook_version,
        authorization_webhook_cache_authorized_ttl,
        authorization_webhook_cache_unauthorized_ttl,
    )
    modes, authorizers = chosen_authorizers(authorization_config, authorization_mode, webhook)
    # Over TLS, kubectl asks for a user name if its kubeconfig has no credentials.
    required = transport is not None or authorizes(modes)
    headers = (
        requestheader_username_headers,
        requestheader_uid_headers,
        requestheader_group_headers,
        requestheader_extra_headers_prefix,
    )
    proxies = request_header_options(requestheader_client_ca_file, requestheader_allowed_names, headers)
    claims = oidc_username_claim, oidc_username_prefix, oidc_groups_claim, oidc_groups_prefix
    provider = oidc_options(
        oidc_issuer_url, oidc_client_id, oidc_ca_file, claims, oidc_signing_algs, oidc_required_claim
    )
    others = authentication_config, provider, enable_bootstrap_token_auth
    anonymous = None if anonymous_auth is None else anonymous_auth == "true"
    credentials = AuthenticationOptions(
        token,
        token_auth_file,
        client_ca_file,
        proxies,
        *others,
        anonymous,
        token_webhook(
            authentication_token_webhook_config_file,
            authentication_token_webhook_version,
            authentication_token_webhook_cache_ttl,
        ),
    )
    users = checked_credentials(credentials, required=required)

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
        simulated = machines_of(nodes, zones, node_pools, scheduler_profiles(scheduler_config))
        machines = replace(simulated, scheduler_annotations=scheduler_annotations)
        chosen = seeded(settings_of(controllers, clock, machines, plugins, snapshot, kept), start, seed)
        in_flight = RequestLimits(max_requests_inflight, max_mutating_requests_inflight, max_watches, max_streams)
        times = leader_elect_lease_seconds, leader_elect_renew_seconds, leader_elect_retry_seconds
        election = ElectionOptions(*times, url=advertise_url)
        delay, grace = parse_duration(shutdown_delay_duration), parse_duration(shutdown_grace_duration)
        log = RequestLogOptions(slow_seconds=parse_duration(slow_request_threshold))
        shutdown = ShutdownOptions(delay, grace, shutdown_send_retry_after)
        origins = OriginOptions(listed(allowed_host), listed(cors_allowed_origins))
        chosen = replace(
            chosen,
            authorization_modes=modes,
            authorization_webhooks=authorizers,
            origins=origins,
            tls=transport,
            authentication=users,
            insecure=insecure,
            stages=stages,
        )
        audit_bounds = audit_log_maxsize, audit_log_maxbackup, audit_log_maxage
        audit = audit_options(audit_policy_file, audit_log_path, audit_log_format, audit_bounds)
        chosen = replace(chosen, tokens=tokens, in_flight=in_flight, audit=audit)
        return replace(chosen, election=election, shutdown=shutdown, requests=log)

    configure_logging(log_format)
    server = open_server(settings, host, port)
    if verbose:
        log_requests(server.parts.request_log, server.registry.catalog)
    with contextlib.nullcontext(kubeconfig) if kubeconfig else own_kubeconfig() as path:
        write_kubeconfig(path, server.url, users.token, server.authority)

        if not server.run(partial(_announce, server.url, path)):
            sys.exit(1)


def _announce(url: str, kubeconfig: Path) -> None:
    lines = (
        f"memkube serves Kubernetes {KUBERNETES_VERSION.rpartition('.')[0]} at {url}",
        f"kubeconfig: {kubeconfig}",
        f"export KUBECONFIG={kubeconfig}",
    )
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
