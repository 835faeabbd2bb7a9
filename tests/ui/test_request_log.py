"""The page does not change what it shows: its reads are in no request log, and no fault hits them."""

import httpx

from memkube import faults
from memkube.cluster.synchronous import Memkube

LIST = "/ui/api/v1/namespaces/default/configmaps"


def test_reads_of_the_page_are_not_recorded(cluster: Memkube) -> None:
    before = cluster.requests.answered()
    assert httpx.get(f"{cluster.url}{LIST}", trust_env=False).status_code == 200
    assert cluster.requests.answered() == before


def test_writes_of_the_page_are_recorded(cluster: Memkube) -> None:
    before = cluster.requests.answered()
    httpx.post(f"{cluster.url}/ui/login", data={"token": "none"}, trust_env=False)
    (request,) = cluster.requests.after(before).all()
    assert (request.client, request.verb) == ("memkube-ui", "create")


def test_faults_neither_hit_nor_count_reads_of_the_page(cluster: Memkube) -> None:
    with cluster.faults.add(faults.error(503), verb="list", resource="configmaps") as fault:
        assert httpx.get(f"{cluster.url}{LIST}", trust_env=False).status_code == 200
        assert httpx.get(f"{cluster.url}/api/v1/configmaps", trust_env=False).status_code == 503
        assert fault.matched == 1
