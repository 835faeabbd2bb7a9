import pytest

from memkube import Memkube
from tests.cli.processes import run_memkube


def test_services_are_routed_to_servers_outside_and_back(environment: dict[str, str]) -> None:
    with Memkube(controllers="none") as kube:
        at = {**environment, "MEMKUBE_SERVER": kube.url}
        assert run_memkube(at, "services", "put", "default/hook:443", "9443").returncode == 0
        assert run_memkube(at, "services", "list").stdout == "default/hook:443 -> 127.0.0.1:9443\n"
        assert run_memkube(at, "services", "delete", "default/hook:443").returncode == 0
        assert kube.webhooks.all() == {}


@pytest.mark.parametrize("words", [["hook:443", "9443"], ["default/hook", "9443"], ["default/hook:443", "here"]])
def test_what_is_no_service_or_address_is_wrong_usage(environment: dict[str, str], words: list[str]) -> None:
    assert run_memkube(environment, "services", "put", *words).returncode == 2
