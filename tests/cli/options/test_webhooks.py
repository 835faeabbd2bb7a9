"""The options of ``memkube serve`` for webhooks that authenticate and authorize."""

from pathlib import Path
from typing import Any

import pytest

from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers, WebhookOptions
from memkube.cli.options.authentication import TokenWebhookFlags
from memkube.cli.options.authorization import AuthorizationOptions
from memkube.errors import ServerError, UsageError
from tests.cli.processes import run_memkube

FILE = Path("/etc/webhook.yaml")


def authorization(mode: str = "AlwaysAllow", **flags: Any) -> AuthorizationOptions:
    named = {f"authorization_{name}": value for name, value in flags.items()}
    return AuthorizationOptions(authorization_mode=mode, **named)


def test_a_webhook_has_its_times() -> None:
    times = {"webhook_cache_authorized_ttl": "1m", "webhook_cache_unauthorized_ttl": "0s"}
    chosen = authorization("Webhook,RBAC", webhook_config_file=FILE, webhook_version="v1", **times)
    assert chosen.authorizers() == ConfiguredAuthorizers(("Webhook", "RBAC"), (WebhookOptions(FILE, "v1", 60, 0),))
    assert TokenWebhookFlags(FILE, "v1", "1m").webhook() == TokenWebhookOptions(FILE, "v1", 60)


def test_without_files_there_are_no_webhooks() -> None:
    assert authorization("RBAC").authorizers() == ConfiguredAuthorizers(("RBAC",), ())
    assert TokenWebhookFlags().webhook() is None


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (authorization("Webhook"), "authorization-mode Webhook's authorization config file not passed"),
        (
            authorization("RBAC", webhook_config_file=FILE),
            "cannot specify --authorization-webhook-config-file without mode Webhook",
        ),
        (
            authorization("Webhook", webhook_config_file=FILE, webhook_cache_authorized_ttl="soon"),
            'invalid duration "soon"',
        ),
        (
            authorization("RBAC", config=FILE),
            "--authorization-config can not be specified when --authorization-mode or ",
        ),
        (
            authorization(config=FILE, webhook_version="v1"),
            "--authorization-config can not be specified when --authorization-mode or ",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: AuthorizationOptions, error: str) -> None:
    with pytest.raises(UsageError) as raised:
        options.authorizers()
    assert error in str(raised.value)


def test_a_configuration_that_is_not_valid_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="cannot read the authorization configuration"):
        authorization(config=tmp_path / "missing").authorizers()


def test_serve_ends_with_the_error_of_a_kubeconfig(environment: dict[str, str]) -> None:
    options = ("--authorization-mode", "Webhook", "--authorization-webhook-config-file", "missing")
    done = run_memkube(environment, "serve", "--port", "0", *options)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "memkube: cannot read the kubeconfig missing of a webhook: No such file or directory\n" in done.stderr
