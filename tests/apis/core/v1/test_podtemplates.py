import httpx
import pytest

_POD = {"containers": [{"name": "app", "image": "nginx:1.27"}]}
_MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def template(client: httpx.Client, namespace: str) -> str:
    """The URL path of a new PodTemplate."""
    templates = f"/api/v1/namespaces/{namespace}/podtemplates"
    body = {"metadata": {"name": "web"}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": _POD}}
    client.post(templates, json=body).raise_for_status()
    return f"{templates}/web"


@pytest.mark.parametrize(
    ("patch", "generation"), [({"metadata": {"labels": {"c": "d"}}}, 1), ({"template": {"spec": {"hostIPC": True}}}, 2)]
)
def test_a_changed_template_is_a_new_generation(
    client: httpx.Client, template: str, patch: dict[str, object], generation: int
) -> None:
    changed = client.patch(template, json=patch, headers=_MERGE).json()
    assert changed["metadata"]["generation"] == generation


def test_a_template_without_labels_shows_none(client: httpx.Client, template: str) -> None:
    client.patch(template, json={"template": {"metadata": None}}, headers=_MERGE).raise_for_status()
    accept = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
    (row,) = client.get(template, headers=accept).json()["rows"]
    assert row["cells"] == ["web", "app", "nginx:1.27", "<none>"]
