import asyncio
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memkube.manifests.findings import Finding, Report
from memkube.manifests.sources import sources
from memkube.manifests.validation import Choices, validate

_HERE = Path(__file__).parent
_expected = re.compile(r"# (error|warning): (\w+)")


def validated(*paths: Path | str, choices: Choices | None = None, standard_input: str = "") -> Report:
    read = list(sources([str(path) for path in paths], io.StringIO(standard_input)))
    return asyncio.run(validate(read, choices or Choices()))


def validated_text(text: str, choices: Choices | None = None) -> Report:
    return validated("-", choices=choices, standard_input=text)


def _places(findings: list[Finding]) -> list[tuple[int, str, str]]:
    return sorted((finding.position.line, finding.level, finding.rule) for finding in findings)


def _marked(path: Path) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        for level, rule in _expected.findall(line):
            yield number, level, rule


def test_right_manifests_are_right() -> None:
    report = validated(_HERE / "right")
    assert not report.findings
    assert (report.manifests, report.wrong, report.judges) == (21, 0, 2)


@pytest.mark.parametrize("path", sorted((_HERE / "wrong").iterdir()), ids=lambda path: path.stem)
def test_every_mistake_is_told_at_its_line(path: Path) -> None:
    assert _places(validated(path).findings) == sorted(_marked(path))


def test_errors_of_an_item_name_the_fields_of_the_item() -> None:
    pod = '{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "x": 1}'
    text = f'{{"kind": "List", "apiVersion": "v1", "items": [\n{pod}]}}'
    unknown, missing = validated_text(text).findings
    assert (unknown.message, unknown.position.line, unknown.position.column) == ('unknown field "x"', 2, 64)
    assert (missing.field, missing.position.line) == ("spec.containers", 2)


def test_an_object_is_named_with_the_namespace_that_it_goes_to() -> None:
    report = validated_text("kind: Service\napiVersion: v1\nmetadata: {name: a}\nspec: {}\n", Choices(namespace="shop"))
    assert [str(finding.subject) for finding in report.findings] == ["Service shop/a"]
    assert report.made_namespaces == ["shop"]


def test_a_namespace_that_nobody_defines_can_be_refused() -> None:
    text = "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n  namespace: shop\n"
    assert not validated_text(text).findings
    (found,) = validated_text(text, Choices(make_namespaces=False)).findings
    assert (found.rule, found.message, found.position.line) == ("NotFound", 'namespaces "shop" not found', 5)


def test_objects_of_unknown_kinds_can_be_let_pass() -> None:
    text = "kind: Widget\napiVersion: example.com/v1\nmetadata: {name: a}\n"
    assert [finding.rule for finding in validated_text(text).findings] == ["NoMatch"]
    report = validated_text(text, Choices(skip_unknown_kinds=True))
    assert (report.findings, report.skipped) == ([], 1)


def test_a_custom_kind_may_be_called_like_another() -> None:
    text = "kind: Service\napiVersion: serving.knative.dev/v1\nmetadata: {name: a}\n"
    (found,) = validated_text(text).findings
    assert found.message == 'no matches for kind "Service" in version "serving.knative.dev/v1"'
    assert validated_text(text, Choices(skip_unknown_kinds=True)).skipped == 1


def test_a_kind_in_a_version_that_is_gone_is_no_unknown_kind() -> None:
    text = "kind: CronJob\napiVersion: batch/v1beta1\nmetadata: {name: a}\n"
    (found,) = validated_text(text, Choices(skip_unknown_kinds=True)).findings
    assert found.message == 'no matches for kind "CronJob" in version "batch/v1beta1"; it is served in batch/v1'


def test_an_object_that_was_refused_is_still_told_to_be_defined_twice() -> None:
    text = "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\n"
    assert [finding.rule for finding in validated_text(text).findings] == [
        "FieldValueRequired",
        "Duplicate",
        "FieldValueRequired",
    ]


def test_what_every_cluster_has_is_applied_to() -> None:
    labels = "labels: {pod-security.kubernetes.io/enforce: restricted}"
    namespace = f"kind: Namespace\napiVersion: v1\nmetadata: {{name: default, {labels}}}\n"
    pod = "kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b}]}\n"
    (found,) = validated_text(f"{pod}---\n{namespace}").findings
    assert (found.rule, found.position.line) == ("Forbidden", 3)
    assert 'violates PodSecurity "restricted:latest"' in found.message


def test_accounts_may_be_left_to_somebody_else() -> None:
    spec = "{serviceAccountName: x, containers: [{name: a, image: b}]}"
    pod = f"kind: Pod\napiVersion: v1\nmetadata: {{name: a}}\nspec: {spec}\n"
    assert [finding.rule for finding in validated_text(pod).findings] == ["Forbidden"]
    assert not validated_text(pod, Choices(plugins=())).findings


def test_characters_that_only_json_can_write_do_not_hide_the_places_of_others() -> None:
    text = '{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "\\ud83d\\ude00"},\n "x": 1}'
    assert [(f.rule, f.position.line) for f in validated_text(text).findings] == [
        ("UnknownField", 2),
        ("FieldValueInvalid", 1),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\ufeffkind: Pod\r\napiVersion: v1\r\nmetadata: {name: a}\r\nspec:\r\n  x: 1\r\n  containers: []\r\n", 5),
        ("%YAML 1.1\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec: {x: 1}\n...\n", 6),
        ("kind: Pod\napiVersion: v1\nbase: &b {x: 1}\nmetadata: {name: a}\nspec: {<<: *b}\n", 3),
        ("? kind\n: Pod\n? apiVersion\n: v1\n? metadata\n: {name: a}\n? spec\n: {x: 1}\n", 8),
        ("kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec:\n  1: b\n", 5),
        ("kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec:\n\tx: 1\n", 5),
        ("kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec: *nowhere\n", 4),
        ("kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec: !!int x\n", 1),
        ("kind: Pod\napiVersion: v1\nmetadata: [a]\nspec: {}\n", 3),
        ("kind: Pod\napiVersion: v1\nmetadata:\nspec:\n", 3),
        ("kind: Pod\napiVersion: a/b/c\n", 1),
        ("kind: Pod\napiVersion: v1\nmetadata: {name: a, namespace: 5}\nspec: {}\n", 3),
    ],
)
def test_whatever_is_written_has_a_place(text: str, line: int) -> None:
    assert line in [finding.position.line for finding in validated_text(text).findings]
