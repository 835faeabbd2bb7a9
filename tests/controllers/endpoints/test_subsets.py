from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.endpoints.subsets import repack, same_subsets, truncate


def address(ip: str, uid: str = "", **target: str) -> Document:
    return {"ip": ip, "targetRef": {"uid": uid, **target}} if uid else {"ip": ip}


def port(number: int, name: str = "") -> Document:
    return {"name": name, "port": number} if name else {"port": number}


def subset(ready: list[Document], unready: list[Document] | None = None, *ports: Document) -> Document:
    lists: dict[str, Any] = {"addresses": ready, "notReadyAddresses": unready or [], "ports": list(ports)}
    return {name: values for name, values in lists.items() if values}


def test_subsets_with_the_same_addresses_become_one() -> None:
    one, other = subset([address("10.0.0.1")], None, port(80)), subset([address("10.0.0.1")], None, port(81))
    assert len(repack([one, other])) == 1
    assert {each["port"] for each in repack([one, other])[0]["ports"]} == {80, 81}


def test_subsets_with_the_same_ports_become_one() -> None:
    subsets = [subset([address("10.0.0.2")], None, port(80)), subset([address("10.0.0.1")], None, port(80))]
    assert repack(subsets) == [subset([address("10.0.0.1"), address("10.0.0.2")], None, port(80))]


def test_an_address_that_is_ready_and_not_ready_is_not_ready() -> None:
    subsets = [subset([address("10.0.0.1")], None, port(80)), subset([], [address("10.0.0.1")], port(80))]
    assert repack(subsets) == repack(subsets[::-1]) == [subset([], [address("10.0.0.1")], port(80))]


def test_an_address_that_is_ready_for_some_ports_has_several_subsets() -> None:
    subsets = [subset([address("10.0.0.1")], None, port(80)), subset([], [address("10.0.0.1")], port(81))]
    assert len(repack(subsets)) == 2


def test_addresses_without_ports_are_kept() -> None:
    assert repack([subset([address("10.0.0.1")])]) == [subset([address("10.0.0.1")])]


def test_addresses_are_in_the_order_of_their_texts_and_targets() -> None:
    ordered = [address("10.0.0.10"), address("10.0.0.9"), address("10.0.0.9", "a"), address("10.0.0.9", "b")]
    assert repack([subset(ordered[::-1])]) == [subset(ordered)]


def test_subsets_are_in_one_order() -> None:
    subsets = [subset([address(f"10.0.0.{n}")], None, port(n)) for n in range(1, 9)]
    assert repack(subsets) == repack(subsets[::-1]) != subsets


def test_resource_versions_of_targets_do_not_count() -> None:
    one = [subset([address("10.0.0.1", "a", resourceVersion="1")], None, port(80))]
    other = [subset([address("10.0.0.1", "a")], None, port(80))]
    assert same_subsets(one, other)
    assert not same_subsets(one, [subset([address("10.0.0.1", "b")], None, port(80))])


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([(600, 0), (600, 500)], [(500, 0), (500, 0)]),
        ([(400, 400), (200, 400)], [(400, 200), (200, 200)]),
        ([(999, 10), (0, 20)], [(999, 1), (0, 0)]),
        ([(0, 700), (0, 701)], [(0, 500), (0, 500)]),
    ],
)
def test_ready_addresses_come_first_and_each_subset_has_its_share(
    given: list[tuple[int, int]], kept: list[tuple[int, int]]
) -> None:
    subsets = [
        subset([address(f"r{n}") for n in range(ready)], [address(f"u{n}") for n in range(unready)], port(80))
        for ready, unready in given
    ]
    counts = [(len(each.get("addresses", [])), len(each.get("notReadyAddresses", []))) for each in truncate(subsets)]
    assert counts == kept
