"""Metrics of webhook calls and their results."""

import httpx
import pytest

from tests.admission.webhooks.conftest import Register
from tests.endpoints.routers.test_metrics import samples
from tests.hooks.listening import review

_CALLS = "apiserver_admission_webhook_request_total"
_SECONDS = "apiserver_admission_webhook_admission_duration_seconds_count"


@pytest.mark.parametrize(
    ("allowed", "policy", "code", "rejected"),
    [
        pytest.param(True, "Fail", "200", "false", id="allows"),
        pytest.param(False, "Fail", "400", "true", id="denies"),
        pytest.param(None, "Fail", "503", "true", id="fails"),
        pytest.param(None, "Ignore", "503", "false", id="may fail"),
    ],
)
def test_what_webhooks_say_is_counted(
    client: httpx.Client,
    config_maps: str,
    namespace: str,
    register: Register,
    *,
    allowed: bool | None,
    policy: str,
    code: str,
    rejected: str,
) -> None:
    name = f"{namespace}.example.com"
    register(
        lambda received: None if allowed is None else review(received, allowed=allowed), name=name, failurePolicy=policy
    )
    client.post(config_maps, json={"metadata": {"name": "x"}})
    hook = {"type": "validating", "operation": "CREATE", "rejected": rejected}
    labels = {"name": name, **hook}
    assert samples(client, _CALLS, code=code, **labels) == [1]
    assert samples(client, _SECONDS, **labels) == [1]


def test_what_webhooks_took_is_not_the_servers_own_time(
    client: httpx.Client, config_maps: str, namespace: str, register: Register
) -> None:
    def sums() -> list[float]:
        families = ("apiserver_request_duration_seconds_sum", "apiserver_request_sli_duration_seconds_sum")
        return [sum(samples(client, family, verb="POST", resource="configmaps")) for family in families]

    name = f"{namespace}.example.com"
    register(review, name=name)
    whole, own = sums()
    client.post(config_maps, json={"metadata": {"name": "x"}}).raise_for_status()
    after, own_after = sums()
    (took,) = samples(client, "apiserver_admission_webhook_admission_duration_seconds_sum", name=name)
    assert (after - whole) - (own_after - own) == pytest.approx(took, abs=1e-6)
