"""The dumps of flow control as text."""

import httpx

from memkube.server.server import Server
from memkube.server.settings import Settings

DUMPS = "/debug/api_priority_and_fairness"


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(",")] for line in text.splitlines()]


def test_levels_are_told_with_their_counts() -> None:
    with Server(Settings(controllers=())).in_thread() as server, httpx.Client(base_url=server.url) as client:
        client.get("/api/v1/nodes")
        table = rows(client.get(f"{DUMPS}/dump_priority_levels").text)
    assert table[0][:3] == ["PriorityLevelName", "ActiveQueues", "IsIdle"]
    assert [row[0] for row in table[1:4]] == ["catch-all", "exempt", "global-default"]
    # One request is executing: the one that reads the dump.
    assert table[3][1:] == ["0", "false", "false", "0", "1", "2", "0", "0", "0"]


def test_columns_are_aligned(client: httpx.Client) -> None:
    header, first, *_ = client.get(f"{DUMPS}/dump_priority_levels").text.splitlines()
    assert header.index("ActiveQueues") == first.index("0")


def test_running_requests_are_told_with_their_details(client: httpx.Client) -> None:
    headers = {"impersonate-user": "alice"}
    answer = client.get(f"{DUMPS}/dump_requests", params={"includeRequestDetails": "1"}, headers=headers)
    header, *table = rows(answer.text)
    own = next(dict(zip(header, row, strict=True)) for row in table if "alice" in row)
    assert (own["FlowSchemaName"], own["FlowDistingsher"], own["QueueIndex"]) == ("global-default", "alice", "-1")
    assert (own["Verb"], own["APIPath"]) == ("get", f"{DUMPS}/dump_requests")


def test_queues_are_not_served(client: httpx.Client) -> None:
    assert client.get(f"{DUMPS}/dump_queues").status_code == 404
