import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from memkube.apimachinery.model import Document
from memkube.controllers.framework.staged_kinds import StagedKind
from memkube.controllers.stages.compiling import StageLanguages, compiled_stage
from memkube.controllers.stages.languages.cel import CelLanguage, CelSources
from memkube.controllers.stages.stage import Candidate, data_for_jq
from tests.controllers.cluster import Cluster, config_map
from tests.controllers.stages.stages import among, events, exists, missing, playing, pod_on, pod_ready, serve, stage
from tests.listings import listings

pytestmark = pytest.mark.anyio


def custom_definition(kind: str) -> Document:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    plural = f"{kind.lower()}s"
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names}
    version["subresources"] = {"status": {}}
    return {"metadata": {"name": f"{plural}.example.com"}, "spec": {**spec, "versions": [version]}}


def widget_definition() -> Document:
    return custom_definition("Widget")


def widget(**metadata: Any) -> Document:
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", **metadata}}


def widget_stage(name: str, *requirements: Document, **spec: Any) -> Document:
    return stage(name, "Widget", *requirements, group="example.com/v1", **spec)


def labelling(value: str) -> list[Document]:
    """Return the steps of a Stage that set the label ``chosen`` of an object."""
    return [{"patch": {"type": "merge", "root": "metadata", "template": f"labels: {{chosen: {value}}}"}}]


async def chosen(cluster: Cluster, name: str) -> str | None:
    document = await cluster.get("configmaps", name)
    assert document is not None
    label: str | None = document["metadata"].get("labels", {}).get("chosen")
    return label


async def test_a_custom_kind_is_played_when_it_is_served() -> None:
    template = "phase: {{ .metadata.name }}-done"
    steps = [{"patch": {"subresource": "status", "root": "status", "template": template}}]
    async with playing(widget_stage("finish", missing(".status.phase"), steps=steps)) as cluster:
        serve(cluster, widget_definition())
        await cluster.create(widget())
        found = await cluster.get("widgets", "w")
        assert found is not None
        assert found["status"] == {"phase": "w-done"}


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [
        ({"durationMilliseconds": 4000}, 4),
        ({"durationMilliseconds": 4000, "jitterDurationMilliseconds": 2000}, 2),
        ({"durationMilliseconds": 1000, "durationFrom": {"expressionFrom": ".data.wait"}}, 7),
        ({"durationMilliseconds": 3000, "durationFrom": {"jq": {"expression": ".data.nothing"}}}, 3),
        ({"durationFrom": {"jq": {"expression": ".data.until"}}}, 9),
    ],
)
async def test_a_stage_is_played_after_its_delay(delay: Document, seconds: int) -> None:
    async with playing(
        stage("label", "ConfigMap", missing(".metadata.labels.chosen"), delay=delay, steps=labelling("done"))
    ) as cluster:
        until = (cluster.clock.now() + timedelta(seconds=9)).isoformat()
        await cluster.create({**config_map("c"), "data": {"wait": "7s", "until": until}})
        await cluster.clock.advance(seconds - 0.5)
        assert await chosen(cluster, "c") is None
        await cluster.clock.advance(0.5)
        assert await chosen(cluster, "c") == "done"


async def test_a_delay_with_jitter_is_between_both_durations() -> None:
    delay = {"durationMilliseconds": 1000, "jitterDurationMilliseconds": 5000}
    label = stage("label", "ConfigMap", missing(".metadata.labels.chosen"), delay=delay, steps=labelling("done"))
    async with playing(label, seed=7) as cluster:
        names = [f"c{number}" for number in range(20)]
        for name in names:
            await cluster.create(config_map(name))
        played = []
        for _ in range(10):
            await cluster.clock.advance(0.5)
            played.append(sum([await chosen(cluster, name) == "done" for name in names]))
        assert (played[0], played[-1]) == (0, 20)
        assert len(set(played)) > 3


