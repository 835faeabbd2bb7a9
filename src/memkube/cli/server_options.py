"""Options of commands that start a server; `cluster.options.settings_of` turns them into settings."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Option

from memkube.admission.available import DEFAULT_PLUGINS, PLUGINS
from memkube.auth.authentication.options import OidcOptions
from memkube.auth.authentication.request_headers import RequestHeaderOptions
from memkube.endpoints.auditing.options import AuditOptions
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.serving_certificate import CertificateFiles, TlsOptions
from memkube.server.settings import Settings

Controllers: TypeAlias = Annotated[
    str, Option(help="Controllers to run: all, none, names with commas between them, or all,-NAME.")
]
Stages: TypeAlias = Annotated[bool, Option("--stages", help="Serve the kind Stage of KWOK from the start.")]
Nodes: TypeAlias = Annotated[
    int | None,
    Option(
        show_default=False,
        help="Number of simulated nodes outside of pools; by default 1, or 0 if --node-pools is given.",
    ),
]
NodePools: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", help="YAML file with pools of simulated nodes: their labels, taints, zones and capacity."),
]
Zones: TypeAlias = Annotated[int, Option(help="Number of zones that the nodes are spread over.")]
SchedulerConfig: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", help="KubeSchedulerConfiguration with the profiles of the scheduler and their plugins."),
]
_OTHER_PLUGINS = ", ".join(name for name in PLUGINS if name not in DEFAULT_PLUGINS)
EnabledPlugins: TypeAlias = Annotated[
    str, Option(help=f"Admission plugins to enable, with commas between them: {_OTHER_PLUGINS}.")
]
DisabledPlugins: TypeAlias = Annotated[
    str,
    Option(help=f"Admission plugins to disable, with commas between them: {', '.join(DEFAULT_PLUGINS)}."),
]
Token: TypeAlias = Annotated[
    str,
    Option(
        envvar="MEMKUBE_TOKEN",
        show_default=False,
        help="Bearer token of an administrator in the group system:masters. Credentials are checked if it is given.",
    ),
]
TokenFile: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", help='CSV file of bearer tokens: token,user,uid,"group1,group2". Credentials are checked.'),
]
Tls: TypeAlias = Annotated[bool, Option("--tls", help="Serve over TLS, with a certificate that is made at the start.")]
TlsCertFile: TypeAlias = Annotated[
    Path | None, Option(metavar="FILE", help="PEM file with the certificate of the server. Serves over TLS.")
]
TlsKeyFile: TypeAlias = Annotated[
    Path | None, Option(metavar="FILE", help="PEM file with the private key of the certificate.")
]
ClientCaFile: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="PEM file of authorities. A client with a certificate of one of them is the user that the certificate "
        "names. Needs TLS. Credentials are checked.",
    ),
]
ProxyCaFile: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="PEM file of authorities. A client with a certificate of one of them is an authenticating proxy, which "
        "names the user of a request in headers. Needs TLS. Credentials are checked.",
    ),
]
ProxyNames: TypeAlias = Annotated[
    list[str] | None,
    Option(
        help="Common names of the certificates of authenticating proxies; all names if not given. "
        "Commas separate names; the option may be repeated, like the options for headers of proxies."
    ),
]
UserHeader: TypeAlias = Annotated[
    list[str] | None, Option(help="Headers in which proxies give the user's name, such as X-Remote-User.")
]
UidHeader: TypeAlias = Annotated[
    list[str] | None, Option(help="Headers in which proxies give the user's uid, such as X-Remote-Uid.")
]
GroupHeader: TypeAlias = Annotated[
    list[str] | None, Option(help="Headers in which proxies give the user's groups, such as X-Remote-Group.")
]
ExtraPrefix: TypeAlias = Annotated[
    list[str] | None, Option(help="Prefixes of headers with the user's extra values, such as X-Remote-Extra-.")
]
TlsNamedFiles: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="CERTIFICATE,KEY[:NAME,…]",
        help="PEM files of a certificate and its private key, for clients that ask for one of the host names, or for "
        "those in the certificate; may be repeated. Serves over TLS.",
    ),
]
Insecure: TypeAlias = Annotated[
    bool,
    Option(
        "--insecure", help="Let every machine that reaches the address use the server, even without TLS or credentials."
    ),
]
AllowedHosts: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="NAME",
        help="Further host name under which clients reach the server, such as api.example.com or *.example.com; may be "
        "repeated. Requests with other host names are refused, except addresses and names without a dot.",
    ),
]
AllowedOrigins: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="PATTERN",
        help="Patterns of the origins of web pages that may use the server, such as '//example\\.com(:|$)'. Requests "
        "of other origins are refused.",
    ),
]
AnonymousAuth: TypeAlias = Annotated[
    Literal["true", "false"] | None,
    Option(help="Accept requests without credentials, as system:anonymous. Credentials are checked if it is given."),
]
AuthorizationMode: TypeAlias = Annotated[
    str,
    Option(
        help="Modes of authorization, with commas between them, asked in this order: AlwaysAllow, AlwaysDeny, Node, "
        "RBAC, Webhook."
    ),
]
AuthenticationConfig: TypeAlias = Annotated[
    Path | None, Option(help="YAML file with an AuthenticationConfiguration of OpenID Connect providers.")
]
OidcIssuer: TypeAlias = Annotated[str, Option(help="URL of an OpenID Connect provider whose tokens are accepted.")]
OidcClient: TypeAlias = Annotated[str, Option(help="Audience that tokens of the provider must have.")]
OidcCaFile: TypeAlias = Annotated[
    Path | None, Option(help="File with the CA certificates that the provider's certificate is verified with, in PEM.")
]
OidcUserClaim: TypeAlias = Annotated[str, Option(help="Claim with the user name.")]
OidcUserPrefix: TypeAlias = Annotated[
    str, Option(help="Prefix of user names, or - for none; by default the provider's URL and #, but none for email.")
]
OidcGroupsClaim: TypeAlias = Annotated[str, Option(help="Claim with the groups of the user.")]
OidcGroupsPrefix: TypeAlias = Annotated[str, Option(help="Prefix of the groups.")]
OidcAlgorithms: TypeAlias = Annotated[
    str, Option(help="Algorithms that tokens may be signed with, with commas between them.")
]
OidcRequired: TypeAlias = Annotated[
    list[str] | None, Option(metavar="CLAIM=VALUE", help="Claim that tokens must have; may be repeated.")
]
BootstrapTokens: TypeAlias = Annotated[
    bool, Option(help="Accept Secrets of type bootstrap.kubernetes.io/token in kube-system as tokens.")
]
AuditPolicyFile: TypeAlias = Annotated[
    Path | None, Option(help="YAML file with the audit policy, which says what the audit log records.")
]
AuditLogPath: TypeAlias = Annotated[
    str, Option(help="File of the audit log, or - for the standard output. It needs an audit policy.")
]
AuditLogFormat: TypeAlias = Annotated[
    Literal["json", "legacy"], Option(help="Form of a line of the audit log: JSON, or text.")
]
AuditLogMaxSize: TypeAlias = Annotated[
    int, Option(min=0, help="Megabytes at which the audit log is renamed and a new file begun; 0 for never.")
]
AuditLogMaxBackup: TypeAlias = Annotated[
    int, Option(min=0, help="Maximum number of renamed audit logs that are kept; 0 for all.")
]
AuditLogMaxAge: TypeAlias = Annotated[
    int, Option(min=0, help="Days after which renamed audit logs are deleted; 0 for never.")
]
Clock: TypeAlias = Annotated[
    str,
    Option(help="Clock: real, stepped, or x60 for sixty times as fast; by default that of the snapshot, else real."),
]
Start: TypeAlias = Annotated[
    datetime | None,
    Option(
        formats=("%Y-%m-%dT%H:%M:%SZ",),
        help="Time in UTC at which a stepped or scaled clock starts, such as 2026-01-05T08:00:00Z; by default now.",
    ),
]
SchedulerAnnotations: TypeAlias = Annotated[
    bool, Option(help="Let the scheduler write its results into annotations of pods, like kube-scheduler-simulator.")
]
Seed: TypeAlias = Annotated[
    int | None,
    Option(help="Seed of random values such as uids and name suffixes, which are then the same in each run."),
]
SnapshotFile: TypeAlias = Annotated[
    Path | None,
    Option(
        "--snapshot", metavar="FILE", help="Snapshot file with the initial state of the server, including its nodes."
    ),
]

Storage: TypeAlias = Annotated[
    str,
    Option(help="Storage: memory; or sqlite:PATH or etcd:http://HOST:PORT,… for objects that outlive the server."),
]
EtcdPrefix: TypeAlias = Annotated[str, Option(help="Prefix of all keys in etcd; /registry if empty.")]
EtcdCaFile: TypeAlias = Annotated[Path | None, Option(help="File with the CA certificates of etcd, in PEM.")]
EtcdCertFile: TypeAlias = Annotated[Path | None, Option(help="File with the client certificate for etcd, in PEM.")]
EtcdKeyFile: TypeAlias = Annotated[Path | None, Option(help="File with the key of the client certificate, in PEM.")]
Durability: TypeAlias = Annotated[
    str,
    Option(
        help="strict: flush each write to disk before answering it; relaxed: let the operating system flush it later."
    ),
]


def open_server(settings: Callable[[], Settings], host: str = "127.0.0.1", port: int = 0) -> Server:
    """Return a server that listens on a socket. Raises ServerError if it cannot start or an option is invalid."""
    try:
        return Server(settings(), host, port)
    except ValueError as error:
        raise ServerError(str(error)) from None


def tls_options(
    chosen: bool, certificate_file: Path | None, key_file: Path | None, named: Sequence[str] | None
) -> TlsOptions | None:
    """Return the options of TLS; None to serve plain HTTP. Raises ServerError if an option is malformed."""
    if not chosen and certificate_file is None and key_file is None and not named:
        return None
    try:
        return TlsOptions(certificate_file, key_file, tuple(CertificateFiles.of(text) for text in named or ()))
    except ValueError as error:
        raise ServerError(str(error)) from None


def request_header_options(
    ca_file: Path | None, allowed_names: Sequence[str] | None, headers: Sequence[Sequence[str] | None]
) -> RequestHeaderOptions | None:
    """Return the options of authenticating proxies; None to trust no proxy.

    `headers` are those for the name, the uid and the groups of the user, and the prefixes of those for extra values.
    """
    if ca_file is None:
        return None
    return RequestHeaderOptions(ca_file, listed(allowed_names), *map(listed, headers))


def oidc_options(
    issuer: str,
    client: str,
    ca_file: Path | None,
    claims: tuple[str, str, str, str],
    algorithms: str,
    required: Sequence[str] | None,
) -> OidcOptions | None:
    """Return the options of an OpenID Connect provider; None for none. Raises ServerError for incomplete options.

    `claims` are the claim and the prefix of the user name, and those of the groups.
    """
    if not issuer and not client:
        return None
    if not issuer or not client:
        raise ServerError("--oidc-issuer-url and --oidc-client-id must be specified together")
    pairs = []
    for text in required or ():
        claim, sign, value = text.partition("=")
        if not sign:
            raise ServerError(f"--oidc-required-claim {text} is not of the form CLAIM=VALUE")
        pairs.append((claim, value))
    return OidcOptions(issuer, client, ca_file, *claims, tuple(algorithms.split(",")), tuple(pairs))


def audit_options(policy_file: Path | None, path: str, form: str, bounds: Sequence[int]) -> AuditOptions | None:
    """Return the options of the audit log; None for none. Raises ValueError if only one of file and policy is given.

    `bounds` are the size of a file in megabytes, the number of renamed files and their age in days.
    """
    if policy_file is None and not path:
        return None
    if policy_file is None or not path:
        raise ValueError("--audit-log-path and --audit-policy-file need each other")
    return AuditOptions(policy_file, path, form, *bounds)


def listed(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the values of an option that may be repeated, and may have commas between values."""
    return tuple(word for text in texts or () for word in text.split(","))


@contextlib.contextmanager
def own_kubeconfig() -> Iterator[Path]:
    """Provide a path for a kubeconfig in a new folder that only this user can write to, deleted after the block."""
    with tempfile.TemporaryDirectory(prefix="memkube-") as folder:
        yield Path(folder) / "kubeconfig"
