import pytest

from memkube.cluster.manifest_text import Position, documents_in
from memkube.cluster.manifests import Manifest, manifests_in

_POD = """\
# A pod, and what is wrong with it.
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app.kubernetes.io/name: web, tier: front}
spec:
  containers:
  - name: a
    image: nginx
  - image: &image redis
    name: b
    env: [{name: IMAGE, value: *image}]
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ("spec.containers[1].name", 12, 5),
        ("spec.containers[1]", 11, 5),
        ("spec.containers[1].env[0].value", 13, 25),
        ("spec.containers[0].resources.limits[cpu]", 9, 5),
        ("spec.containers[7].image", 8, 3),
        ("metadata.labels.app.kubernetes.io/name", 6, 12),
        ("metadata.labels[tier]", 6, 41),
        ("metadata.namespace", 4, 1),
        ("status.phase", 2, 1),
    ],
)
def test_a_field_has_a_place_or_that_of_what_is_around_it(path: str, line: int, column: int) -> None:
    (text,) = documents_in(_POD, "pod.yaml")
    found = text.position(path)
    assert (found.line, found.column) == (line, column)


def test_a_scalar_is_marked_to_its_end() -> None:
    (text,) = documents_in(_POD, "pod.yaml")
    assert text.position("spec.containers[0].image") == Position(10, 5, 10, 17)


def test_documents_count_the_lines_of_their_file() -> None:
    texts = list(documents_in(f"# nothing\n---\n{_POD}--- # more\n{_POD}", "two.yaml"))
    assert [text.first_line for text in texts] == [4, 18]
    assert texts[1].position("kind").line == 19


def test_json_values_may_stand_one_behind_the_other() -> None:
    text = '{"apiVersion": "v1", "kind": "Pod"} {"apiVersion": "v1",\n "kind": "Service"}\n'
    found = [m for m in manifests_in(text, "x") if isinstance(m, Manifest)]
    assert [m.kind for m in found] == ["Pod", "Service"]
    assert [m.text.position("apiVersion") for m in found if m.text] == [Position(1, 2, 1, 20), Position(1, 38, 1, 56)]


def test_a_braced_text_that_is_no_json_is_yaml() -> None:
    (found,) = manifests_in("{apiVersion: v1, kind: Pod}", "x")
    assert isinstance(found, Manifest)


def test_a_repeated_key_is_found_where_it_is_repeated() -> None:
    text = "apiVersion: v1\nkind: ConfigMapList\nitems:\n- {data: {a: b}}\n- {data: {c: d, c: e}}\n"
    first, second = (m for m in manifests_in(text, "x") if isinstance(m, Manifest))
    assert not first.duplicates
    assert second.duplicates == (("items[1].data.c", Position(5, 17, 5, 18)),)
    assert (second.api_version, second.kind) == ("v1", "ConfigMap")
