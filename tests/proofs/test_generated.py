"""A short form of the 100,000 generated requests of `make soak`, and the rules for judging responses."""

import json
import random

import pytest
from proofs.answers import Answer, judged
from proofs.documents import SMALL
from proofs.generated import wrong_answers

from proofs import engines

pytestmark = pytest.mark.long
STATUS = {"kind": "Status", "apiVersion": "v1", "code": 404}


@pytest.mark.parametrize(("raw", "of_documents"), [(400, 150), pytest.param(4700, 300, marks=pytest.mark.slow)])
def test_every_generated_request_is_answered_as_it_should_be(raw: int, of_documents: int) -> None:
    with engines.Server(("--nodes", "2"), controllers="all") as server:
        number = random.randrange(1 << 32)
        sent, found = wrong_answers(server.address, raw=raw, of_documents=of_documents, documents=SMALL, number=number)
    assert sent >= raw + of_documents - 10
    assert not found, f"seed {number}\n" + "\n".join(found[:10])


def answer(status: int, body: object, kind: str = "application/json") -> Answer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, {"content-type": kind}, data, complete=True)


@pytest.mark.parametrize(
    "right",
    [
        answer(200, {"kind": "PodList"}),
        answer(404, STATUS),
        answer(200, b"k8s\0", "application/vnd.kubernetes.protobuf"),
        answer(500, {"message": "Internal error occurred: failed calling webhook"}),
    ],
)
def test_an_object_a_status_and_another_media_type_are_right(right: Answer) -> None:
    assert judged("GET", "/api/v1/pods", right) == ""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (answer(500, b"Internal Server Error", "text/plain"), "500: Internal Server Error"),
        (answer(200, b"{", "application/json"), "not JSON"),
        (answer(200, []), "not an object"),
        (answer(404, {"kind": "Pod"}), "not its Status"),
        (answer(409, STATUS), "not its Status"),
        (answer(200, b"x", ""), "without a media type"),
    ],
)
def test_the_judge_finds_a_wrong_answer(wrong: Answer, words: str) -> None:
    assert words in judged("GET", "/api/v1/pods", wrong)
