import httpx


def test_the_control_api_describes_itself(client: httpx.Client) -> None:
    document = client.get("/memkube/v1/openapi.json").json()
    assert "/clock/advance" in document["paths"]
    assert document["servers"] == [{"url": "/memkube/v1"}]
    assert "/memkube/v1/openapi.json" in client.get("/memkube/v1/docs").text


def test_an_address_without_anything_behind_it_is_refused_with_a_status(client: httpx.Client) -> None:
    answer = client.get("/memkube/v1/nothing")
    assert (answer.status_code, answer.json()["kind"]) == (404, "Status")


def test_a_method_without_a_meaning_is_refused_with_a_status(client: httpx.Client) -> None:
    answer = client.delete("/memkube/v1/clock")
    assert (answer.status_code, answer.json()["kind"]) == (405, "Status")
