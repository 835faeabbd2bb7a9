"""The table of paths, methods and endpoints in the README."""

from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Match, Mount

from memkube.endpoints.routers.application import RESOURCE_ROUTES
from memkube.server.app import create_app

_README = Path(__file__).parents[3] / "README.md"
_NAMESPACED = "/namespaces/{namespace}/{resource}"
_EVERY_METHOD = "DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT"


def declared() -> list[tuple[str, APIRoute]]:
    """Yield every path with its route."""
    return [
        (f"{parent.path}{route.path}" if isinstance(parent, Mount) else route.path, route)
        for parent in create_app().routes
        for route in (parent.routes if isinstance(parent, Mount) else [parent])
        if isinstance(route, APIRoute)
    ]


def table() -> str:
    """Return a table row for each endpoint, with its paths, methods and verbs.

    Paths of the core group also represent those of named groups, and paths inside a namespace those of cluster-scoped
    resources.
    """
    rows: dict[str, list[str]] = {}
    for path, route in declared():
        if path.startswith("/apis/{group}/{version}/"):
            continue
        collapsed = path if path == "/" else path.rstrip("/").replace(_NAMESPACED, "/{resource}")
        methods = ",".join(sorted(route.methods or ["any"])).replace(_EVERY_METHOD, "any")
        row = rows.setdefault(collapsed.replace("/{resource}", "[/namespaces/{namespace}]/{resource}"), [])
        row.append(f"{methods} {route.name}")
    paths: dict[str, list[str]] = {}
    for path, row in rows.items():
        paths.setdefault(", ".join(dict.fromkeys(row)), []).append(path)
    lines = [
        (path, verbs)
        for verbs, equal in paths.items()
        for path in ([" ".join(equal)] if verbs.startswith("any") and "connect" not in verbs else equal)
    ]
    return "\n".join(f"{path:<70} {verbs}" for path, verbs in lines)


def test_the_readme_shows_the_table_of_routes() -> None:
    assert table() in _README.read_text()


def test_resources_have_the_same_routes_in_named_groups_as_in_the_core_group() -> None:
    core, named = (
        [
            (path.removeprefix(prefix), route.methods, route.endpoint)
            for path, route in declared()
            if path.startswith(f"{prefix}/")
        ]
        for prefix in ("/api/{version}", "/apis/{group}/{version}")
    )
    assert core == named


def test_cluster_scoped_paths_have_the_same_routes_as_namespaced_ones() -> None:
    facts = [(path, route.methods, route.endpoint) for path, route in declared()]
    namespaced = [(path.replace(_NAMESPACED, "/{resource}"), *fact) for path, *fact in facts if _NAMESPACED in path]
    assert [fact for fact in namespaced if fact not in facts] == []


@pytest.mark.parametrize(
    "verb", ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "connect"]
)
def test_each_verb_of_the_reference_is_the_name_of_a_route(verb: str) -> None:
    assert verb in {route.name for _, route in declared()}


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/pods", ["list", "create", "deletecollection"]),
        ("/pods/", ["list", "create", "deletecollection"]),
        ("/namespaces//pods", ["list", "create", "deletecollection"]),
        ("/namespaces/a/pods//", ["list", "create", "deletecollection"]),
        ("/namespaces/a/", ["get", "update", "patch", "delete"]),
        ("/namespaces/a/status", ["get", "update", "patch"]),
        ("/namespaces/a/pods/b/", ["get", "update", "patch", "delete"]),
        ("/namespaces/a/deployments/b/scale", ["create", "get", "update", "patch"]),
        ("/nodes/a/proxy/", ["connect"]),
        ("/nodes/a/proxy/b/c", ["connect"]),
        ("/namespaces/a/pods/b/log/c", []),
        ("/watch/namespaces/a/pods/b", ["watch"]),
    ],
)
def test_the_first_path_that_matches_decides_on_the_verbs(path: str, names: list[str]) -> None:
    scope = {"type": "http", "method": "GET", "path": path}
    routes = [route for route in RESOURCE_ROUTES if isinstance(route, APIRoute)]
    matching = [route for route in routes if route.matches(scope)[0] is not Match.NONE]
    assert [route.name for route in matching if route.path == matching[0].path] == names