async def test_a_changed_object_begins_its_delay_again() -> None:
    delay = {"durationMilliseconds": 4000}
    label = stage("label", "ConfigMap", missing(".metadata.labels.chosen"), delay=delay, steps=labelling("done"))
    async with playing(label) as cluster:
        await cluster.create(config_map("c"))
        await cluster.clock.advance(3)
        await cluster.change("configmaps", "c", data={"a": "b"})
        await cluster.clock.advance(3)
        assert await chosen(cluster, "c") is None
        await cluster.clock.advance(1)
        assert await chosen(cluster, "c") == "done"


async def counts(cluster: Cluster, number: int, **fields: Any) -> dict[str | None, int]:
    """Create ConfigMaps, and return how many got each value of the label ``chosen``."""
    names = [f"c{each}" for each in range(number)]
    for name in names:
        await cluster.create({**config_map(name), **fields})
    labels = [await chosen(cluster, name) for name in names]
    return {label: labels.count(label) for label in set(labels)}


def choice(value: str, **spec: Any) -> Document:
    return stage(value, "ConfigMap", missing(".metadata.labels.chosen"), steps=labelling(value), **spec)


async def test_stages_are_chosen_in_proportion_to_their_weights() -> None:
    async with playing(choice("often", weight=9), choice("rarely", weight=1), choice("never"), seed=3) as cluster:
        found = await counts(cluster, 100)
        assert found.keys() == {"often", "rarely"}
        assert found["often"] > 75


async def test_without_weights_each_stage_is_as_likely() -> None:
    async with playing(choice("one"), choice("two"), seed=3) as cluster:
        found = await counts(cluster, 100)
        assert min(found["one"], found["two"]) > 30


async def test_a_weight_is_computed_from_the_object() -> None:
    source = {"expressionFrom": ".data.weight"}
    async with playing(choice("one", weight=1), choice("two", weight=1, weightFrom=source)) as cluster:
        assert await counts(cluster, 10, data={"weight": "0"}) == {"one": 10}


async def test_the_same_seed_gives_the_same_choices() -> None:
    found = []
    for _ in range(2):
        async with playing(choice("one"), choice("two"), seed=11) as cluster:
            for number in range(12):
                await cluster.create(config_map(f"c{number}"))
            found.append([await chosen(cluster, f"c{number}") for number in range(12)])
    assert found[0] == found[1]


async def test_steps_are_played_in_order_with_the_object_as_it_was() -> None:
    text = "labels: {seen: {{ or .metadata.labels.chosen `none` | Quote }}}"
    steps = [*labelling("done"), {"patch": {"type": "merge", "root": "metadata", "template": text}}]
    async with playing(stage("label", "ConfigMap", missing(".metadata.labels.chosen"), steps=steps)) as cluster:
        await cluster.create(config_map("c"))
        found = await cluster.get("configmaps", "c")
        assert found is not None
        assert found["metadata"]["labels"] == {"chosen": "done", "seen": "none"}


async def test_json_patches_are_below_their_root() -> None:
    template = '[{"op": "add", "path": "/labels", "value": {"chosen": "json"}}]'
    steps = [{"patch": {"type": "json", "root": "metadata", "template": template}}]
    async with playing(stage("label", "ConfigMap", missing(".metadata.labels.chosen"), steps=steps)) as cluster:
        await cluster.create(config_map("c"))
        assert await chosen(cluster, "c") == "json"


def applying(template: str, **apply: Any) -> Document:
    """Return a Stage that creates or patches an object for each Secret without a label."""
    steps = [{"apply": {"template": template, **apply}}]
    return stage("apply", "Secret", missing(".metadata.labels"), steps=steps)


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
COPY = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {chosen: {{ .metadata.name }}}}}"


