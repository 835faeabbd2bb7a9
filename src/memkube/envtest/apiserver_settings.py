"""Conversion of kube-apiserver's flags into the settings of a server (``cmd/kube-apiserver/app/options``)."""

from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network
from pathlib import Path
from typing import Final, NamedTuple

from memkube.admission.available import selected_plugins
from memkube.apimachinery.duration import parse_duration
from memkube.apis.authentication.v1.tokens.options import TokenOptions
from memkube.apis.catalog import served_resources
from memkube.auth.authentication.options import AuthenticationOptions, OidcOptions
from memkube.auth.authentication.request_headers import RequestHeaderOptions
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.auth.authorization.modes import ALWAYS_ALLOW, selected_authorizers
from memkube.auth.authorization.webhook.options import VERSIONS, ConfiguredAuthorizers, WebhookOptions
from memkube.endpoints.auditing.options import AuditOptions, AuditWebhookOptions
from memkube.endpoints.filters.limits import RequestLimits
from memkube.endpoints.filters.origins import OriginOptions
from memkube.envtest.feature_gates import gate_errors
from memkube.envtest.flags import FlagError, Values, refusals
from memkube.envtest.runtime_config import runtime_config_errors
from memkube.http.options import ConnectionLimits, ShutdownOptions
from memkube.server.service_network import SERVICE_RANGE
from memkube.server.serving_certificate import CertificateFiles, TlsOptions, created_pair
from memkube.server.settings import Settings
from memkube.version import KUBERNETES_VERSION

_CERTIFICATES: Final = "/var/run/kubernetes"
_PAIR: Final = ("apiserver.crt", "apiserver.key")
_SECURE_PORT: Final = 6443
_LAST_PORT: Final = 65535
_SMALLEST_RANGE: Final = 8
_GRACE_SECONDS: Final = 15.0
"""Seconds that open requests may take after SIGTERM. It is short because suites kill the server after 20 seconds."""
_NOT_DONE: Final = {
    "proxy-client-cert-file": "calls to other servers are made without this certificate",
}
"""Flags that are accepted without effect, each with a description of the effect that memkube does not have."""
_FLAGS_OF_AUTHORIZERS: Final = frozenset(
    {
        "authorization-mode",
        "authorization-webhook-cache-authorized-ttl",
        "authorization-webhook-cache-unauthorized-ttl",
        "authorization-webhook-config-file",
        "authorization-webhook-version",
    }
)
"""Flags that a file with an AuthorizationConfiguration replaces."""


class ServerOptions(NamedTuple):
    """What kube-apiserver's flags say: the settings of a server, its address, and notes about ignored flags."""

    settings: Settings
    host: str
    port: int
    notes: tuple[str, ...]
    """Lines to print on stderr about flags that were accepted without effect."""


