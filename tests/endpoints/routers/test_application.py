"""The table of paths, methods and endpoints, as the README shows it."""

from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Match

from memkube.endpoints.routers.application import RESOURCE_ROUTES
from memkube.server.app import create_app

_README = Path(__file__).parents[3] / "README.md"
_NAMESPACED = "/namespaces/{namespace}/{resource}"
_EVERY_METHOD = "DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT"


def table() -> str:
    """One line for each path, or for paths of the same endpoint, with methods and verbs.

    Paths of the core group stand for those of named groups, and paths inside a namespace for those of cluster-scoped
    resources.
    """
    rows: dict[str, list[str]] = {}
    for route in create_app().routes:
        if not isinstance(route, APIRoute) or route.path.startswith("/apis/{group}/{version}/"):
            continue
        path = route.path if route.path == "/" else route.path.rstrip("/").replace(_NAMESPACED, "/{resource}")
        methods = ",".join(sorted(route.methods or ["any"])).replace(_EVERY_METHOD, "any")
        row = rows.setdefault(path.replace("/{resource}", "[/namespaces/{namespace}]/{resource}"), [])
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
    routes = [route for route in create_app().routes if isinstance(route, APIRoute)]
    core, named = (
        [
            (route.path.removeprefix(prefix), route.methods, route.endpoint)
            for route in routes
            if route.path.startswith(f"{prefix}/")
        ]
        for prefix in ("/api/{version}", "/apis/{group}/{version}")
    )
    assert core == named


def test_cluster_scoped_paths_have_the_same_routes_as_namespaced_ones() -> None:
    routes = [route for route in create_app().routes if isinstance(route, APIRoute)]
    facts = [(route.path, route.methods, route.endpoint) for route in routes]
    namespaced = [(path.replace(_NAMESPACED, "/{resource}"), *fact) for path, *fact in facts if _NAMESPACED in path]
    assert [fact for fact in namespaced if fact not in facts] == []


@pytest.mark.parametrize(
    "verb", ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "connect"]
)
def test_each_verb_of_the_reference_is_the_name_of_a_route(verb: str) -> None:
    assert verb in {route.name for route in create_app().routes if isinstance(route, APIRoute)}


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/api/v1/pods", ["list", "create", "deletecollection"]),
        ("/api/v1/pods/", ["list", "create", "deletecollection"]),
        ("/api/v1/namespaces//pods", ["list", "create", "deletecollection"]),
        ("/api/v1/namespaces/a/pods//", ["list", "create", "deletecollection"]),
        ("/api/v1/namespaces/a/", ["get", "update", "patch", "delete"]),
        ("/api/v1/namespaces/a/status", ["get", "update", "patch"]),
        ("/api/v1/namespaces/a/pods/b/", ["get", "update", "patch", "delete"]),
        ("/apis/apps/v1/namespaces/a/deployments/b/scale", ["create", "get", "update", "patch"]),
        ("/api/v1/nodes/a/proxy/", ["connect"]),
        ("/api/v1/nodes/a/proxy/b/c", ["connect"]),
        ("/api/v1/namespaces/a/pods/b/log/c", []),
        ("/api/v1/watch/namespaces/a/pods/b", ["watch"]),
    ],
)
def test_the_first_path_that_matches_decides_on_the_verbs(path: str, names: list[str]) -> None:
    scope = {"type": "http", "method": "GET", "path": path}
    matching = [route for route in RESOURCE_ROUTES if route.matches(scope)[0] is not Match.NONE]
    assert [route.name for route in matching if route.path == matching[0].path] == names