@pytest.mark.parametrize("exists_before", [True, False])
@pytest.mark.parametrize("type_", ["apply", "merge", "strategic"])
async def test_a_step_creates_or_patches_another_object(type_: str, exists_before: bool) -> None:
    async with playing(applying(COPY, type=type_)) as cluster:
        if exists_before:
            await cluster.create({**config_map("c", labels={"mine": "too"}), "data": {"a": "b"}})
        await cluster.create(SECRET)
        found = await cluster.get("configmaps", "c")
        assert found is not None
        assert found["metadata"]["labels"] == ({"mine": "too"} if exists_before else {}) | {"chosen": "s"}
        assert ("data" in found) == exists_before


async def test_a_step_patches_a_subresource_of_another_object() -> None:
    template = "{apiVersion: v1, kind: Pod, metadata: {name: p}, status: {phase: Failed}}"
    async with playing(applying(template, subresource="status", type="merge")) as cluster:
        await cluster.create(pod_on("node-1"))
        await cluster.create(SECRET)
        found = await cluster.get("pods", "p")
        assert found is not None
        assert found["status"]["phase"] == "Failed"


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{kind: ConfigMap, metadata: {name: c}}", "template must include apiVersion and kind"),
        ("{apiVersion: x/v1, kind: Other, metadata: {name: c}}", 'no matches for kind "Other" in version "x/v1"'),
        ("text", "the template of the action apply must result in an object with metadata"),
    ],
)
async def test_what_a_step_cannot_create_is_reported(template: str, why: str) -> None:
    async with playing(applying(template)) as cluster:
        await cluster.create(SECRET)
        assert await events(cluster, "s") == [("Warning", "StageFailed", f"Stage apply: {why}")]


def cel(expression: str) -> Document:
    return {"cel": {"expression": expression}}


async def test_cel_selects_objects_and_computes_delays_and_weights() -> None:
    delay = {"durationFrom": cel("duration(self.data.wait)")}
    first = choice("first", delay=delay, weightFrom=cel("size(self.data)"))
    second = choice("second", weightFrom=cel("0"))
    for each in (first, second):
        each["spec"]["selector"]["matchExpressions"] = [cel("!has(self.metadata.labels)"), cel("self.data.on == 'yes'")]
    async with playing(first, second) as cluster:
        for name, data in {"a": {"on": "yes", "wait": "5s"}, "b": {"on": "no"}, "c": {}}.items():
            await cluster.create({**config_map(name), "data": data})
        await cluster.clock.advance(4)
        assert await chosen(cluster, "a") is None
        await cluster.clock.advance(1)
        assert [await chosen(cluster, name) for name in ("a", "b", "c")] == ["first", None, None]


async def test_cel_selects_pods() -> None:
    finish = stage("finish", "Pod", cel("self.status.phase == 'Pending' && self.metadata.name == 'p'"))
    finish["spec"]["steps"] = [{"patch": {"subresource": "status", "root": "status", "template": "phase: Running"}}]
    async with playing(finish) as cluster:
        await cluster.create(pod_on("node-1"))
        await cluster.create(pod_on("node-1", "other"))
        phases = [(await cluster.get("pods", name) or {})["status"]["phase"] for name in ("p", "other")]
        assert phases == ["Running", "Pending"]


async def test_a_delay_that_cannot_be_computed_is_zero() -> None:
    delay = {"durationMilliseconds": 5000, "durationFrom": cel("duration(self.data.missing)")}
    async with playing(choice("done", delay=delay)) as cluster:
        await cluster.create(config_map("c"))
        assert await chosen(cluster, "c") == "done"


async def test_steps_win_over_next() -> None:
    both = choice("steps", next={"delete": True})
    async with playing(both) as cluster:
        await cluster.create(config_map("c"))
        assert await chosen(cluster, "c") == "steps"


async def test_labels_and_annotations_select_objects() -> None:
    label = choice("done")
    label["spec"]["selector"] |= {"matchLabels": {"a": "b"}, "matchAnnotations": {"c": "d"}}
    async with playing(label) as cluster:
        await cluster.create(config_map("one", labels={"a": "b"}))
        await cluster.create(config_map("two", labels={"a": "b"}, annotations={"c": "d"}))
        assert [await chosen(cluster, name) for name in ("one", "two")] == [None, "done"]