def server_options(values: Values) -> ServerOptions:
    """Return the settings and the address of a server for `values`, the flags of kube-apiserver.

    Generates the server's certificate if the certificate directory has none. Raises FlagError if flags are invalid or
    not supported by memkube, with one line that names them all.
    """
    errors = [*refusals(values), *_invalid(values)]
    settings = None if errors else _settings(values, errors)
    if settings is None or errors:
        raise FlagError(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
    host = values.text("bind-address") or "0.0.0.0"  # noqa: S104  kube-apiserver's default
    return ServerOptions(settings, host, values.number("secure-port", _SECURE_PORT), tuple(_notes(values)))


def _settings(values: Values, errors: list[str]) -> Settings | None:
    """Return the settings of a server for `values`, the flags of kube-apiserver.

    If a value is invalid, append an error to `errors` and return None.
    """
    try:
        authorizers = _authorizers(values)
        return Settings(
            controllers=(),
            admission_plugins=_plugins(values),
            authorizers=authorizers,
            authentication=AuthenticationOptions(
                token_file=_path(values, "token-auth-file"),
                client_ca_file=_path(values, "client-ca-file"),
                request_headers=_request_headers(values),
                configuration_file=_path(values, "authentication-config"),
                oidc=_oidc(values),
                bootstrap_tokens=values.is_on("enable-bootstrap-token-auth"),
                anonymous=_anonymous(values, authorizers),
                token_webhook=_token_webhook(values),
            ),
            # Like kube-apiserver, accept requests with any Host header.
            origins=OriginOptions(("*",), tuple(values.items("cors-allowed-origins"))),
            tokens=_tokens(values),
            tls=_tls(values),
            audit=_audit(values),
            connections=ConnectionLimits(request_seconds=_seconds(values, "request-timeout", "1m")),
            shutdown=ShutdownOptions(
                _seconds(values, "shutdown-delay-duration", "0s"),
                _GRACE_SECONDS,
                values.is_on("shutdown-send-retry-after"),
            ),
            in_flight=RequestLimits(
                values.number("max-requests-inflight", RequestLimits().reads),
                values.number("max-mutating-requests-inflight", RequestLimits().writes),
            ),
            service_range=_service_range(values),
            advertise_address=values.text("advertise-address"),
            reported_version=_reported_version(values),
        )
    except (OSError, ValueError) as error:
        errors.append(str(error))
        return None


def _reported_version(values: Values) -> str:
    version = values.text("version")
    return version if version.startswith("v") else f"v{KUBERNETES_VERSION}"


def _invalid(values: Values) -> Iterator[str]:
    """Yield kube-apiserver's error messages about missing flags and malformed values."""
    for name in ("max-requests-inflight", "max-mutating-requests-inflight"):
        if values.number(name, 0) < 0:
            yield f"--{name} can not be negative value"
    if not values.items("etcd-servers"):
        yield "--etcd-servers must be specified"
    port = values.number("secure-port", _SECURE_PORT)
    if not 1 <= port <= _LAST_PORT:
        yield f"--secure-port {port} must be between 1 and 65535, inclusive. It cannot be turned off with 0"
    if not values.all("service-account-issuer"):
        yield "service-account-issuer is a required flag"
    if not values.all("service-account-key-file"):
        yield "either `--service-account-key-file` or `--service-account-signing-endpoint` must be set"
    if not values.text("service-account-signing-key-file"):
        yield "--service-account-signing-key-file and --service-account-issuer are required flags"
    yield from gate_errors(values.all("feature-gates"))
    if given := values.all("runtime-config"):
        yield from runtime_config_errors(given, _served_versions())


def _served_versions() -> dict[str, frozenset[str]]:
    versions: dict[str, set[str]] = {}
    for resource in served_resources():
        versions.setdefault(resource.group, set()).add(resource.version)
    return {group: frozenset(found) for group, found in versions.items()}


def _plugins(values: Values) -> tuple[str, ...]:
    enabled, disabled = (",".join(values.items(f"{way}-admission-plugins")) for way in ("enable", "disable"))
    return selected_plugins(enabled, disabled, have_accounts=True)


def _authorizers(values: Values) -> ConfiguredAuthorizers:
    file = _path(values, "authorization-config")
    if file is not None and any(flag.name in _FLAGS_OF_AUTHORIZERS for flag, _ in values.given()):
        flags = "--authorization-mode or --authorization-webhook-* flags are defined"
        raise ValueError(f"--authorization-config can not be specified when {flags}")
    modes = ",".join(values.items("authorization-mode") or [ALWAYS_ALLOW])
    return selected_authorizers(modes, _authorization_webhook(values), file)


def _anonymous(values: Values, authorizers: ConfiguredAuthorizers) -> bool | None:
    """Return True if the flags and the server's authorizers allow requests of the anonymous user.

    Return None if no flag decides it, but the authentication configuration file may.
    """
    if values.text("authentication-config") and not values.text("anonymous-auth"):
        return None
    return values.is_on("anonymous-auth", default=True) and authorizers.allow_anonymous


def _authorization_webhook(values: Values) -> WebhookOptions | None:
    """Return the options of the webhook that authorizes requests; None if its kubeconfig is not given."""
    kubeconfig = _path(values, "authorization-webhook-config-file")
    if kubeconfig is None:
        return None
    authorized = _seconds(values, "authorization-webhook-cache-authorized-ttl", "5m")
    unauthorized = _seconds(values, "authorization-webhook-cache-unauthorized-ttl", "30s")
    return WebhookOptions(kubeconfig, _review_version(values, "authorization"), authorized, unauthorized)


def _token_webhook(values: Values) -> TokenWebhookOptions | None:
    """Return the options of the webhook that authenticates tokens; None if its kubeconfig is not given."""
    kubeconfig = _path(values, "authentication-token-webhook-config-file")
    if kubeconfig is None:
        return None
    seconds = _seconds(values, "authentication-token-webhook-cache-ttl", "2m")
    return TokenWebhookOptions(kubeconfig, _review_version(values, "authentication-token"), seconds)


def _review_version(values: Values, webhook: str) -> str:
    name = f"{webhook}-webhook-version"
    version = values.text(name) or "v1beta1"
    if version not in VERSIONS:
        raise ValueError(f"--{name} must be v1 or v1beta1, not {version}")
    return version


def _tokens(values: Values) -> TokenOptions:
    return TokenOptions(
        issuers=tuple(values.all("service-account-issuer")),
        api_audiences=tuple(values.items("api-audiences")),
        signing_key_file=Path(values.text("service-account-signing-key-file")),
        key_files=tuple(map(Path, values.all("service-account-key-file"))),
        extend_expiration=values.is_on("service-account-extend-token-expiration", default=True),
        max_expiration=int(_seconds(values, "service-account-max-token-expiration", "0s")),
        jwks_uri=values.text("service-account-jwks-uri"),
    )


def _request_headers(values: Values) -> RequestHeaderOptions | None:
    """Return the options of authenticating proxies; None if no proxy is trusted."""
    ca_file = _path(values, "requestheader-client-ca-file")
    if ca_file is None:
        return None
    names = ("allowed-names", "username-headers", "uid-headers", "group-headers", "extra-headers-prefix")
    return RequestHeaderOptions(ca_file, *(tuple(values.items(f"requestheader-{name}")) for name in names))


def _oidc(values: Values) -> OidcOptions | None:
    """Return the options of the OpenID Connect provider; None if no provider is given.

    Raises ValueError if only some of the required options are given.
    """
    issuer, client = values.text("oidc-issuer-url"), values.text("oidc-client-id")
    if not any(flag.name.startswith("oidc-") and value for flag, value in values.given()):
        return None
    if not issuer or not client:
        raise ValueError("oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set")
    return OidcOptions(
        issuer,
        client,
        _path(values, "oidc-ca-file"),
        values.text("oidc-username-claim", "sub"),
        values.text("oidc-username-prefix"),
        values.text("oidc-groups-claim"),
        values.text("oidc-groups-prefix"),
        tuple(values.items("oidc-signing-algs")) or ("RS256",),
        tuple(_pair(text) for text in values.items("oidc-required-claim")),
    )


def _pair(text: str) -> tuple[str, str]:
    claim, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"malformed pair, expect string=string: {text}")
    return claim.strip(), value.strip()


