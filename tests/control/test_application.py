import json
from pathlib import Path

import httpx
import jsonschema


def test_the_control_api_describes_itself(client: httpx.Client) -> None:
    document = client.get("/memkube/v1/openapi.json").json()
    assert "/clock/advance" in document["paths"]
    assert document["servers"] == [{"url": "/memkube/v1"}]
    assert "/memkube/v1/openapi.json" in client.get("/memkube/v1/docs").text


def test_its_description_is_that_which_is_published(client: httpx.Client) -> None:
    published = Path(__file__).parents[2] / "openapi" / "memkube__v1.json"
    assert client.get("/memkube/v1/openapi.json").json() == json.loads(published.read_text())


def test_refusals_are_described_as_what_they_are(client: httpx.Client) -> None:
    described = client.get("/memkube/v1/openapi.json").json()["paths"]["/clock/advance"]["post"]["responses"]
    assert described.keys() == {"200", "default"}
    schema = described["default"]["content"]["application/json"]["schema"]
    jsonschema.validate(client.post("/memkube/v1/clock/advance", json={"seconds": -1}).json(), schema)


def test_an_address_without_anything_behind_it_is_refused_with_a_status(client: httpx.Client) -> None:
    answer = client.get("/memkube/v1/nothing")
    assert (answer.status_code, answer.json()["kind"]) == (404, "Status")


def test_a_method_without_a_meaning_is_refused_with_a_status(client: httpx.Client) -> None:
    answer = client.delete("/memkube/v1/clock")
    assert (answer.status_code, answer.json()["kind"]) == (405, "Status")
