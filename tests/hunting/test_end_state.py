"""Comparison of end states without parts that differ from run to run."""

from typing import Any

import pytest

from memkube.hunting.end_state import KOPF_HANDLED, Reference, end_state, is_heartbeat

TIMES = {"creationTimestamp": "2026-01-01T00:00:00Z", "resourceVersion": "7", "generation": 1}


def config(name: str = "a", data: Any = None, uid: str = "1", **metadata: Any) -> dict[str, Any]:
    """Return a ConfigMap as it is stored."""
    described = {"name": name, "namespace": "default", "uid": uid, **TIMES, **metadata}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": described, "data": data or {}}


def differences(one: list[dict[str, Any]], other: list[dict[str, Any]], *ignored: str) -> list[str]:
    return [str(found) for found in Reference(end_state(one, ignored)).differences(end_state(other, ignored))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (config(uid="1"), config(uid="2")),
        (config(resourceVersion="1"), config(resourceVersion="2")),
        (config(data={"at": "2026-01-01T00:00:00Z"}), config(data={"at": "2027-02-03T04:05:06.789+01:00"})),
        (config("a-x7k2p", generateName="a-"), config("a-99999", generateName="a-")),
        (config(data={"name": "kube-api-access-x7k2p"}), config(data={"name": "kube-api-access-99999"})),
    ],
)
def test_chance_makes_no_difference(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert differences([one], [other]) == []


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ([config()], [], "does not exist, without the fault it does"),
        ([], [config()], "exists, without the fault it does not"),
        ([config(data={"x": "1"})], [config(data={"x": "2"})], 'data.x is "2", without the fault "1"'),
        ([config()], [config(deletionTimestamp="2026-01-01T00:00:00Z")], "deletionTimestamp is true"),
        (
            [config("a-1", uid="1", generateName="a-")],
            [config("a-1", uid="1", generateName="a-"), config("a-2", uid="2", generateName="a-")],
            "there are 2, without the fault 1",
        ),
    ],
)
def test_everything_else_does(one: list[dict[str, Any]], other: list[dict[str, Any]], difference: str) -> None:
    (found,) = differences(one, other)
    assert difference in found


@pytest.mark.parametrize(
    ("kind", "managers", "is_compared"),
    [
        ("Endpoints", ["operator"], True),
        ("Endpoints", ["operator", "kube-controller-manager"], False),
        ("Endpoints", [], False),
        ("Event", ["operator"], False),
    ],
)
def test_derived_kinds_are_compared_if_only_clients_write_them(
    kind: str, managers: list[str], is_compared: bool
) -> None:
    one = {**config(managedFields=[{"manager": manager} for manager in managers]), "kind": kind}
    assert bool(differences([one], [])) is is_compared


def test_an_owner_that_is_gone_is_a_difference() -> None:
    owner = config("owner", uid="9")
    owned = config(ownerReferences=[{"kind": "ConfigMap", "name": "owner", "uid": "9"}])
    assert any("of an object that is gone" in found for found in differences([owner, owned], [owned]))


def test_pointers_of_the_file_are_left_out() -> None:
    assert differences([config(data={"x": "1"})], [config(data={"x": "2"})], "/data/x") == []


def test_what_differs_without_faults_is_learned() -> None:
    reference = Reference(end_state([config(data={"port": "1", "x": "1"})], ()))
    reference.learn(end_state([config(data={"port": "2", "x": "1"})], ()))
    assert reference.differences(end_state([config(data={"port": "3", "x": "1"})], ())) == []
    assert reference.differences(end_state([config(data={"port": "3", "x": "2"})], ()))


def test_names_that_the_operator_makes_up_are_learned() -> None:
    reference = Reference(end_state([config("a-1x"), config("b")], ()))
    reference.learn(end_state([config("a-2y"), config("b")], ()))
    assert reference.differences(end_state([config("a-3z"), config("b")], ())) == []
    assert [one.key[1] for one in reference.differences(end_state([config("b")], ()))] == [
        "default/(a name that differs)"
    ]
    two = end_state([config("a-3z"), config("a-4z"), config("b")], ())
    assert [one.what for one in reference.differences(two)] == ["there are 2, without the fault 1"]


def test_old_revisions_of_a_deployment_make_no_difference() -> None:
    owner = {"kind": "Deployment", "name": "w", "uid": "1", "controller": True}
    old = {**config("w-1", ownerReferences=[owner]), "kind": "ReplicaSet", "spec": {"replicas": 0}}
    used = {**old, "spec": {"replicas": 1}}
    assert differences([], [old]) == []
    assert differences([], [used])


def test_the_number_of_revisions_makes_no_difference() -> None:
    runs = [config(annotations={"deployment.kubernetes.io/revision": number, "a": "b"}) for number in "12"]
    assert differences(runs[:1], runs[1:]) == []


