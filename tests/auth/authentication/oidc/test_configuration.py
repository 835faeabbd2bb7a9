"""Errors of invalid AuthenticationConfigurations, each in one line."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from memkube.auth.authentication.oidc.configuration import parse_authentication_configuration
from memkube.auth.authentication.options import AuthenticationOptions, OidcOptions
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.settings import Settings

ISSUER = {"url": "https://a.example.com", "audiences": ["x"]}
OWN = "https://own.example.com"
NAME = {"username": {"claim": "sub", "prefix": ""}}


def configured(tmp_path: Path, **fields: Any) -> Path:
    """Write a configuration with these fields, and return the path of the file."""
    path = tmp_path / "authentication.yaml"
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration"}
    path.write_text(yaml.safe_dump(head | fields))
    return path


def read(tmp_path: Path, **jwt: Any) -> Any:
    path = configured(tmp_path, jwt=[{"issuer": ISSUER, "claimMappings": NAME, **jwt}])
    return parse_authentication_configuration(path.read_text(), path, [OWN])


@pytest.mark.parametrize(
    "mappings",
    [
        {"username": {"expression": "claims['email']"}},
        {"username": {"expression": "claims.email_verified ? claims.email : claims.sub"}},
        {"username": {"expression": "1"}},
        {**NAME, "groups": {"prefix": "p:"}},
    ],
)
def test_unusual_mappings_are_accepted(tmp_path: Path, mappings: Any) -> None:
    assert read(tmp_path, claimMappings=mappings).jwt


def test_all_errors_are_listed(tmp_path: Path) -> None:
    path = configured(tmp_path, jwt=[{"issuer": {"url": "http://a"}}] * 2)
    with pytest.raises(ValueError, match="authentication configuration") as raised:
        parse_authentication_configuration(path.read_text(), path)
    provider = [
        'jwt[{}].issuer.url: Invalid value: "http://a": URL scheme must be https',
        "jwt[{0}].issuer.audiences: Required value: at least one jwt[{0}].issuer.audiences is required",
        "jwt[{}].claimMappings.username: Required value: claim or expression is required",
    ]
    errors = [error.format(index) for index in (0, 1) for error in provider]
    errors.append('jwt[1].issuer.url: Duplicate value: "http://a"')
    assert str(raised.value).endswith(f"is invalid: [{', '.join(errors)}]")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty config data"),
        ("a: [b", "yaml: line 1: did not find expected ',' or ']'"),
        ("kind: AuthenticationConfiguration", "Object 'apiVersion' is missing in 'kind: AuthenticationConfiguration'"),
        ('{"kind": 1}', "couldn't get version/kind; json parse error"),
        (
            '{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration"}',
            "expected AuthenticationConfiguration, got *apiserver.AuthorizationConfiguration",
        ),
        ('{"apiVersion": "v1", "kind": "Pod"}', 'no kind "Pod" is registered for version "v1"'),
        (
            '{"apiVersion": "apiserver.config.k8s.io/v1beta1", "kind": "AuthenticationConfiguration", "jwt": [5]}',
            "Go struct field AuthenticationConfiguration.jwt of type v1beta1.JWTAuthenticator",
        ),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="is invalid") as raised:
        parse_authentication_configuration(text, Path("a.yaml"))
    assert why in str(raised.value)


def test_a_valid_configuration_is_read(tmp_path: Path) -> None:
    assert read(tmp_path).jwt[0].issuer.url == "https://a.example.com"


@pytest.mark.parametrize(
    ("jwt", "why"),
    [
        ({"issuer": {**ISSUER, "url": "http://a"}}, "URL scheme must be https"),
        ({"issuer": {**ISSUER, "url": "https://a:b@c"}}, "URL must not contain a username or password"),
        ({"issuer": {**ISSUER, "url": "https://a?b"}}, "URL must not contain a query"),
        ({"issuer": {**ISSUER, "url": "https://a#b"}}, "URL must not contain a fragment"),
        ({"issuer": {**ISSUER, "audiences": []}}, "jwt[0].issuer.audiences: Required value: at least one"),
        ({"issuer": {**ISSUER, "audiences": ["a", "b"]}}, "audienceMatchPolicy must be MatchAny"),
        ({"issuer": {**ISSUER, "discoveryURL": ISSUER["url"]}}, "discoveryURL must be different from URL"),
        ({"issuer": {**ISSUER, "egressSelectorType": "cluster"}}, "jwt[0].issuer.egressSelectorType: Invalid value"),
        ({"claimMappings": {"username": {}}}, "claim or expression is required"),
        ({"claimMappings": {"username": {"claim": "a"}}}, "prefix is required when claim is set"),
        ({"claimMappings": {"username": {"claim": "a", "expression": "b"}}}, "claim and expression can't both be set"),
        ({"claimMappings": {"username": {"expression": "claims.email"}}}, "claims.email_verified must be used"),
        ({"claimMappings": {**NAME, "extra": [{"key": "a", "valueExpression": "''"}]}}, "domain-prefixed path"),
        ({"claimMappings": {**NAME, "extra": [{"key": "k8s.io/a", "valueExpression": "''"}]}}, "reserved"),
        ({"claimValidationRules": [{"claim": "a", "message": "b"}]}, "may not be specified when claim is set"),
        ({"claimValidationRules": [{}]}, "claim or expression is required"),
        ({"userValidationRules": [{"expression": ""}]}, "jwt[0].userValidationRules[0].expression: Required value"),
        ({"userValidationRules": [{"expression": "user.name == 'a'"}]}, "undefined field 'name'"),
        ({"userValidationRules": [{"expression": "'a'"}]}, "must evaluate to bool"),
        (
            {"issuer": {**ISSUER, "certificateAuthority": "x"}},
            "data does not contain any valid RSA or ECDSA certificates",
        ),
        ({"issuer": {**ISSUER, "audienceMatchPolicy": "All"}}, "must be empty or MatchAny for single audience"),
        ({"issuer": {**ISSUER, "url": OWN}}, f"URL must not overlap with disallowed issuers: [{OWN}]"),
        (
            {"claimMappings": {"username": {"expression": "claims.?email.orValue('a')"}}},
            "claims.email_verified must be used",
        ),
        ({"claimValidationRules": [{"claim": "a"}] * 2}, 'claimValidationRules[1].claim: Duplicate value: "a"'),
        ({"claimMappings": {**NAME, "extra": [{"key": "a.io/B", "valueExpression": "''"}]}}, "must be lowercase"),
        ({"other": 1}, 'strict decoding error: unknown field "jwt[0].other"'),
        ({"issuer": {**ISSUER, "url": 5}}, "cannot unmarshal number into Go struct field Issuer.jwt.issuer.url"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, jwt: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match="authentication configuration") as raised:
        read(tmp_path, **jwt)
    assert why in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (AuthenticationOptions(oidc=OidcOptions("http://a", "x")), "URL scheme must be https"),
        (AuthenticationOptions(oidc=OidcOptions("https://a", "x", signing_algorithms=("RS25",))), "'RS256'"),
        (AuthenticationOptions(oidc=OidcOptions("https://a", "x", Path("missing"))), "cannot read the oidc CA file"),
    ],
)
def test_options_that_are_wrong_are_refused_at_the_start(options: AuthenticationOptions, why: str) -> None:
    with pytest.raises(ServerError, match=why):
        Server(Settings(controllers=(), authentication=options))


@pytest.mark.parametrize(
    ("options", "anonymous", "why"),
    [
        (
            {"anonymous": True},
            {"enabled": True},
            "--anonymous-auth flag cannot be set when anonymous field is configured",
        ),
        ({"oidc": OidcOptions("https://a", "x")}, None, "file and oidc-\\* flags are mutually exclusive"),
        ({}, {"conditions": [{"path": "/livez"}]}, "enabled should be set to true when conditions are defined"),
        ({}, {"enabled": True, "conditions": [{"paths": []}]}, "unknown field .anonymous.conditions"),
    ],
)
def test_contradictory_options_are_refused_at_the_start(
    tmp_path: Path, options: dict[str, Any], anonymous: Any, why: str
) -> None:
    file = configured(tmp_path, anonymous=anonymous)
    with pytest.raises(ServerError, match=why):
        Server(Settings(controllers=(), authentication=AuthenticationOptions(configuration_file=file, **options)))


@pytest.mark.parametrize("accepted", [True, False])
def test_the_option_decides_if_the_file_does_not_name_the_anonymous_user(tmp_path: Path, accepted: bool) -> None:
    options = AuthenticationOptions(configuration_file=configured(tmp_path), anonymous=accepted)
    with (
        Server(Settings(controllers=(), authentication=options)).in_thread() as server,
        httpx.Client(base_url=server.url) as client,
    ):
        assert client.get("/livez").status_code == (200 if accepted else 401)


def test_the_anonymous_user_is_accepted_for_the_listed_paths_only(tmp_path: Path) -> None:
    conditions = [{"path": "/livez"}, {"path": "/readyz"}]
    file = configured(tmp_path, anonymous={"enabled": True, "conditions": conditions})
    options = AuthenticationOptions(token="root", configuration_file=file)
    paths = ("/livez", "/readyz", "/livez/ping", "/livez/", "/healthz", "/livez%3F", "/livez?verbose=1")
    with (
        Server(Settings(controllers=(), authentication=options)).in_thread() as server,
        httpx.Client(base_url=server.url) as client,
    ):
        assert [client.get(path).status_code for path in paths] == [200, 200, 401, 401, 401, 401, 200]
        assert client.get("/livez", headers={"authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/healthz", headers={"authorization": "Bearer root"}).status_code == 200


def test_an_expression_that_does_not_compile_is_refused_at_the_start(tmp_path: Path) -> None:
    mappings = {"username": {"expression": "claims.sub +"}}
    options = AuthenticationOptions(
        configuration_file=configured(tmp_path, jwt=[{"issuer": ISSUER, "claimMappings": mappings}])
    )
    with pytest.raises(ServerError, match="compilation failed"):
        Server(Settings(controllers=(), authentication=options))
