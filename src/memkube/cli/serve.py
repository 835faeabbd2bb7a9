"""``memkube serve``: a server that runs until it is interrupted."""

import contextlib
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from memkube.auth.authentication.options import checked_credentials
from memkube.auth.authorization.modes import authorizes
from memkube.cli.access import log_requests, verbose_option
from memkube.cli.commands import PATH, PORT, Command
from memkube.cli.logs import configure_logging, log_format_option
from memkube.cli.options.account_tokens import AccountTokenOptions
from memkube.cli.options.audit_log import AuditLogOptions
from memkube.cli.options.authentication import CredentialOptions, OpenIdOptions, ProxyOptions, TokenWebhookFlags
from memkube.cli.options.authorization import AuthorizationOptions
from memkube.cli.options.cluster import ClusterOptions
from memkube.cli.options.groups import option_group
from memkube.cli.options.operation import LeaderElectionOptions, LimitOptions, StopOptions
from memkube.cli.options.signing import SigningOptions
from memkube.cli.options.storage import EngineOptions, EtcdOptions
from memkube.cli.options.transport import TransportOptions
from memkube.cli.server import open_server, own_kubeconfig
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.settings import Settings
from memkube.version import KUBERNETES_VERSION


@click.command(cls=Command)
@click.option(
    "--host",
    default="127.0.0.1",
    help="Address to listen on. Other addresses than loopback need TLS and authentication.",
)
@click.option("--port", type=PORT, default=8080, help="Port to listen on; 0 selects a free port.")
@click.option("--kubeconfig", type=PATH, help="File to write a kubeconfig of this server into.")
@option_group(ClusterOptions, "cluster")
@option_group(TransportOptions, "transport")
@option_group(CredentialOptions, "credentials")
@option_group(ProxyOptions, "proxies")
@option_group(OpenIdOptions, "providers")
@option_group(TokenWebhookFlags, "token_webhook")
@option_group(AuthorizationOptions, "authorization")
@option_group(EngineOptions, "engine")
@option_group(EtcdOptions, "etcd")
@option_group(AuditLogOptions, "audit_log")
@log_format_option
@verbose_option
@option_group(AccountTokenOptions, "account_tokens")
@option_group(SigningOptions, "signing")
@option_group(LimitOptions, "limits")
@option_group(LeaderElectionOptions, "leader_election")
@option_group(StopOptions, "stop")
def serve(
    host: str,
    port: int,
    kubeconfig: Path | None,
    cluster: ClusterOptions,
    transport: TransportOptions,
    credentials: CredentialOptions,
    proxies: ProxyOptions,
    providers: OpenIdOptions,
    token_webhook: TokenWebhookFlags,
    authorization: AuthorizationOptions,
    engine: EngineOptions,
    etcd: EtcdOptions,
    audit_log: AuditLogOptions,
    log_format: str,
    verbose: bool,
    account_tokens: AccountTokenOptions,
    signing: SigningOptions,
    limits: LimitOptions,
    leader_election: LeaderElectionOptions,
    stop: StopOptions,
) -> None:
    """Run a server until it is interrupted.

    Once the server answers requests, it prints its address, the path of its kubeconfig, and a shell command that makes
    kubectl use the server.

    Example::

        memkube serve --port 0 --nodes 3 --zones 3 --clock stepped
    """
    tls, authorizers = transport.certificates(), authorization.authorizers()
    # A server with TLS requires credentials: without any in its kubeconfig, kubectl would ask for a user name.
    required = tls is not None or authorizes(authorizers.modes)
    users = checked_credentials(credentials.authentication(proxies, providers, token_webhook), required=required)

    def settings() -> Settings:
        chosen = cluster.settings(engine.settings(etcd.given()))
        return replace(
            chosen,
            controller_options=replace(chosen.controller_options, signing_files=signing.files()),
            authorizers=authorizers,
            authentication=users,
            tls=tls,
            origins=transport.origins(),
            insecure=transport.insecure,
            tokens=account_tokens.tokens(),
            audit=audit_log.log(),
            in_flight=limits.limits(),
            requests=limits.request_log(),
            election=leader_election.election(),
            shutdown=stop.shutdown(),
        )

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
        f"export KUBECONFIG={shlex.quote(str(kubeconfig.resolve()))}",
    )
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
