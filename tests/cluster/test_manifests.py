from pathlib import Path

import pytest

from memkube.cluster.manifests import read_manifests
from memkube.errors import ManifestError

_NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
_LIST = f"apiVersion: v1\nkind: List\nitems:\n- {{{_POD.replace(chr(10), ', ')}}}\n"


def test_a_folder_is_its_manifests_in_order_and_nothing_below(tmp_path: Path) -> None:
    (tmp_path / "b.yml").write_text(_NAMESPACE.replace("shop", "b"))
    (tmp_path / "a.json").write_text('{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}')
    (tmp_path / "notes.txt").write_text("not: a manifest")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "c.yaml").write_text(_NAMESPACE)
    assert [m.metadata["name"] for m in read_manifests(str(tmp_path))] == ["a", "b"]


@pytest.mark.parametrize(
    "given", [_POD, _LIST, '{"apiVersion": "v1", "kind": "Pod"}', [_POD], f"---\n---\n# no\n--- \n{_POD}"]
)
def test_text_lists_and_sequences_are_their_objects(given: str | list[str]) -> None:
    assert [manifest.kind for manifest in read_manifests(given)] == ["Pod"]


def test_namespaces_come_before_what_is_in_them() -> None:
    assert [manifest.kind for manifest in read_manifests(f"{_POD}---\n{_NAMESPACE}")] == ["Namespace", "Pod"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: [\nb: 1\n", "text, document at line 1: yaml"),
        (f"{_POD}---\na: 1\n", "text, document at line 5: apiVersion is missing"),
        ("apiVersion: v1\nkind: Pod\nkind: Pod\n", "already set in map"),
        ("- a\n- b\n", "text, document at line 1: not an object"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(ManifestError, match=complaint):
        read_manifests(text)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    for path, complaint in ((tmp_path / "no.yaml", "No such file"), (tmp_path, "no file in this folder")):
        with pytest.raises(ManifestError, match=complaint):
            read_manifests(path)


def test_what_others_need_comes_first_and_what_decides_over_them_last() -> None:
    kinds = [
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("v1", "Pod"),
        ("v1", "ServiceAccount"),
        ("example.com/v1", "Namespace"),
        ("v1", "Namespace"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ]
    read = read_manifests([{"apiVersion": version, "kind": kind} for version, kind in kinds])
    assert [(m.api_version, m.kind) for m in read] == [kinds[5], kinds[4], kinds[2], kinds[1], kinds[3], kinds[0]]
