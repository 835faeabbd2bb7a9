from typing import Any

import pytest

from memkube.controllers.stages.languages.jq import Query

POD: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}, "ownerReferences": [{"kind": "Job"}, {"kind": "Other"}]},
    "spec": {"containers": [{"name": "a", "image": "i:1"}, {"name": "b"}], "replicas": 3.0},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}], "none": None},
}


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ('.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]),
        ('.metadata.labels["app"]', ["web"]),
        ('.metadata."labels".app', ["web"]),
        (".metadata.ownerReferences.[].kind", ["Job", "Other"]),
        (".spec.containers.[0].name", ["a"]),
        (".spec.containers[-1].name", ["b"]),
        (".spec.containers[].image", ["i:1"]),
        (".spec.containers | length", [2]),
        (".status.none // .metadata.labels.app", ["web"]),
        ('[.spec.containers[] | select(has("image")) | .name]', [["a"]]),
        ('.spec.containers | map(.name) | join("-")', ["a-b"]),
        ("(1,2) + (10,20)", [11, 12, 21, 22]),
        ("7 % 3, -7 % 3, 6 / 4, 6 / 3", [1, -1, 1.5, 2]),
        ('null < false, false < 1, 1 < "a", "a" < []', [True, True, True, True]),
        (".spec.replicas + 1", [4.0]),
        (".spec.replicas | tostring", ["3"]),
        ('"3" | tonumber', [3]),
        ('.metadata.labels.app | test("^w"), startswith("x")', [True, False]),
        ('[.metadata.labels[]] | contains(["we"])', [True]),
        ("[3,1,2] | min, max, add, first, last", [1, 3, 6, 3, 2]),
        ("empty, 1", [1]),
        (".status.none", []),
        (".nothing.at.all", []),
        ("[true, null] | any, all", [True, False]),
        (".spec.containers[].ports[]?", []),
    ],
)
def test_results_are_those_of_jq(text: str, results: list[Any]) -> None:
    assert Query(text).execute(POD) == results


@pytest.mark.parametrize(
    "text", [".metadata.finalizers.[]", ".spec.replicas.x", "1 / 0", ".[0]", '"a" - 1', "1e999 % 2"]
)
def test_after_an_error_there_is_no_result(text: str) -> None:
    assert Query(text).execute(POD) is None


@pytest.mark.parametrize(
    "text",
    [
        ". as $x | $x",
        ".a = 1",
        "if . then 1 else 2 end",
        "def f: 1; f",
        "reduce .[] as $x (0; . + $x)",
        "..",
        ".[1:2]",
        '"\\(1)"',
        "@base64",
        "{a: 1}",
        "input",
        "range(9)",
        ".[",
        "1 1",
        ". |",
        '"open',
        "",
        "not(1)",
        "(" * 30 + "1" + ")" * 30,
        "- " * 30 + "1",
        " + ".join("1" * 200),
    ],
)
def test_what_is_outside_of_the_subset_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="jq expression") as refusal:
        Query(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        "(.,.)" + " | (.,.)" * 40,
        "(.,.)" + " | (.,.) // 1" * 30,
        " + ".join(["(1,2)"] * 40),
        "(true,false)" + " and (true,true)" * 40,
    ],
)
def test_a_query_cannot_run_forever(text: str) -> None:
    assert Query(text).execute(POD) is None


def test_a_string_cannot_grow_without_bound() -> None:
    assert Query('"abc" * 1000000000').execute(None) is None