def test_differences_between_runs_without_faults_are_told_with_their_values() -> None:
    reference = Reference(end_state([config("a", {"n": "1"}), config("b")], ()))
    reference.learn(end_state([config("a", {"n": "2"})], ()))
    assert [*reference.variations.values()] == [
        'ConfigMap default/a: data.n is "1" in one run, "2" in another',
        "ConfigMap default/b: there is 1 in one run, 0 in another",
    ]


def test_records_of_leader_election_are_not_compared() -> None:
    record = {"control-plane.alpha.kubernetes.io/leader": "{}"}
    assert differences([], [config(annotations=record)]) == []
    assert differences([config(data={"a": "1"})], [config(data={"a": "1"}, annotations=record)]) == []


@pytest.mark.parametrize(
    ("data", "ignored", "is_only_time"),
    [
        ({"at": "2026-01-01T00:00:09Z", "n": "1"}, [], True),
        ({"at": "2026-01-01T00:00:01Z", "n": "2"}, [], False),
        ({"at": "2026-01-01T00:00:01Z", "n": "2"}, ["/data/n"], True),
    ],
)
def test_an_update_of_times_and_ignored_fields_is_a_heartbeat(
    data: dict[str, str], ignored: list[str], is_only_time: bool
) -> None:
    before = config(data={"at": "2026-01-01T00:00:01Z", "n": "1"})
    after = config(data=data, resourceVersion="8")
    assert is_heartbeat(after, before, ignored) is is_only_time


def test_the_addresses_of_services_are_not_compared() -> None:
    address = {**config("10.0.0.7"), "kind": "IPAddress", "apiVersion": "networking.k8s.io/v1"}
    assert differences([], [address]) == []


def test_annotations_that_the_deployment_controller_copies_make_no_difference() -> None:
    owner = {"kind": "Deployment", "name": "w", "uid": "1", "controller": True}
    kind = {"kind": "ReplicaSet", "spec": {"replicas": 1}}
    plain = {**config("w-1", ownerReferences=[owner]), **kind}
    copied = {**config("w-1", ownerReferences=[owner], annotations={"another-writer": "was here"}), **kind}
    assert differences([plain], [copied]) == []


def test_jobs_of_a_cron_job_and_their_pods_are_not_compared() -> None:
    owned = {"ownerReferences": [{"kind": "CronJob", "name": "c", "uid": "1"}]}
    job = {**config("c-29000000", uid="2"), "kind": "Job"}
    job["metadata"].update(owned)
    pod = {**config("c-29000000-abcde", uid="3"), "kind": "Pod"}
    pod["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "c-29000000", "uid": "2"}]
    assert differences([], [job, pod]) == []


def test_objects_that_are_named_after_a_uid_are_compared_with_each_other() -> None:
    one, other = (config(f"w-{digit * 8}-aaaa-aaaa-aaaa-{digit * 12}") for digit in "12")
    assert differences([one], [other]) == []
    assert differences([one], [])


def test_uids_as_keys_make_no_difference() -> None:
    uids = [f"{digit * 8}-aaaa-aaaa-aaaa-{digit * 12}" for digit in "123"]
    one, other = config(data={uids[0]: "x", uids[1]: "y"}), config(data={uids[1]: "x", uids[2]: "y"})
    assert differences([one], [other]) == []
    assert differences([one], [config(data={uids[0]: "x"})])


def test_random_keys_are_learned() -> None:
    reference = Reference(end_state([config(data={"k-1": "x", "n": "1"})], ()))
    reference.learn(end_state([config(data={"k-2": "x", "n": "1"})], ()))
    assert reference.differences(end_state([config(data={"k-3": "x", "n": "1"})], ())) == []
    assert [*reference.variations.values()] == [
        "ConfigMap default/a: the keys and values in data; only their number is"
    ]


@pytest.mark.parametrize(
    ("further", "data", "found"),
    [
        ({"k-3": "y"}, {"k-4": "x", "k-5": "z"}, []),
        ({"k-3": "y"}, {"k-4": "x"}, ["data.(number of entries) is 1, without the fault 2"]),
        ({}, {"k-4": "x"}, []),
    ],
    ids=["equally many", "fewer", "differs without faults"],
)
def test_only_the_number_of_random_keys_is_compared(
    further: dict[str, str], data: dict[str, str], found: list[str]
) -> None:
    reference = Reference(end_state([config(data={"k-1": "x", "k-2": "y"})], ()))
    reference.learn(end_state([config(data={"k-6": "x", **further})], ()))
    assert [one.what for one in reference.differences(end_state([config(data=data)], ()))] == found


@pytest.mark.parametrize(
    ("name", "value", "is_compared"),
    [("x.io/retries", "1", False), ("x.io/phase", "failed", True), (KOPF_HANDLED, "{}", False)],
)
def test_annotations_that_count_retries_make_no_difference(name: str, value: str, is_compared: bool) -> None:
    assert bool(differences([config()], [config(annotations={name: value})])) is is_compared


def test_a_number_that_is_always_in_an_annotation_is_compared() -> None:
    one, other = (config(annotations={"x.io/size": size}) for size in "12")
    assert differences([one], [other])
