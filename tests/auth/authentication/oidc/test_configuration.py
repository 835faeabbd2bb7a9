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
NAME = {"username": {"claim": "sub", "prefix": ""}}


def configured(tmp_path: Path, **fields: Any) -> Path:
    """Write a configuration with these fields, and return the path of the file."""
    path = tmp_path / "authentication.yaml"
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration"}
    path.write_text(yaml.safe_dump(head | fields))
    return path


def read(tmp_path: Path, **jwt: Any) -> Any:
    path = configured(tmp_path, jwt=[{"issuer": ISSUER, "claimMappings": NAME, **jwt}])
    return parse_authentication_configuration(path.read_text(), path)


def test_a_valid_configuration_is_read(tmp_path: Path) -> None:
    assert read(tmp_path).jwt[0].issuer.url == "https://a.example.com"


@pytest.mark.parametrize(
    ("jwt", "why"),
    [
        ({"issuer": {**ISSUER, "url": "http://a"}}, "URL scheme must be https"),
        ({"issuer": {**ISSUER, "url": "https://a:b@c"}}, "URL must not contain a username or password"),
        ({"issuer": {**ISSUER, "url": "https://a?b"}}, "URL must not contain a query"),
        ({"issuer": {**ISSUER, "url": "https://a#b"}}, "URL must not contain a fragment"),
        ({"issuer": {**ISSUER, "audiences": []}}, "jwt.0.issuer.audiences"),
        ({"issuer": {**ISSUER, "audiences": ["a", "b"]}}, "audienceMatchPolicy must be MatchAny"),
        ({"issuer": {**ISSUER, "discoveryURL": ISSUER["url"]}}, "discoveryURL must be different from URL"),
        ({"issuer": {**ISSUER, "egressSelectorType": "cluster"}}, "jwt.0.issuer.egressSelectorType"),
        ({"claimMappings": {"username": {}}}, "claim or expression is required"),
        ({"claimMappings": {"username": {"claim": "a"}}}, "prefix is required when claim is set"),
        ({"claimMappings": {"username": {"claim": "a", "expression": "b"}}}, "claim and expression can't both be set"),
        ({"claimMappings": {"username": {"expression": "claims.email"}}}, "claims.email_verified must be used"),
        ({"claimMappings": {**NAME, "extra": [{"key": "a", "valueExpression": "''"}]}}, "domain-prefixed path"),
        ({"claimMappings": {**NAME, "extra": [{"key": "k8s.io/a", "valueExpression": "''"}]}}, "reserved"),
        ({"claimValidationRules": [{"claim": "a", "message": "b"}]}, "may not be specified when claim is set"),
        ({"claimValidationRules": [{}]}, "claim or expression is required"),
        ({"userValidationRules": [{"expression": ""}]}, "jwt.0.userValidationRules.0.expression"),
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
        ({}, {"enabled": True, "conditions": [{"paths": []}]}, "anonymous.conditions.0.paths"),
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
    read(tmp_path, claimMappings={"username": {"expression": "claims.sub +"}})
    options = AuthenticationOptions(configuration_file=tmp_path / "authentication.yaml")
    with pytest.raises(ServerError, match="compilation failed"):
        Server(Settings(controllers=(), authentication=options))
