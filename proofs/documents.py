"""Requests that our own OpenAPI documents allow, or nearly so: schemathesis makes them."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case
from schemathesis.core import NotSet
from schemathesis.core.result import Ok

from proofs.requests import DOCUMENTS, request_bytes

ALL: Final = tuple(path.stem for path in sorted(DOCUMENTS.glob("api*__v*.json")))
"""Every group and version; the control API is not asked to break the server."""
SMALL: Final = tuple(
    f"apis__{group}__v1"
    for group in (
        "coordination.k8s.io",
        "networking.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "scheduling.k8s.io",
    )
)
"""Those whose types are small: to learn that of a pod takes schemathesis ten seconds."""
_NAMES: Final = {"namespace": "default", "name": "a"}


def documented_requests(documents: Sequence[str], count: int, number: int) -> Iterator[bytes]:
    """So many requests about all operations of the documents in turn, by the seed `number`."""
    operations = []
    for document in documents:
        schema = schemathesis.openapi.from_dict(json.loads((DOCUMENTS / f"{document}.json").read_text()))
        operations += [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    each, more = divmod(count, len(operations))
    for index, operation in enumerate(operations):
        if examples := each + (index < more):
            yield from _made(operation, examples, number)


def _made(operation: Any, count: int, number: int) -> list[bytes]:
    made: list[bytes] = []

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy())
    def collect(case: Case[Any]) -> None:
        made.append(_bytes_of(case, well_named=len(made) % 2 == 0))

    collect()
    return made


def _bytes_of(case: Case[Any], *, well_named: bool) -> bytes:
    """As what `case` says would be sent; half of them are about names that there may be."""
    parameters = {**(case.path_parameters or {}), **(_NAMES if well_named else {})}
    body = b"" if isinstance(case.body, NotSet) else json.dumps(case.body, default=str).encode()
    query = {key: _text(value) for key, value in (case.query or {}).items()}
    return request_bytes(case.method, case.path, parameters, query, body)


def _text(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool | None) else str(value)
