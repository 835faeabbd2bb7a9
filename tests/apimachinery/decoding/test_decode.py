import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkube.apimachinery.decoding import DecodeError, duplicate_fields, parse_json
from memkube.apimachinery.decoding.json_body import may_have_duplicates
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.apis.core.v1.events.types import Event
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.policy.v1.evictions.eviction import Eviction
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget
from tests.apimachinery.decoding.outcome import outcome

_INTO = "json: cannot unmarshal"
_RFC3339 = '"2006-01-02T15:04:05Z07:00"'


def _decoded(model: type[ApiModel], body: bytes) -> tuple[dict[str, Any], list[str]]:
    decoded = ModelForm(model).decode(parse_json(body), body)
    return decoded.value.to_document(), decoded.strict_errors


def _refusal(model: type[ApiModel], body: bytes) -> str:
    with pytest.raises(DecodeError) as refusal:
        ModelForm(model).decode(parse_json(body), body)
    return refusal.value.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"spec": "x"}', f"{_INTO} string into Go struct field Pod.spec of type v1.PodSpec"),
        (b"[]", f"{_INTO} array into Go value of type v1.Pod"),
        (
            b'{"spec":{"containers":{}}}',
            f"{_INTO} object into Go struct field PodSpec.spec.containers of type []v1.Container",
        ),
        (
            b'{"spec":{"containers":[{"command":[1]}]}}',
            f"{_INTO} number into Go struct field Container.spec.containers.command of type string",
        ),
        (
            b'{"spec":{"containers":[{"resources":{"limits":"1"}}]}}',
            (
                f"{_INTO} string into Go struct field ResourceRequirements.spec.containers.resources.limits"
                " of type v1.ResourceList"
            ),
        ),
        (
            b'{"metadata":{"labels":{"a":true}}}',
            f"{_INTO} bool into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            b'{"metadata":{"labels":["x"]}}',
            f"{_INTO} array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
        ),
        (b'{"status":{"phase":5}}', f"{_INTO} number into Go struct field PodStatus.status.phase of type v1.PodPhase"),
        (
            b'{"spec":{"volumes":[{"hostPath":1}]}}',
            (
                f"{_INTO} number into Go struct field Volume.spec.volumes.VolumeSource.hostPath"
                " of type v1.HostPathVolumeSource"
            ),
        ),
    ],
)
def test_a_value_of_a_wrong_type_is_refused_in_gos_words(body: bytes, message: str) -> None:
    assert _refusal(Pod, body) == message


@pytest.mark.parametrize("number", ["99999999999", "1e2", "1.0", "1e400", "2147483648", "99999999999999999999999"])
def test_a_number_that_does_not_fit_is_quoted_as_it_was_written(number: str) -> None:
    message = _refusal(Pod, b'{"spec":{"priority":%s}}' % number.encode())
    assert message == f"{_INTO} number {number} into Go struct field PodSpec.spec.priority of type int32"


@pytest.mark.parametrize(
    ("model", "body", "message"),
    [
        (
            PodDisruptionBudget,
            b'{"spec":{"minAvailable":1.5}}',
            f"{_INTO} number 1.5 into Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type int32",
        ),
        (
            PodDisruptionBudget,
            b'{"spec":{"minAvailable":[1]}}',
            f"{_INTO} array into Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type int32",
        ),
        (
            Pod,
            b'{"metadata":{"deletionTimestamp":5}}',
            f"{_INTO} number into Go struct field ObjectMeta.metadata.deletionTimestamp of type string",
        ),
        (
            Pod,
            b'{"metadata":{"creationTimestamp":"x"}}',
            f'parsing time "x" as {_RFC3339}: cannot parse "x" as "2006"',
        ),
        (
            Event,
            b'{"eventTime":"2026-01-02T03:04:05Z"}',
            'parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
        ),
        (ConfigMap, b'{"binaryData":{"a":"not base64!"}}', "illegal base64 data at input byte 3"),
        (
            Pod,
            b'{"spec":{"containers":[{"resources":{"requests":{"cpu":"abc"}}}]}}',
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            Eviction,
            b'{"deleteOptions":{"gracePeriodSeconds":"soon"}}',
            f"{_INTO} string into Go struct field DeleteOptions.deleteOptions.gracePeriodSeconds of type int64",
        ),
    ],
)
def test_types_that_decode_themselves_have_their_own_words(model: type[ApiModel], body: bytes, message: str) -> None:
    assert _refusal(model, body) == message


def test_the_first_wrong_type_of_several_is_reported() -> None:
    message = _refusal(Pod, b'{"spec":{"hostname":5,"bogus":1},"metadata":{"name":5}}')
    assert message == f"{_INTO} number into Go struct field PodSpec.spec.hostname of type string"


def test_a_malformed_time_wins_over_an_earlier_wrong_type() -> None:
    message = _refusal(Pod, b'{"spec":{"hostname":5},"metadata":{"creationTimestamp":"x"}}')
    assert message.startswith('parsing time "x"')


