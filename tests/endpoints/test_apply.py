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


def test_an_applied_request_for_a_certificate_without_bytes_has_null(client: httpx.Client) -> None:
    body = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "a"}}
    body["spec"] = {"signerName": "example.com/signer", "usages": ["client auth"]}
    address = "/apis/certificates.k8s.io/v1/certificatesigningrequests/a"
    answer = client.patch(address, params={"fieldManager": "me"}, json=body, headers=APPLY)
    assert answer.json()["details"]["causes"][0]["message"] == (
        "Invalid value: null: PEM block type must be CERTIFICATE REQUEST"
    )
