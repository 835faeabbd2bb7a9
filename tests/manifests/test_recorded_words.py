"""Error messages about manifests, which are those that a real API server gave for new objects."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from memkube.admission.available import default_plugins
from memkube.manifests.validation import Choices
from tests.manifests.test_validation import validated_text
from tests.recordings import archive

_ASIDE: Final = {
    "kind-reviews-access-metadata": "tells the time",
    "kind-services-patches": "wants an address that another recording's service has",
    "metadata-generate-name-invalid": "tells a name that was made up",
    "pods-crud-create-full": "names the priority of a class that another recording has made the default",
    "pods-crud-generate-name-invalid": "tells a name that was made up",
}
"""Recordings that are not compared, each with the reason why its messages differ."""
_STRICT_OR_TWICE: Final = ("UnknownField", "DuplicateField", "Duplicate")
"""Rules of findings that recordings lack: their requests were not strict, and did not create an object twice."""
_SAYS_WHAT_IT_IS: Final = {"apiVersion", "kind", "metadata"}
_OF_THE_RIGHT_ONES: Final = 10
"""One in this number of valid objects is tested."""
_CREATED: Final = 201
_INVALID: Final = 422
_path: Final = re.compile(r"/(?:api|apis/[^/]+)/[^/]+/(?:namespaces/([^/?]+)/)?[^/?]+").fullmatch
_namespace: Final = re.compile(r"conf-[0-9a-f]{10}")


class Recorded(NamedTuple):
    """An object, and its errors."""

    id: str
    body: dict[str, Any]
    words: frozenset[str]


def _recorded() -> Iterator[Recorded]:
    """Yield the objects that recordings create first, if they were created without options or were invalid."""
    recordings = [recording for suite in ("kinds", "cases") for recording in archive.load(suite)]
    for number, recording in enumerate(recordings):
        request, response = recording["steps"][0]["request"], recording["steps"][0]["response"]
        path, body = _path(request["path"]), request.get("body")
        if request["method"] != "POST" or path is None or response["status"] not in (_CREATED, _INVALID):
            continue
        if recording["id"] in _ASIDE or not isinstance(body, dict) or not {*body} >= _SAYS_WHAT_IT_IS:
            continue
        if path[1]:
            body = {**body, "metadata": {"namespace": path[1], **body["metadata"]}}
        own = f"conf-{number:010x}"
        words = _words(response["body"]) if response["status"] == _INVALID else ()
        named = json.loads(json.dumps(body).replace("{{ns}}", own))
        yield Recorded(recording["id"], named, frozenset(_namespace.sub(own, text) for text in words))


def _words(status: Mapping[str, Any]) -> Iterator[str]:
    for cause in status["details"]["causes"]:
        field = cause.get("field", "")
        yield f"{field}: {cause['message']}" if field not in ("", "<nil>") else cause["message"]


def test_manifests_are_refused_in_the_words_of_the_reference() -> None:
    recorded = [one for number, one in enumerate(_recorded()) if one.words or number % _OF_THE_RIGHT_ONES == 0]
    assert sum(bool(one.words) for one in recorded) > 350
    text = "\n".join(json.dumps(one.body) for one in recorded)
    report = validated_text(text, Choices(plugins=default_plugins(have_accounts=False)))
    said = defaultdict(set)
    for finding in report.findings:
        if finding.level == "error" and finding.rule not in _STRICT_OR_TWICE:
            said[finding.position.line].add(finding.message)
    different = {one.id: said[line] ^ one.words for line, one in enumerate(recorded, 1) if said[line] != one.words}
    assert different == {}
