"""Webhooks that hang or send wrong or too large responses.

The client gets Kubernetes' error message, and no other request is delayed.
"""

import gzip
import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from memkube.hooks.client import MOST_ANSWER_BYTES
from tests.admission.policies.test_validating import HEAVY
from tests.admission.webhooks.conftest import Register
from tests.hooks.listening import HANG, Answer, Received, http, review

_FAILED = 'Internal error occurred: failed calling webhook "a.hooks.example.com": '
_CALL = f"{_FAILED}failed to call webhook: "
_POST = f'{_CALL}Post "URL?timeout=30s": '
_BODY = f"{_CALL}unexpected error when reading response body. Please retry. Original error: "
_TOO_LONG = f"{_BODY}response body is longer than {MOST_ANSWER_BYTES} bytes"
_TYPE = r"""struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"""
_FIELD = "Go struct field AdmissionResponse.response"
_ANOTHER = (
    f"{_FAILED}received invalid webhook response: "
    "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, "
)
_UNREAD = f"{_CALL}couldn't get version/kind; json parse error: "


def _gigabyte(received: Received) -> Iterator[bytes]:
    yield http(b"", Content_Length=str(1 << 30))
    for _ in range(1 << 10):
        yield bytes(1 << 20)


def _of_kind(kind: str, version: str = "admission.k8s.io/v1") -> Answer:
    return lambda received: http(json.dumps({**received.data, "kind": kind, "apiVersion": version}).encode())


def _allowing(received: Received, **meta: str) -> bytes:
    return json.dumps({**meta, "response": {"uid": received.uid, "allowed": True}}).encode()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(lambda _: None, f"{_POST}EOF", id="closes"),
        pytest.param(_gigabyte, _TOO_LONG, id="one gigabyte"),
        pytest.param(
            lambda _: http(gzip.compress(bytes(MOST_ANSWER_BYTES + 1)), Content_Encoding="gzip"), _TOO_LONG, id="bomb"
        ),
        pytest.param(
            lambda _: http(b"", "301 Moved", Location="/"),
            f'{_CALL}Post "/": stopped after 10 redirects',
            id="redirects",
        ),
        pytest.param(
            lambda _: http(b"", "500 Broken"),
            f'{_CALL}an error on the server ("unknown") has prevented the request from succeeding',
            id="500",
        ),
        pytest.param(
            lambda _: http(b"go away", "403 No", Content_Type="text/plain"), f"{_CALL}go away", id="403 with a text"
        ),
        pytest.param(
            lambda _: http(b"{}", Content_Type="a;b"),
            f"{_CALL}Internal error occurred: mime: invalid media parameter",
            id="odd media type",
        ),
        pytest.param(
            lambda _: http(b"<html>", Content_Type="text/html"),
            f"{_UNREAD}json: cannot unmarshal string into Go value of type {_TYPE}",
            id="a page",
        ),
        pytest.param(
            lambda _: http(b'{"kind":5}'),
            f"{_UNREAD}json: cannot unmarshal number into Go struct field .kind of type string",
            id="a kind that is a number",
        ),
        pytest.param(
            _of_kind("Pod"),
            f'{_CALL}no kind "Pod" is registered for version "admission.k8s.io/v1" in scheme '
            '"k8s.io/apiserver/pkg/util/webhook/client.go:71"',
            id="another kind",
        ),
        pytest.param(
            _of_kind("AdmissionReview", "admission.k8s.io/v1beta1"),
            f"{_CALL}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
            id="another version",
        ),
        pytest.param(
            lambda received: http(_allowing(received, kind="AdmissionReview")),
            f"{_ANOTHER}got /, Kind=AdmissionReview",
            id="no version",
        ),
        pytest.param(
            lambda received: http(_allowing(received, apiVersion="admission.k8s.io/v1")),
            f"{_ANOTHER}got admission.k8s.io/v1, Kind=",
            id="no kind",
        ),
        pytest.param(
            lambda received: http(received.body),
            f"{_FAILED}received invalid webhook response: webhook response was absent",
            id="echo",
        ),
        pytest.param(
            lambda received: review(received, uid="lie"),
            f'{_FAILED}received invalid webhook response: expected response.uid="UID", got "lie"',
            id="another's answer",
        ),
        pytest.param(
            lambda received: review(received, patchType="JSONPatch"),
            f"{_FAILED}received invalid webhook response: validating webhook may not return response.patchType",
            id="a patch",
        ),
        pytest.param(
            lambda received: review(received, allowed="yes"),
            f"{_CALL}json: cannot unmarshal string into {_FIELD}.allowed of type bool",
            id="a wrong type",
        ),
    ],
)
def test_a_hostile_webhook_ends_in_the_words_of_the_reference(
    client: httpx.Client, config_maps: str, register: Register, answer: Answer, message: str
) -> None:
    hook = register(answer)
    refused = client.post(config_maps, json={"metadata": {"name": "a"}})
    said = re.sub(r'uid="[0-9a-f-]{36}"', 'uid="UID"', refused.json()["message"].replace(hook.url, "URL"))
    assert (refused.status_code, said) == (500, message)


def test_a_webhook_that_hangs_holds_up_its_own_request_alone(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    ends = threading.Event()

    def answer(received: Received) -> bytes:
        ends.wait(20)
        return review(received)

    hook = register(answer)
    with ThreadPoolExecutor() as pool:
        held = pool.submit(client.post, config_maps, json={"metadata": {"name": "a"}})
        hook.received.get(timeout=60)
        assert client.get(config_maps).json()["items"] == []
        assert not held.done()
        ends.set()
        assert held.result(timeout=60).status_code == 201


@pytest.mark.parametrize(("policy", "code"), [("Fail", 500), ("Ignore", 201)])
def test_a_webhook_that_hangs_holds_up_its_own_request_for_its_time(
    client: httpx.Client, config_maps: str, register: Register, policy: str, code: int
) -> None:
    register(lambda _: HANG, failurePolicy=policy, timeoutSeconds=1)
    assert client.post(config_maps, json={"metadata": {"name": "a"}}).status_code == code


def test_a_request_that_is_over_waits_for_no_webhook(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    hook = register(lambda _: HANG)
    answer = client.post(config_maps, params={"timeout": "1s"}, json={"metadata": {"name": "a"}})
    assert (answer.status_code, answer.json()["reason"]) == (504, "Timeout")
    assert hook.received.get(timeout=60).target == "/hook?timeout=1s"


def test_conditions_that_take_long_do_not_keep_others_waiting(
    client: httpx.Client, config_maps: str, register: Register
) -> None:
    register(review, matchConditions=[{"name": f"heavy-{number}", "expression": HEAVY} for number in range(2)])
    with ThreadPoolExecutor(1) as elsewhere:
        slow = elsewhere.submit(client.post, config_maps, json={"metadata": {"name": "a"}})
        answered = 0
        while not slow.done():
            client.get(config_maps).raise_for_status()
            answered += 1
    assert slow.result().status_code == 403
    assert answered > 5