def _audit(values: Values) -> AuditOptions | None:
    """Return the options of the audit log. As in kube-apiserver, there is no audit log without a policy."""
    policy_file, path = _path(values, "audit-policy-file"), values.text("audit-log-path")
    kubeconfig = _path(values, "audit-webhook-config-file")
    if policy_file is None or not (path or kubeconfig):
        return None
    form = values.text("audit-log-format", "json")
    bounds = ("audit-log-maxsize", 100), ("audit-log-maxbackup", 100), ("audit-log-maxage", 366)
    size, backups, age = (values.number(name, default) for name, default in bounds)
    return AuditOptions(policy_file, path, form, size, backups, age, _audit_webhook(values, kubeconfig))


def _audit_webhook(values: Values, kubeconfig: Path | None) -> AuditWebhookOptions | None:
    if kubeconfig is None:
        return None
    return AuditWebhookOptions(
        kubeconfig,
        values.number("audit-webhook-batch-buffer-size", 10_000),
        values.number("audit-webhook-batch-max-size", 400),
        _seconds(values, "audit-webhook-batch-max-wait", "30s"),
        _seconds(values, "audit-webhook-initial-backoff", "10s"),
    )


def _tls(values: Values) -> TlsOptions:
    """Return the paths of the server's certificate and key.

    They are generated if ``--cert-dir`` does not contain them.
    """
    given = _path(values, "tls-cert-file"), _path(values, "tls-private-key-file")
    named = tuple(map(CertificateFiles.of, values.all("tls-sni-cert-key")))
    if any(given):
        return TlsOptions(*given, named)
    folder = Path(values.text("cert-dir", _CERTIFICATES))
    certificate, key = (folder / name for name in _PAIR)
    if not certificate.exists() and not key.exists():
        folder.mkdir(parents=True, exist_ok=True)
        pair, authority = created_pair([values.text("bind-address") or "localhost"])
        certificate.write_bytes(pair.certificate + authority)
        key.touch(mode=0o600)
        key.write_bytes(pair.key)
    for path in (certificate, key):
        if not path.exists():
            raise ValueError(f"error reading {path}, certificate and key must be supplied as a pair")
    return TlsOptions(certificate, key, named)


def _service_range(values: Values) -> str:
    """Return the range of cluster IPs.

    Raises ValueError unless the flag is one IPv4 range of at least eight addresses.
    """
    ranges = values.items("service-cluster-ip-range") or [SERVICE_RANGE]
    if len(ranges) > 1:
        raise ValueError(
            "memkube does not support two ranges in --service-cluster-ip-range: its clusters have a single IP family"
        )
    try:
        network = ip_network(ranges[0], strict=False)
    except ValueError:
        raise ValueError("service-cluster-ip-range[0] is not a valid cidr") from None
    if not isinstance(network, IPv4Network):
        raise ValueError("memkube does not support IPv6 in --service-cluster-ip-range")
    if network.num_addresses < _SMALLEST_RANGE:
        raise ValueError(f"the service cluster IP range must be at least {_SMALLEST_RANGE} IP addresses")
    return str(network)


def _notes(values: Values) -> Iterator[str]:
    for flag, value in values.given():
        if flag.name in _NOT_DONE and value not in ("", "false"):
            yield f"--{flag.name}: {_NOT_DONE[flag.name]}"
    if not values.is_on("allow-privileged"):
        yield "--allow-privileged is not given, but privileged containers are allowed"


def _path(values: Values, name: str) -> Path | None:
    text = values.text(name)
    return Path(text) if text else None


def _seconds(values: Values, name: str, default: str) -> float:
    return parse_duration(values.text(name) or default)
