"""ResourceQuotas with the status that their controller sets."""

from typing import Any

import httpx


class Quota:
    """A ResourceQuota of a namespace, whose usage is known."""

    def __init__(self, client: httpx.Client, namespace: str, name: str = "quota") -> None:
        self._client = client
        self._quotas = f"/api/v1/namespaces/{namespace}/resourcequotas"
        self._name = name

    def limit(self, hard: dict[str, str], used: dict[str, str] | None = None, **spec: Any) -> None:
        """Create the quota with these hard limits. By default, nothing is used."""
        body = {"metadata": {"name": self._name}, "spec": {"hard": hard, **spec}}
        self._client.post(self._quotas, json=body).raise_for_status()
        status = {"hard": hard, "used": dict.fromkeys(hard, "0") if used is None else used}
        headers = {"Content-Type": "application/merge-patch+json"}
        where = f"{self._quotas}/{self._name}/status"
        self._client.patch(where, json={"status": status}, headers=headers).raise_for_status()

    def used(self) -> dict[str, str]:
        """Return the current usage."""
        used: dict[str, str] = self._client.get(f"{self._quotas}/{self._name}").json()["status"]["used"]
        return used
