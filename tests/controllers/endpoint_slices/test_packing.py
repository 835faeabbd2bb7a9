import pytest

from memkube.controllers.endpoint_slices.packing import pack
from memkube.controllers.endpoint_slices.slices import Plan, Slice, endpoint_key, name_prefix, sorted_ports


def endpoint(number: int, *, ready: bool = True) -> dict[str, object]:
    return {"addresses": [f"10.0.{number // 250}.{number % 250}"], "conditions": {"ready": ready}}


def packed(existing: list[Slice], first: int, last: int) -> Plan:
    """Distribute the endpoints with numbers from `first` to before `last`."""
    desired = {endpoint_key(each): each for each in map(endpoint, range(first, last))}
    return pack(existing, desired, lambda each: (each.labels, each.labels.get("is") == "wrong"), new)


def new() -> Slice:
    return Slice("IPv4", [], {})


def of(first: int, last: int, **labels: str) -> Slice:
    return Slice("IPv4", [], labels, [endpoint(number) for number in range(first, last)])


def counts(plan: Plan) -> tuple[list[int], list[int], list[int]]:
    create, update, delete = (
        [len(each.endpoints) for each in part] for part in (plan.create, plan.update, plan.delete)
    )
    return create, update, delete


@pytest.mark.parametrize(
    ("existing", "wanted", "expected"),
    [
        ([], (0, 250), ([100, 100, 50], [], [])),
        ([of(0, 50)], (0, 50), ([], [], [])),
        ([of(0, 50), of(50, 90)], (0, 100), ([], [60], [])),
        ([of(0, 50), of(50, 90)], (0, 170), ([80], [], [])),
        ([of(0, 60), of(60, 80)], (0, 120), ([], [100], [])),
        ([of(0, 50), of(50, 60)], (0, 50), ([], [], [10])),
        ([of(0, 50), of(50, 60)], (5, 65), ([], [50], [])),
        ([of(0, 50, **{"is": "wrong"})], (0, 50), ([], [50], [])),
        ([of(0, 50, **{"is": "wrong"}), of(50, 60)], (0, 180), ([], [100, 80], [])),
        ([of(0, 1)], (1, 2), ([1], [], [1])),
    ],
)
def test_endpoints_are_packed_with_few_writes(
    existing: list[Slice], wanted: tuple[int, int], expected: tuple[list[int], list[int], list[int]]
) -> None:
    assert counts(packed(existing, *wanted)) == expected


def test_a_changed_endpoint_stays_in_its_slice() -> None:
    existing, changed = of(0, 3), endpoint(1, ready=False)
    desired = {endpoint_key(each): each for each in (endpoint(0), changed, endpoint(2))}
    plan = pack([existing], desired, lambda each: (each.labels, False), new)
    assert plan.update == [existing]
    assert existing.endpoints[1] == changed


def test_an_endpoint_that_is_in_two_slices_is_removed_from_one() -> None:
    plan = packed([of(0, 10), of(5, 20)], 0, 20)
    assert counts(plan) == ([], [10], [])


def test_ports_are_in_the_order_of_their_hashes() -> None:
    ports = [{"name": name, "protocol": "TCP", "port": 80} for name in "abcde"]
    assert sorted_ports(ports) == sorted_ports(ports[::-1]) != ports


@pytest.mark.parametrize(("owner", "prefix"), [("web", "web-"), ("a" * 254, "a" * 254)])
def test_the_prefix_of_names_ends_with_a_dash_if_there_is_room(owner: str, prefix: str) -> None:
    assert name_prefix(owner) == prefix