async def test_a_stage_without_selector_selects_nothing() -> None:
    label = choice("done")
    del label["spec"]["selector"]
    async with playing(label) as cluster:
        await cluster.create(config_map("c"))
        assert await chosen(cluster, "c") is None


async def test_a_stage_that_is_added_later_plays_the_objects_that_exist() -> None:
    async with playing() as cluster:
        await cluster.create(config_map("c"))
        await cluster.create(choice("done"))
        assert await chosen(cluster, "c") == "done"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"steps": [{"patch": {"template": "{{ genCA `a` 3 }}"}}]}, 'template: function "genCA" not defined'),
        (
            {"delay": {"jitterDurationFrom": {"cel": {"expression": "1"}}}},
            "CEL expressions in jitterDurationFrom are not supported",
        ),
        (
            {"weightFrom": {"cel": {"expression": "Dice()"}}},
            (
                "CEL expression 'Dice()': compilation failed: ERROR: <input>:1:5: undeclared reference to 'Dice' (in "
                "container '') | Dice() | ....^"
            ),
        ),
        (
            {"weightFrom": {"expressionFrom": ".a as $x | 1"}},
            "jq expression '.a as $x | 1' is malformed or outside of the supported subset: unexpected '$'",
        ),
        (
            {"selector": {"matchExpressions": [{"key": ".a", "operator": "Like"}]}},
            'operator "Like" is not supported',
        ),
        ({"selector": {"matchExpressions": [{"key": ".a", "operator": "In"}]}}, "operator In takes at least one value"),
    ],
)
async def test_a_stage_that_cannot_be_played_is_reported(
    spec: Document, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        async with playing(stage("odd", "ConfigMap", exists(".metadata"), **spec)) as cluster:
            await cluster.create(config_map("c"))
            assert await events(cluster, "odd") == [("Warning", "StageNotPlayed", why)]
    assert f"Stage odd is not executed: {why}" in caplog.text


async def test_a_strategic_patch_of_a_custom_resource_fails() -> None:
    steps = [{"patch": {"type": "strategic", "template": "a: b"}}]
    async with playing(widget_stage("patch", exists(".metadata"), steps=steps)) as cluster:
        serve(cluster, widget_definition())
        await cluster.create(widget())
        message = "Stage patch: custom resources do not take strategic merge patches"
        assert await events(cluster, "w") == [("Warning", "StageFailed", message)]


async def test_the_stage_in_the_documentation_marks_orders_as_paid() -> None:
    [listing] = [each for each in listings("docs/stages.md") if "kind: Order" in each.text]
    async with playing(yaml.safe_load(listing.text)) as cluster:
        serve(cluster, custom_definition("Order"))
        order = {"apiVersion": "example.com/v1", "kind": "Order", "metadata": {"name": "o"}}
        await cluster.create({**order, "spec": {"due": "2001-01-01T00:00:00Z"}})
        found = await cluster.get("orders", "o")
        assert found is not None
        assert found["status"] == {"phase": "Paid"}


async def test_a_cluster_without_the_stage_controller_plays_no_stages() -> None:
    async with playing(pod_ready(), controllers="kubelet") as cluster:
        await cluster.create(config_map("c"))
        assert await chosen(cluster, "c") is None


def test_requirements_that_numbers_meet() -> None:
    """As in KWOK, only a computed number equals a value. A number in the object does not."""
    sources = CelSources(lambda: datetime.now(UTC), lambda number: 0)
    languages = StageLanguages(CelLanguage(StagedKind("v1", "ConfigMap"), sources), {}, impersonates_to_apply=True)
    data = Candidate({}, {}, data_for_jq(b'{"replicas": 2, "items": [1, 2]}'), {})
    for key, is_met in ((".replicas", False), (".items | length", True)):
        spec = stage("s", "ConfigMap", among(key, "2"))["spec"]
        compiled = compiled_stage("s", spec, languages)
        assert compiled is not None
        assert compiled.selector.selects(data) == is_met
