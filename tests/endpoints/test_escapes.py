import httpx


def test_objects_are_written_safe_inside_html(client: httpx.Client, namespace: str) -> None:
    address = f"/api/v1/namespaces/{namespace}/configmaps"
    client.post(address, json={"metadata": {"name": "a"}, "data": {"a": "<&>"}}).raise_for_status()
    assert b'"data":{"a":"\\u003c\\u0026\\u003e"}' in client.get(f"{address}/a").content
    assert client.get(f"{address}/a").json()["data"] == {"a": "<&>"}
