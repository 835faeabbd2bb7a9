from typing import Any

import pytest

from memkube.apis.certificates.v1.certificatesigningrequests.columns import PRINTER


def cells(status: dict[str, Any], **spec: Any) -> list[Any]:
    return PRINTER.row({"metadata": {"name": "one"}, "spec": spec, "status": status}).cells


@pytest.mark.parametrize(
    ("types", "certificate", "shown"),
    [
        ([], "", "Pending"),
        (["Odd"], "", "Pending"),
        (["Approved", "Denied"], "", "Denied"),
        (["Approved"], "eA==", "Approved,Issued"),
        (["Approved", "Failed"], "", "Approved,Failed"),
        (["Failed", "Denied"], "eA==", "Denied,Failed,Issued"),
    ],
)
def test_a_row_tells_what_has_been_decided(types: list[str], certificate: str, shown: str) -> None:
    status = {"conditions": [{"type": of_type} for of_type in types], "certificate": certificate}
    assert cells(status)[5] == shown


def test_a_row_tells_who_asked_whom_and_for_how_long() -> None:
    assert cells({}, signerName="a.b/c", username="alice", expirationSeconds=86400)[2:5] == ["a.b/c", "alice", "24h"]
    assert cells({})[2:5] == ["<none>", "", "<none>"]