def test_unknown_fields_are_dropped_and_reported_in_their_order() -> None:
    body = b'{"spec":{"containers":[{"nope":1},{"zip":[1]}],"bogus":1},"extra":{"deep":[{}]}}'
    document, errors = _decoded(Pod, body)
    assert document["spec"]["containers"] == [{"name": "", "resources": {}}, {"name": "", "resources": {}}]
    assert errors == [
        'unknown field "spec.containers[0].nope"',
        'unknown field "spec.containers[1].zip"',
        'unknown field "spec.bogus"',
        'unknown field "extra"',
    ]


def test_names_of_another_case_are_unknown() -> None:
    assert _decoded(Pod, b'{"Metadata":{}}')[1] == ['unknown field "Metadata"']


def test_no_more_than_a_hundred_fields_are_reported_and_each_once() -> None:
    body = orjson.dumps({f"x{i}": 1 for i in range(200)})
    assert len(_decoded(Pod, body)[1]) == 100
    assert _decoded(Pod, b'{"x":1,"x":2}')[1] == ['unknown field "x"']


def test_duplicate_fields_are_reported_and_merged_into_the_first() -> None:
    document, errors = _decoded(ConfigMap, b'{"metadata":{"name":"a"},"metadata":{"uid":"u"},"data":{"a":"1","a":"2"}}')
    assert document == {"metadata": {"name": "a", "uid": "u"}, "data": {"a": "2"}}
    assert errors == ['duplicate field "metadata"', 'duplicate field "data.a"']


@pytest.mark.parametrize(
    "body",
    [
        b'{"data" :{"a" :"1"},"data":{"b":"2"}}',
        b'{"data":{"a":"\\u0022:"},"data":{"b":"2"}}',
        b'{"data":{"a":"1"},"d\\u0061ta":{"b":"2"}}',
        b'{"data":{"a":"1"}, "data"\n:{"b":"2"}}',
    ],
)
def test_duplicates_are_found_however_they_are_written(body: bytes) -> None:
    assert _decoded(ConfigMap, body)[1] == ['duplicate field "data"']


@pytest.mark.parametrize(
    ("body", "document"),
    [
        (b'{"metadata":null,"data":null}', {"metadata": {}}),
        (b'{"metadata":{"name":null,"creationTimestamp":null},"immutable":null}', {"metadata": {}}),
        (b'{"data":{"a":null}}', {"metadata": {}, "data": {"a": ""}}),
        (b'{"metadata":{"finalizers":[null]}}', {"metadata": {"finalizers": [""]}}),
        (b"null", {"metadata": {}}),
    ],
)
def test_null_is_the_zero_value(body: bytes, document: dict[str, Any]) -> None:
    assert _decoded(ConfigMap, body) == (document, [])


def test_a_null_container_is_an_empty_one() -> None:
    document, _ = _decoded(Pod, b'{"spec":{"containers":[null]}}')
    assert document["spec"]["containers"] == [{"name": "", "resources": {}}]


_FIELDS = st.sampled_from(["metadata", "spec", "status", "name", "labels", "containers", "data", "minAvailable", "x"])
_INTEGERS = st.integers(min_value=-(2**63), max_value=2**64 - 1)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
_DOCUMENTS = st.recursive(
    st.none() | st.booleans() | _INTEGERS | _FLOATS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_FIELDS | _TEXTS, inner, max_size=4),
)


@pytest.mark.parametrize("model", [Pod, ConfigMap, PodDisruptionBudget, Event])
@settings(deadline=None)
@given(data=_DOCUMENTS)
def test_any_data_is_an_object_or_a_decode_error(model: type[ApiModel], data: Any) -> None:
    outcome(ModelForm(model).decode, data)
    outcome(ModelForm(model).decode, data, orjson.dumps(data))


_KEYS = st.text(alphabet='ab":\\ ', max_size=3)
_MEMBERS = st.recursive(
    st.text(alphabet='ab":\\ \n', max_size=6).map(json.dumps) | st.sampled_from(["1", "null", '"\\u0022:"']),
    lambda inner: st.lists(st.tuples(_KEYS, st.sampled_from(["", " ", "\n", "\t "]), inner), max_size=4).map(
        lambda members: "{" + ",".join(f"{json.dumps(key)}{space}:{value}" for key, space, value in members) + "}"
    ),
    max_leaves=8,
)


def _has_duplicates(text: str) -> bool:
    found = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=collect)
    return any(found)


@settings(deadline=None, max_examples=300)
@given(_MEMBERS)
def test_no_duplicate_escapes_the_quick_check(text: str) -> None:
    body = text.encode()
    assert may_have_duplicates(body, parse_json(body)) or not _has_duplicates(text)


@settings(deadline=None)
@given(_MEMBERS)
def test_duplicates_are_reported_exactly_where_there_are_some(text: str) -> None:
    assert bool(duplicate_fields(text.encode())) == _has_duplicates(text)
