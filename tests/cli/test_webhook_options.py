"""The options of ``memkube serve`` for webhooks."""

from pathlib import Path

import pytest

from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.auth.authorization.webhook.options import WebhookOptions
from memkube.cli.webhook_options import chosen_authorizers, token_webhook
from memkube.errors import ServerError, UsageError
from tests.cli.processes import run_memkube

FILE = Path("/etc/webhook.yaml")
NO_WEBHOOK = (None, "v1beta1", "5m", "30s")


def test_a_webhook_has_its_times() -> None:
    chosen = chosen_authorizers(None, "Webhook,RBAC", (FILE, "v1", "1m", "0s"))
    assert chosen == (("Webhook", "RBAC"), (WebhookOptions(FILE, "v1", 60, 0),))
    assert token_webhook(FILE, "v1", "1m") == TokenWebhookOptions(FILE, "v1", 60)


def test_without_files_there_are_no_webhooks() -> None:
    assert chosen_authorizers(None, "RBAC", NO_WEBHOOK) == (("RBAC",), ())
    assert token_webhook(None, "v1", "1m") is None


@pytest.mark.parametrize(
    ("configuration", "modes", "webhook", "error"),
    [
        (None, "Webhook", NO_WEBHOOK, "authorization-mode Webhook's authorization config file not passed"),
        (
            None,
            "RBAC",
            (FILE, "v1", "5m", "30s"),
            "cannot specify --authorization-webhook-config-file without mode Webhook",
        ),
        (None, "Webhook", (FILE, "v1", "soon", "30s"), 'invalid duration "soon"'),
        (FILE, "RBAC", NO_WEBHOOK, "--authorization-config can not be specified when --authorization-mode or "),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    configuration: Path | None, modes: str, webhook: tuple[Path | None, str, str, str], error: str
) -> None:
    with pytest.raises(UsageError) as raised:
        chosen_authorizers(configuration, modes, webhook)
    assert error in str(raised.value)


def test_a_configuration_that_is_not_valid_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="cannot read the authorization configuration"):
        chosen_authorizers(tmp_path / "missing", "AlwaysAllow", NO_WEBHOOK)


def test_serve_ends_with_the_error_of_a_kubeconfig(environment: dict[str, str]) -> None:
    options = ("--authorization-mode", "Webhook", "--authorization-webhook-config-file", "missing")
    done = run_memkube(environment, "serve", "--port", "0", *options)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "memkube: cannot read the kubeconfig missing of a webhook" in done.stderr
