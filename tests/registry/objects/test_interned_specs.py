"""Specs that many pods share: caching them does not change any response."""

import re
from copy import deepcopy
from typing import Any

import httpx
import pytest

from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.registry.objects import interned_specs
from memkube.registry.objects.interned_specs import ORIGIN, InternedSpecs, either
from memkube.server.app import create_core
from memkube.server.settings import Settings

_PLAIN: dict[str, Any] = {"containers": [{"name": "app", "image": "nginx:1.27"}]}
_VOLUMES = [{"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}]
_SPECS = {
    "plain": _PLAIN,
    "empty-lists": {**_PLAIN, "volumes": [], "nodeSelector": {}, "tolerations": []},
    "warned-of": {**_PLAIN, "hostAliases": [{"ip": "010.0.0.1", "hostnames": ["one"]}]},
    "invalid": {**_PLAIN, "dnsPolicy": "Sometimes"},
    "unknown-field": {**_PLAIN, "restart": "Always"},
    "negative-grace": {**_PLAIN, "terminationGracePeriodSeconds": -5},
    "named-claims": {"containers": [{"name": "app", "image": "nginx:1.27"}], "volumes": _VOLUMES},
    "quantities": {"containers": [{"name": "app", "image": "i", "resources": {"limits": {"cpu": "0.5", "memory": 7}}}]},
    "wrong-type": {"containers": [{"name": 1}]},
}


_OF_EACH = re.compile(r'"(uid|resourceVersion|creationTimestamp|time|name)":"[^"]*"|pod-[0-9]')


def _created(client: httpx.Client, namespace: str, name: str, spec: dict[str, Any]) -> tuple[int, str, list[str]]:
    """Create a pod. Return the response without parts that differ for each object."""
    answer = client.post(f"/api/v1/namespaces/{namespace}/pods", json={"metadata": {"name": name}, "spec": spec})
    return answer.status_code, _OF_EACH.sub("", answer.text), answer.headers.get_list("warning")


@pytest.mark.parametrize("spec", _SPECS.values(), ids=_SPECS)
def test_the_answer_is_the_same_each_time_a_spec_is_met(
    client: httpx.Client, namespace: str, spec: dict[str, Any]
) -> None:
    answers = [_created(client, namespace, f"pod-{number}", spec) for number in range(4)]
    assert all(answer == answers[0] for answer in answers)


def test_a_patched_pod_is_as_it_would_be_if_its_spec_had_never_been_met(client: httpx.Client, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods"
    for name in ("one", "two", "three"):
        client.post(path, json={"metadata": {"name": name}, "spec": _PLAIN})
        for image in ("nginx:1.28", "nginx:1.29"):
            patch = {
                "metadata": {"annotations": {"a": image}},
                "spec": {"containers": [{"name": "app", "image": image}]},
            }
            headers = {"Content-Type": "application/strategic-merge-patch+json"}
            patched = client.patch(f"{path}/{name}", json=patch, headers=headers).json()
            assert patched["spec"]["containers"][0]["image"] == image
            assert patched["metadata"]["generation"] == (2 if image.endswith("28") else 3)


def test_an_object_that_is_changed_leaves_those_with_the_same_spec_alone(client: httpx.Client, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods"
    pods = [client.post(path, json={"metadata": {"name": f"p{n}"}, "spec": _PLAIN}).json() for n in range(4)]
    changed = {**pods[3], "spec": {**pods[3]["spec"], "activeDeadlineSeconds": 9}}
    assert client.put(f"{path}/p3", json=changed).json()["spec"]["activeDeadlineSeconds"] == 9
    assert client.get(f"{path}/p2").json() == pods[2]
    again = client.post(path, json={"metadata": {"name": "p4"}, "spec": _PLAIN}).json()
    assert again["spec"] == pods[0]["spec"]


def _specs() -> InternedSpecs:
    specs = create_core(Settings(controllers=())).parts.registry.find("", "v1", "pods").specs
    assert specs is not None
    return specs


def test_a_spec_is_remembered_when_it_is_met_again() -> None:
    specs = _specs()
    assert specs.find(_PLAIN) is None
    known = specs.find(_PLAIN)
    assert known is not None
    assert specs.find(deepcopy(_PLAIN)) is known


def test_of_two_that_say_the_same_the_shared_one_stays_and_the_other_is_lent_again() -> None:
    specs = _specs()
    known = [specs.find(_PLAIN) for _ in range(2)][1]
    assert known is not None
    lent = PodSpec.model_validate(known.lend())
    object.__setattr__(lent, ORIGIN, known)
    assert either(lent, known.model) is known.model
    assert (known.lend(), known.lend()) == (lent, known.document)


def test_of_two_that_say_the_same_what_is_known_of_the_new_one_stays() -> None:
    specs = _specs()
    known = [specs.find(_PLAIN) for _ in range(2)][1]
    assert known is not None
    lent, old = (PodSpec.model_validate(known.document) for _ in range(2))
    object.__setattr__(lent, ORIGIN, known)
    assert either(lent, old) is lent
    assert known.lend() is known.document


def test_what_messages_may_have_to_show_is_not_remembered() -> None:
    specs = _specs()
    given = {**_PLAIN, "nodeSelector": {}}
    assert [specs.find(given) for _ in range(3)] == [None, None, None]


def test_so_many_bytes_of_specs_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interned_specs, "MOST_BYTES", 600)
    specs = _specs()
    for number in range(20):
        for _ in range(2):
            specs.find({"containers": [{"name": "app", "image": f"nginx:{number}"}]})
    assert 5 < len(specs) < 15
    assert specs.find({"containers": [{"name": "app", "image": "nginx:19"}]}) is not None


_METADATA: dict[str, dict[str, Any]] = {
    "nothing": {},
    "labels": {"labels": {"b": "1", "a": "2"}},
    "annotations": {"annotations": {"example.com/note": "x"}, "labels": {"app": "web"}},
    "empty": {"labels": {}, "annotations": {}},
    "generated": {"name": "", "generateName": "web-"},
    "many": {"labels": {f"label-{number}": "" for number in range(20)}},
    "finalizers": {"finalizers": ["example.com/one"], "labels": {"app": "web"}},
    "untracked": {"managedFields": [{}]},
}


@pytest.mark.parametrize("metadata", _METADATA.values(), ids=_METADATA)
def test_who_creates_a_pod_owns_the_same_whether_its_spec_is_known_or_not(
    client: httpx.Client, namespace: str, metadata: dict[str, Any]
) -> None:
    owned = []
    for number in range(4):
        pod = {"metadata": {"name": f"pod-{number}", **metadata}, "spec": _PLAIN}
        created = client.post(f"/api/v1/namespaces/{namespace}/pods", json=pod).json()
        owned.append([{**entry, "time": ""} for entry in created["metadata"].get("managedFields", [])])
    assert all(entries == owned[0] for entries in owned)
    assert owned[0]


def test_a_spec_of_one_object_is_not_interned_however_often_the_object_is_read() -> None:
    specs = _specs()
    assert [specs.find_stored(_PLAIN, "uid-1") for _ in range(3)] == [None, None, None]
    assert len(specs) == 0


def test_a_spec_is_interned_when_a_second_stored_object_has_it() -> None:
    specs = _specs()
    spec = {**_PLAIN, "restartPolicy": "Never"}
    specs.find_stored(spec, "uid-1")
    specs.find_stored(spec, "uid-2")
    assert len(specs) == 1
