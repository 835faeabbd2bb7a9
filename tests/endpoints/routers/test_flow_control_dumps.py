"""The dumps of flow control as text."""

import httpx

from memkube.endpoints.filters.limits import RequestLimits
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.filters.test_seats import Slow, connected
from tests.endpoints.routers.test_metrics import samples

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
    assert (own["FlowSchemaName"], own["FlowDistingsher"], own["QueueIndex"]) == ("global-default", "alice", "0")
    assert (own["Verb"], own["APIPath"]) == ("get", f"{DUMPS}/dump_requests")


def dump(client: httpx.Client, name: str, **query: str) -> list[dict[str, str]]:
    """Return the rows of a dump, by column."""
    header, *table = rows(client.get(f"{DUMPS}/{name}", params=query).text)
    return [dict(zip(header, row, strict=True)) for row in table]


def test_queues_have_their_running_and_waiting_requests() -> None:
    settings = Settings(controllers=(), in_flight=RequestLimits(writes=1))
    with Server(settings).in_thread() as server, connected(server) as client:
        slow = Slow(server, 3)
        while samples(client, "apiserver_current_inqueue_requests", request_kind="mutating") != [2]:
            pass
        queues = dump(client, "dump_queues")
        requests = dump(client, "dump_requests", includeRequestDetails="1")
        (level,) = (row for row in dump(client, "dump_priority_levels") if row["PriorityLevelName"] == "global-default")
        slow.end()
    # The dump itself is a read, which has a queue of its own.
    assert [list(row.values()) for row in queues] == [
        ["global-default", "0", "0", "1", "1", "", "0", "0", ""],
        ["global-default", "1", "2", "1", "1", "", "2", "2", ""],
    ]
    writes = [row for row in requests if row["Verb"] == "create"]
    assert [(row["QueueIndex"], row["RequestIndexInQueue"]) for row in writes] == [("1", "0"), ("1", "1"), ("1", "-1")]
    assert (level["ActiveQueues"], level["WaitingRequests"], level["ExecutingRequests"]) == ("1", "2", "2")


def test_requests_of_an_exempt_level_have_no_queue(server: Server) -> None:
    headers = {"impersonate-user": "root", "impersonate-group": "system:masters"}
    with httpx.Client(base_url=server.url, headers=headers) as client:
        assert dump(client, "dump_queues") == []
        (own,) = dump(client, "dump_requests")
    assert own["PriorityLevelName"] == "exempt"
    assert (own["QueueIndex"], own["RequestIndexInQueue"]) == ("-1", "-1")


def test_other_dumps_are_not_found(client: httpx.Client) -> None:
    assert client.get(f"{DUMPS}/dump_all").status_code == 404
