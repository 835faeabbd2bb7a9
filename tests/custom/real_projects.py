"""A server's responses to a project's definitions and sample objects, without parts that differ between runs."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

Json = dict[str, Any]
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_ESTABLISHED_SECONDS: Final = 60
_ATTEMPTS: Final = 20
"""Maximum number of attempts to create an object: the watch cache of a real server may be behind."""
_TABLE: Final = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = {"Content-Type": "application/apply-patch+yaml"}
_RUN: Final = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink", "generation")
_uids = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z").sub


@dataclass(frozen=True)
class Project:
    """The CustomResourceDefinitions of a project, and objects of its kinds."""

    definitions: list[Json]
    samples: list[Json]

    @classmethod
    def read(cls, folder: Path) -> "Project":
        """Read a project from a folder.

        Conversion webhooks are removed: versions then differ only in their apiVersion.
        """
        definitions = json.loads((folder / "definitions.json").read_text())
        for definition in definitions:
            definition.pop("status", None)
            definition["spec"].pop("conversion", None)
        return cls(definitions, json.loads((folder / "samples.json").read_text()))


def answers_to(client: httpx.Client, project: Project) -> Json:
    """Create all objects of a project on a server, and return the responses. The objects are deleted afterwards."""
    definitions = {d["metadata"]["name"]: _told(client.post(_DEFINITIONS, json=d)) for d in project.definitions}
    accepted = [d for d in project.definitions if definitions[d["metadata"]["name"]]["code"] == 201]
    try:
        for definition in accepted:
            _await_established(client, definition["metadata"]["name"])
        samples = [_told_of_sample(client, path, sample) for path, sample in _placed(accepted, project.samples)]
    finally:
        for definition in accepted:
            client.delete(f"{_DEFINITIONS}/{definition['metadata']['name']}")
    return {"definitions": definitions, "samples": samples}


def differences(expected: Json, found: Json) -> list[str]:
    """Return a line for each difference between the responses of two servers."""
    named = [(name, told, found["definitions"].get(name)) for name, told in expected["definitions"].items()]
    pairs = zip(expected["samples"], found["samples"], strict=True)
    named += [(f"object {index}", one, other) for index, (one, other) in enumerate(pairs)]
    return [f"{name}: {json.dumps(one)} is not {json.dumps(other)}" for name, one, other in named if one != other]


def _await_established(client: httpx.Client, name: str) -> None:
    query: dict[str, str | int] = {
        "watch": "1",
        "fieldSelector": f"metadata.name={name}",
        "timeoutSeconds": _ESTABLISHED_SECONDS,
    }
    for _ in range(_ATTEMPTS):
        with client.stream("GET", _DEFINITIONS, params=query) as events:
            for line in events.iter_lines():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    break
                conditions = event["object"]["status"].get("conditions") or ()
                if any(c["type"] == "Established" and c["status"] == "True" for c in conditions):
                    return
    raise AssertionError(f"{name} is not established")


def _placed(definitions: list[Json], samples: list[Json]) -> Iterator[tuple[str, Json]]:
    """Yield the samples of served versions, each with its URL path and a unique name."""
    served = {
        (f"{d['spec']['group']}/{v['name']}", d["spec"]["names"]["kind"]): d["spec"]
        for d in definitions
        for v in d["spec"]["versions"]
        if v["served"]
    }
    for index, sample in enumerate(samples):
        spec = served.get((sample["apiVersion"], sample["kind"]))
        if spec is not None:
            namespace = "/namespaces/default" if spec["scope"] == "Namespaced" else ""
            kept = {k: v for k, v in sample.get("metadata", {}).items() if k in ("labels", "annotations")}
            metadata = {**kept, "name": f"sample-{index}"}
            yield f"/apis/{sample['apiVersion']}{namespace}/{spec['names']['plural']}", {**sample, "metadata": metadata}


def _told_of_sample(client: httpx.Client, path: str, sample: Json) -> Json:
    strict = {"fieldValidation": "Strict"}
    address = f"{path}/{sample['metadata']['name']}"
    told: Json = {"strict": _told(client.post(path, json=sample, params={**strict, "dryRun": "All"}))}
    told["created"] = _told(client.post(path, json=sample))
    if told["created"]["code"] == 201:
        apply = client.patch(f"{address}?fieldManager=sample&force=true", content=json.dumps(sample), headers=_APPLY)
        told["applied"] = _told(apply)
        told["table"] = [
            [cell for cell in row["cells"] if not re.fullmatch(r"(\d+[smhd])+", str(cell))]
            for row in client.get(address, headers=_TABLE).json()["rows"]
        ]
        released = {"metadata": {"finalizers": None}}
        client.patch(address, json=released, headers={"Content-Type": _MERGE})
        client.delete(address)
    return told


def _told(response: httpx.Response) -> Json:
    """Return a response without parts that differ between runs.

    The causes of a refusal are sorted. An object lacks the fields that each run generates.
    """
    body = response.json()
    if body["kind"] == "Status":
        causes = sorted(json.dumps(cause, sort_keys=True) for cause in body.get("details", {}).get("causes", ()))
        text = body["message"].partition(" is invalid: ")[0] if causes else body["message"]
        return {"code": response.status_code, "text": _uids("", text), "causes": [_uids("", cause) for cause in causes]}
    return {
        "code": response.status_code,
        "warnings": sorted(response.headers.get_list("warning")),
        "object": _lasting(body),
    }


def _lasting(body: Mapping[str, Any]) -> Json:
    metadata = {name: value for name, value in body["metadata"].items() if name not in _RUN}
    kept = {name: value for name, value in body.items() if name != "metadata"}
    if body["kind"] == "CustomResourceDefinition":
        del kept["status"]
    return {**kept, "metadata": metadata}
