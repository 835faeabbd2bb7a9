"""An AuthenticationConfiguration that changes while the server runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.auth.authentication.oidc.provider import Provider, running_provider

REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
METRIC = "apiserver_authentication_config_controller_automatic_reloads_total"


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    with running_provider(tmp_path_factory.mktemp("provider")) as running:
        yield running


@pytest.fixture(autouse=True)
def _files_are_checked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.auth.authentication.changing_files._PAUSE", 0)
    monkeypatch.setattr("memkube.auth.authentication.oidc.configured_providers._SECONDS_BETWEEN_ATTEMPTS", 0)


class Configured:
    """A server with a configuration file that a test changes."""

    def __init__(self, file: Path, provider: Provider) -> None:
        self.file = file
        self.token = provider.token()
        issuer = {"url": provider.url, "audiences": ["memkube"], "certificateAuthority": provider.pem}
        self.issuer = issuer
        self.client = httpx.Client()

    def write(self, *prefixes: str, **fields: Any) -> None:
        """Write a configuration with one provider for each of these prefixes of user names."""
        mappings = [{"username": {"claim": "sub", "prefix": prefix}} for prefix in prefixes]
        jwt = [{"issuer": self.issuer, "claimMappings": mapping} for mapping in mappings]
        head = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration"}
        self.file.write_text(json.dumps({**head, "anonymous": {"enabled": False}, "jwt": jwt, **fields}))

    def user(self) -> str:
        """Return the name of the token's user; empty if the token is refused."""
        answer = self.client.post(REVIEW, json={}, headers={"authorization": f"Bearer {self.token}"})
        return str(answer.json()["status"]["userInfo"]["username"]) if answer.status_code == 201 else ""

    def metric(self, name: str) -> list[str]:
        """Return the lines of a metric."""
        text = self.client.get("/metrics", headers={"authorization": "Bearer root"}).text
        return [line for line in text.splitlines() if line.startswith(name)]


@pytest.fixture
def configured(tmp_path: Path, provider: Provider) -> Iterator[Configured]:
    made = Configured(tmp_path / "authentication.yaml", provider)
    made.write()
    authentication = AuthenticationOptions("root", configuration_file=made.file)
    with (
        Server(Settings(controllers=(), authentication=authentication)).in_thread() as server,
        httpx.Client(base_url=server.url) as made.client,
    ):
        yield made


def test_a_changed_file_is_used_without_a_restart(configured: Configured) -> None:
    assert configured.user() == ""
    configured.write("a:")
    assert configured.user() == "a:jane"
    configured.write("b:")
    assert configured.user() == "b:jane"
    assert configured.metric(METRIC) == [f'{METRIC}{{status="success"}} 2.0']
    configured.write()
    assert configured.user() == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"jwt": "x"},
        {"kind": "Other"},
        {"anonymous": {"enabled": True}},
        {
            "jwt": [
                {"issuer": {"url": "https://a", "audiences": ["a"]}, "claimMappings": {"username": {"expression": "("}}}
            ]
        },
    ],
)
def test_an_invalid_file_leaves_the_previous_configuration_in_use(
    configured: Configured, wrong: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    configured.write("a:")
    assert configured.user() == "a:jane"
    configured.write("b:", **wrong)
    assert [configured.user(), configured.user()] == ["a:jane", "a:jane"]
    assert f'{METRIC}{{status="failure"}} 1.0' in configured.metric(METRIC)
    assert "the authentication configuration is not reloaded: " in caplog.text


def test_a_provider_that_does_not_answer_leaves_the_previous_configuration_in_use(
    configured: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    configured.write("a:")
    assert configured.user() == "a:jane"
    configured.issuer = {**configured.issuer, "certificateAuthority": ""}
    configured.write("b:")
    assert [configured.user(), configured.user()] == ["a:jane", "a:jane"]
    assert f"{configured.issuer['url']}/.well-known/openid-configuration failed: " in caplog.text


def test_a_request_does_not_wait_for_a_provider_for_long(
    configured: Configured, provider: Provider, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memkube.auth.authentication.oidc.configured_providers._SECONDS_OF_ATTEMPT", 0.1)
    provider.answers.clear()
    configured.write("a:")
    try:
        assert configured.user() == ""
    finally:
        provider.answers.set()
    assert "a provider has not answered for 0.1 s" in caplog.text


def test_a_new_configuration_is_used_once_its_provider_answers(configured: Configured, provider: Provider) -> None:
    configured.issuer = {**configured.issuer, "discoveryURL": f"{provider.url}/late"}
    configured.write("a:")
    assert configured.user() == ""
    provider.more_paths.append("/late")
    assert configured.user() == "a:jane"
    assert f'{METRIC}{{status="failure"}} 1.0' in configured.metric(METRIC)
    assert f'{METRIC}{{status="success"}} 1.0' in configured.metric(METRIC)


def test_a_file_that_was_missing_is_read_once_it_is_back(configured: Configured) -> None:
    configured.file.unlink()
    assert configured.user() == ""
    configured.write("a:")
    assert configured.user() == "a:jane"


def test_the_metrics_have_the_hash_of_the_file_in_use(configured: Configured) -> None:
    name = "apiserver_authentication_config_controller_last_config_info"
    before = configured.metric(name)
    configured.write("a:")
    configured.user()
    (after,) = configured.metric(name)
    assert after.startswith(f'{name}{{hash="sha256:')
    assert [after] != before


def test_all_algorithms_are_accepted_with_a_file(configured: Configured, provider: Provider) -> None:
    configured.write("p:")
    configured.token = provider.token("RS512")
    assert configured.user().startswith("p:")
