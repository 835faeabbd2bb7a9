import httpx

SECRETS = "/api/v1/namespaces/{}/secrets/a"
APPLY = {"content-type": "application/apply-patch+yaml"}


def test_a_secret_that_is_no_base64_cannot_be_applied(client: httpx.Client, namespace: str) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"key": "!!!"}}
    address = SECRETS.format(namespace)
    answer = client.patch(address, params={"fieldManager": "me"}, json=secret, headers=APPLY)
    assert answer.status_code == 500
    assert answer.json()["message"] == (
        "failed to convert new object (/a; /v1, Kind=Secret) to proper version: unable to convert unstructured object "
        "to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0"
    )
