from typing import Any

import httpx
import pytest

RULES = "/memkube/v1/rules"
RULE = {"image": "nginx:*", "exitCode": 1, "exitAfterSeconds": 5}


def test_a_rule_is_kept_until_it_is_deleted(stepped: httpx.Client) -> None:
    answer = stepped.put(f"{RULES}/crash", json=RULE)
    assert (answer.status_code, answer.json()) == (200, RULE)
    assert stepped.get(f"{RULES}/crash").json() == RULE
    assert stepped.get(RULES).json() == {"items": [{"name": "crash", "rule": RULE}]}
    assert stepped.delete(f"{RULES}/crash").status_code == 204
    assert stepped.get(RULES).json() == {"items": []}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_rule_that_there_is_not_is_not_found(stepped: httpx.Client, method: str) -> None:
    answer = stepped.request(method, f"{RULES}/crash")
    assert (answer.status_code, answer.json()["message"]) == (404, 'rules "crash" not found')


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("crash", {"imagine": "nginx"}),
        ("crash", {"exitCode": 256}),
        ("crash", {"exitAfterSeconds": 1}),
        ("crash", {"labelSelector": "a in"}),
        ("Crash", {}),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(stepped: httpx.Client, name: str, rule: Any) -> None:
    answer = stepped.put(f"{RULES}/{name}", json=rule)
    assert (answer.status_code, answer.json()["reason"]) == (422, "Invalid")


def test_without_kubelets_there_are_no_rules(client: httpx.Client) -> None:
    assert client.put(f"{RULES}/crash", json=RULE).status_code == 501
