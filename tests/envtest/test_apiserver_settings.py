"""Conversion of kube-apiserver's flags into the settings of a server, and refused flags."""

import shutil
from pathlib import Path

import httpx
import pytest

from memkube.envtest.apiserver_flags import FLAGS, SHORTHANDS
from memkube.envtest.apiserver_settings import ServerOptions, server_options
from memkube.envtest.flags import FlagError, parse_pflags
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.version import KUBERNETES_VERSION
from tests.auth.certificates import Authority

REQUIRED = ("--etcd-servers=http://127.0.0.1:2379", "--service-account-issuer=https://localhost")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a key for tokens and a serving certificate."""
    Authority.created("tokens").own.written(tmp_path, "sa")
    Authority.created("serving").own.written(tmp_path, "apiserver")
    return tmp_path


def options(folder: Path, *arguments: str) -> ServerOptions:
    files = (f"--service-account-key-file={folder}/sa.crt", f"--service-account-signing-key-file={folder}/sa.key")
    given = [*REQUIRED, *files, f"--cert-dir={folder}", "--allow-privileged", *arguments]
    return server_options(parse_pflags(FLAGS, given, SHORTHANDS))


def refusal(folder: Path, *arguments: str) -> str:
    with pytest.raises(FlagError) as refused:
        options(folder, *arguments)
    return str(refused.value)


def test_flags_become_settings(folder: Path) -> None:
    found = options(
        folder,
        "--secure-port=1234",
        "--bind-address=127.0.0.1",
        "--authorization-mode=Node,RBAC",
        "--max-requests-inflight=0",
        "--service-cluster-ip-range=10.96.0.9/16",
        "--advertise-address=192.0.2.1",
        "--request-timeout=5s",
    )
    settings = found.settings
    assert (found.host, found.port) == ("127.0.0.1", 1234)
    assert settings.authorizers.modes == ("Node", "RBAC")
    assert (settings.in_flight.reads, settings.in_flight.writes) == (0, 200)
    assert (settings.service_range, settings.advertise_address) == ("10.96.0.0/16", "192.0.2.1")
    assert (settings.connections.request_seconds, settings.controllers) == (5, ())
    assert found.notes == ()


def test_flags_name_providers_proxies_and_the_audit_log(folder: Path) -> None:
    settings = options(
        folder,
        "--oidc-issuer-url=https://issuer",
        "--oidc-client-id=client",
        "--oidc-required-claim=a=b,c=d",
        f"--requestheader-client-ca-file={folder}/sa.crt",
        "--requestheader-username-headers=X-Remote-User,X-Other",
        "--enable-bootstrap-token-auth",
        "--audit-policy-file=policy.yaml",
        "--audit-log-path=-",
        "--audit-log-maxage=1",
    ).settings
    oidc, proxies, audit = settings.authentication.oidc, settings.authentication.request_headers, settings.audit
    assert oidc is not None
    assert (oidc.issuer_url, oidc.required_claims) == ("https://issuer", (("a", "b"), ("c", "d")))
    assert proxies is not None
    assert proxies.username_headers == ("X-Remote-User", "X-Other")
    assert settings.authentication.bootstrap_tokens
    assert audit is not None
    assert (audit.path, audit.max_megabytes, audit.max_age_days) == ("-", 100, 1)


@pytest.mark.parametrize("is_anonymous", [True, False])
def test_a_configuration_file_decides_about_anonymous_clients(folder: Path, is_anonymous: bool) -> None:
    file = folder / "authentication.yaml"
    head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"
    file.write_text(f"{head}anonymous: {{enabled: {str(is_anonymous).lower()}}}\n")
    found = options(folder, "--authorization-mode=RBAC", f"--authentication-config={file}")
    with Server(found.settings).in_thread() as server:
        answered = httpx.get(f"{server.url}/healthz", verify=False, trust_env=False)
    assert answered.status_code == (200 if is_anonymous else 401)


def test_a_configuration_file_lists_the_authorizers(folder: Path) -> None:
    file = folder / "authorization.yaml"
    head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n"
    file.write_text(f"{head}authorizers: [{{type: Node, name: node}}, {{type: RBAC, name: rbac}}]\n")
    settings = options(folder, f"--authorization-config={file}").settings
    assert (settings.authorizers.modes, settings.authorizers.file) == (("Node", "RBAC"), file)


@pytest.mark.parametrize(
    "flag",
    [
        "--authorization-mode=RBAC",
        "--authorization-webhook-cache-authorized-ttl=5m",
        "--authorization-webhook-version=v1",
    ],
)
def test_a_configuration_file_replaces_the_flags_of_authorizers(folder: Path, flag: str) -> None:
    assert refusal(folder, "--authorization-config=authorization.yaml", flag) == (
        "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are "
        "defined"
    )


def test_flags_name_webhooks_and_origins(folder: Path) -> None:
    settings = options(
        folder,
        "--authorization-mode=RBAC,Webhook",
        "--authorization-webhook-config-file=authorizer.yaml",
        "--authorization-webhook-cache-unauthorized-ttl=1s",
        "--authentication-token-webhook-config-file=tokens.yaml",
        "--authentication-token-webhook-version=v1",
        "--cors-allowed-origins=^https://example\\.com$",
    ).settings
    (authorizer,), tokens = settings.authorizers.webhooks, settings.authentication.token_webhook
    assert (authorizer.kubeconfig, authorizer.version) == (Path("authorizer.yaml"), "v1beta1")
    assert (authorizer.authorized_seconds, authorizer.unauthorized_seconds) == (300, 1)
    assert tokens is not None
    assert (tokens.kubeconfig, tokens.version, tokens.cache_seconds) == (Path("tokens.yaml"), "v1", 120)
    assert settings.origins.cors_allowed_origins == ("^https://example\\.com$",)


def test_the_reported_version_may_have_a_suffix(folder: Path) -> None:
    found = options(folder, "--authorization-mode=RBAC", f"--version=v{KUBERNETES_VERSION}-custom")
    with Server(found.settings).in_thread() as server:
        told = httpx.get(f"{server.url}/version", verify=False, trust_env=False).json()
    assert told["gitVersion"] == f"v{KUBERNETES_VERSION}-custom"


def test_there_is_no_audit_log_without_a_policy(folder: Path) -> None:
    assert options(folder, "--audit-log-path=-").settings.audit is None


@pytest.mark.parametrize(
    ("modes", "flag", "anonymous"),
    [
        ("RBAC", "", True),
        ("RBAC", "--anonymous-auth=false", False),
        ("AlwaysAllow", "--anonymous-auth=true", False),
        ("RBAC,AlwaysAllow", "--anonymous-auth=true", False),
    ],
)
def test_anonymous_clients_need_an_authorizer(folder: Path, modes: str, flag: str, anonymous: bool) -> None:
    given = [flag] if flag else []
    assert options(folder, f"--authorization-mode={modes}", *given).settings.authentication.anonymous is anonymous


def test_the_plugin_for_service_accounts_runs_unless_it_is_disabled(folder: Path) -> None:
    assert "ServiceAccount" in options(folder).settings.plugins
    disabled = options(folder, "--disable-admission-plugins=ServiceAccount,PodSecurity").settings.plugins
    assert not {"ServiceAccount", "PodSecurity"} & {*disabled}


def test_the_certificate_is_made_if_the_folder_has_none(folder: Path) -> None:
    made = folder / "made"
    tls = options(folder, f"--cert-dir={made}").settings.tls
    assert tls is not None
    assert tls.certificate_file == made / "apiserver.crt"
    assert (made / "apiserver.crt").read_text().startswith("-----BEGIN CERTIFICATE-----")
    assert (made / "apiserver.key").stat().st_mode & 0o777 == 0o600


def test_a_certificate_without_its_key_is_refused(folder: Path) -> None:
    (folder / "apiserver.key").unlink()
    assert refusal(folder) == f"error reading {folder}/apiserver.key, certificate and key must be supplied as a pair"


def test_what_is_missing_is_said_in_one_line() -> None:
    with pytest.raises(FlagError) as refused:
        server_options(parse_pflags(FLAGS, [], SHORTHANDS))
    assert str(refused.value) == (
        "[--etcd-servers must be specified, service-account-issuer is a required flag, "
        "either `--service-account-key-file` or `--service-account-signing-endpoint` must be set, "
        "--service-account-signing-key-file and --service-account-issuer are required flags]"
    )


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--secure-port=0", "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0"),
        ("--max-requests-inflight=-1", "--max-requests-inflight can not be negative value"),
        ("--service-cluster-ip-range=x", "service-cluster-ip-range[0] is not a valid cidr"),
        ("--service-cluster-ip-range=10.0.0.0/30", "the service cluster IP range must be at least 8 IP addresses"),
        (
            "--service-account-issuer=https://localhost",
            'service-account-issuer "https://localhost" is already specified',
        ),
        ("--enable-admission-plugins=Foo", 'enable-admission-plugins plugin "Foo" is unknown'),
        ("--authorization-mode=Foo", 'authorization-mode "Foo" is not a valid mode'),
        ("--feature-gates=Foo=true", "unrecognized feature gate: Foo"),
        ("--feature-gates=WatchList", "missing bool value for WatchList"),
        (
            "--feature-gates=kube:InOrderInformers=false",
            "cannot set feature gate InOrderInformers to false, feature is locked to true",
        ),
        (
            "--oidc-client-id=x",
            "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
        ),
        ("--runtime-config=foo", "runtime-config invalid key foo"),
        ("--runtime-config=apps/v1=maybe", "invalid value apps/v1=maybe"),
        ("--insecure-port=8080", "memkube does not support --insecure-port=8080, only 0"),
        ("--allow-privileged=false", "memkube does not support --allow-privileged=false, only true"),
    ],
)
def test_a_wrong_value_is_refused(folder: Path, argument: str, message: str) -> None:
    assert refusal(folder, argument) == message


@pytest.mark.parametrize(
    "argument",
    [
        "--runtime-config=api/all=true",
        "--runtime-config=apps/v1=false",
        "--runtime-config=admissionregistration.k8s.io/v1alpha1",
        "--feature-gates=AllAlpha=true",
        "--service-cluster-ip-range=10.0.0.0/24,fd00::/108",
        "--authorization-mode=ABAC",
    ],
)
def test_what_memkube_cannot_do_is_refused(folder: Path, argument: str) -> None:
    message = refusal(folder, argument)
    assert "memkube does not support" in message


@pytest.mark.parametrize(
    "argument",
    [
        "--runtime-config=api/ga=true,api/alpha=false,v1,apps/v1/deployments=true",
        "--runtime-config=",
        "--feature-gates=WatchList=true,kube:AllAlpha=false",
        "--insecure-port=0",
    ],
)
def test_what_memkube_does_anyway_is_accepted(folder: Path, argument: str) -> None:
    assert options(folder, argument).notes == ()


def test_privileged_containers_are_named_if_the_flag_is_missing(folder: Path) -> None:
    files = (f"--service-account-key-file={folder}/sa.crt", f"--service-account-signing-key-file={folder}/sa.key")
    found = server_options(parse_pflags(FLAGS, [*REQUIRED, *files, f"--cert-dir={folder}"], SHORTHANDS))
    assert found.notes == ("--allow-privileged is not given, but privileged containers are allowed",)


def test_a_key_file_without_keys_stops_the_server(folder: Path) -> None:
    shutil.copy(folder / "sa.crt", folder / "sa.key")
    found = options(folder)

    with pytest.raises(ServerError, match="data does not contain a valid RSA or ECDSA private key"):
        Server(found.settings)
