"""Errors of invalid AuthenticationConfigurations, each in one line."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from memkube.auth.authentication.oidc.configuration import read_authentication_configuration
from memkube.auth.authentication.options import AuthenticationOptions, OidcOptions
from memkube.errors import ServerError
from memkube.server.server import Server
from memkube.server.settings import Settings

ISSUER = {"url": "https://a.example.com", "audiences": ["x"]}
NAME = {"username": {"claim": "sub", "prefix": ""}}


def read(tmp_path: Path, **jwt: Any) -> Any:
    path = tmp_path / "authentication.yaml"
    head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration"}
    path.write_text(yaml.safe_dump({**head, "jwt": [{"issuer": ISSUER, "claimMappings": NAME, **jwt}]}))
    return read_authentication_configuration(path)


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


def test_an_expression_that_does_not_compile_is_refused_at_the_start(tmp_path: Path) -> None:
    read(tmp_path, claimMappings={"username": {"expression": "claims.sub +"}})
    options = AuthenticationOptions(configuration_file=tmp_path / "authentication.yaml")
    with pytest.raises(ServerError, match="compilation failed"):
        Server(Settings(controllers=(), authentication=options))
