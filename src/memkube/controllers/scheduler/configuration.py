"""Reads a KubeSchedulerConfiguration (``kubescheduler.config.k8s.io/v1``), as kube-scheduler's ``--config`` does.

Profiles choose filter and score plugins. Other fields of the format are refused, except for ``leaderElection`` and
``clientConnection``, which do not concern a scheduler in the process of its API server.
"""

from collections.abc import Container
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memkube.controllers.scheduler.framework import Profile
from memkube.controllers.scheduler.profiles import DEFAULT_NAME, DEFAULT_PROFILE
from memkube.errors import reason_of, unknown_name

_PREEMPTION: Final = "DefaultPreemption"
_DEVICES: Final = "DynamicResources"
_FIXED: Final = ("DefaultBinder", "PrioritySort", "SchedulingGates")
"""Plugins of kube-scheduler that memkube always runs and that cannot be disabled."""
_IDLE_FILTERS: Final = ("NodeName",)
"""Filter plugins that have no effect: pods with a ``nodeName`` are bound already, and are not scheduled."""
_IDLE_SCORES: Final = ("VolumeBinding",)
"""Score plugins that rate all nodes equal."""
_ALL: Final = "*"
_Weights: TypeAlias = dict[str, int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _EnabledPlugin(_Strict):
    name: str
    weight: int = Field(0, ge=0)


class _DisabledPlugin(_Strict):
    name: str


class _PluginSet(_Strict):
    enabled: list[_EnabledPlugin] = []
    disabled: list[_DisabledPlugin] = []

    @property
    def weights(self) -> _Weights:
        """Weights of the enabled plugins by name; 0 for a plugin without a weight."""
        return {plugin.name: plugin.weight for plugin in self.enabled}

    def disables(self, name: str) -> bool:
        """True if the plugin set disables the plugin, by its name or by ``*``."""
        return any(plugin.name in (name, _ALL) for plugin in self.disabled)


class _Plugins(_Strict):
    multiPoint: _PluginSet = _PluginSet()
    filter: _PluginSet = _PluginSet()
    score: _PluginSet = _PluginSet()
    postFilter: _PluginSet = _PluginSet()


class _Profile(_Strict):
    schedulerName: str = ""
    plugins: _Plugins = _Plugins()


class _Configuration(_Strict):
    apiVersion: Literal["kubescheduler.config.k8s.io/v1"]
    kind: Literal["KubeSchedulerConfiguration"]
    profiles: list[_Profile] = Field([_Profile()], min_length=1)
    leaderElection: dict[str, Any] = {}
    clientConnection: dict[str, Any] = {}


def read_scheduler_configuration(path: Path) -> tuple[Profile, ...]:
    """Return the profiles in a scheduler configuration file.

    Raises ValueError with a message of one line if the file cannot be read, has an unknown field or plugin, or has two
    profiles of the same name.
    """
    try:
        found = _Configuration.model_validate(yaml.safe_load(path.read_text()))
        if len(found.profiles) == 1 and not found.profiles[0].schedulerName:
            found.profiles[0].schedulerName = DEFAULT_NAME
        profiles = tuple(_profile(profile) for profile in found.profiles)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"cannot read the scheduler configuration {path}: {reason_of(error)}") from None
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise ValueError(f"the scheduler configuration {path} is not supported: {'; '.join(faults)}") from None
    except ValueError as error:
        raise ValueError(f"the scheduler configuration {path} is not supported: {error}") from None
    names = [profile.name for profile in profiles]
    if not all(names):
        raise ValueError(f"the scheduler configuration {path} has several profiles, but not all have a schedulerName")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the scheduler configuration {path} has two profiles with the name {twice!r}")
    return profiles


def _profile(given: _Profile) -> Profile:
    plugins = given.plugins
    for plugin_set in (plugins.multiPoint, plugins.filter, plugins.score, plugins.postFilter):
        _check_names(plugin_set)
    _check_disabled(plugins.multiPoint)
    rules = {plugin.name: plugin for plugin in DEFAULT_PROFILE.rules}
    scores = {plugin.name: plugin for plugin in DEFAULT_PROFILE.scores}
    _check_point("filter", {*rules, *_IDLE_FILTERS}, plugins.filter)
    _check_point("score", {*scores, *_IDLE_SCORES}, plugins.score)
    _check_point("postFilter", (_PREEMPTION, _DEVICES), plugins.postFilter)
    filters = _chosen(dict.fromkeys(rules, 0), plugins.multiPoint, plugins.filter)
    weights = _chosen({name: plugin.weight for name, plugin in scores.items()}, plugins.multiPoint, plugins.score)
    afterwards = _chosen({_DEVICES: 0, _PREEMPTION: 0}, plugins.multiPoint, plugins.postFilter)
    return Profile(
        given.schedulerName,
        tuple(rules[name] for name in filters if name in rules),
        tuple(scores[name]._replace(weight=weight or 1) for name, weight in weights.items() if name in scores),
        preempts=_PREEMPTION in afterwards,
        releases_claims=_DEVICES in afterwards,
    )


def _chosen(defaults: _Weights, everywhere: _PluginSet, here: _PluginSet) -> _Weights:
    """Return the weights of the plugins of one extension point, by name, in the order in which they run.

    `defaults` are the weights in the default profile. `everywhere` is the plugin set ``multiPoint``, and `here` is the
    set of the extension point. Plugins in both sets come first, then the other plugins of ``multiPoint``, then the
    other plugins of the extension point (``expandMultiPointPlugins``).
    """
    wanted = {name: weight for name, weight in everywhere.weights.items() if name in defaults}
    merged = {name: wanted.get(name, weight) for name, weight in defaults.items() if not everywhere.disables(name)}
    merged = merged | {name: weight for name, weight in wanted.items() if name not in merged}
    own = here.weights
    overridden = {name: own[name] for name in own if name in merged and not here.disables(name)}
    others = {name: weight for name, weight in merged.items() if name not in own and not here.disables(name)}
    return overridden | others | own


def _check_point(point: str, known: Container[str], plugin_set: _PluginSet) -> None:
    """Raise ValueError if an enabled plugin is not in `known`, the plugins with the extension point `point`."""
    for name in plugin_set.weights:
        if name not in known:
            raise ValueError(f"plugin {name!r} of the scheduler is not a {point} plugin")


def _check_names(plugin_set: _PluginSet) -> None:
    """Raise ValueError if the plugin set names an unknown plugin, or enables a plugin twice."""
    rules, scores = DEFAULT_PROFILE.rules, DEFAULT_PROFILE.scores
    names = {_PREEMPTION, *_FIXED, *_IDLE_FILTERS, *(rule.name for rule in rules), *(score.name for score in scores)}
    known = sorted(names)
    enabled = [plugin.name for plugin in plugin_set.enabled]
    disabled = [plugin.name for plugin in plugin_set.disabled if plugin.name != _ALL]
    for name in (*enabled, *disabled):
        if name not in known:
            raise ValueError(unknown_name("plugin of the scheduler", name, known))
        if enabled.count(name) > 1:
            raise ValueError(f"plugin {name!r} of the scheduler is enabled twice")


def _check_disabled(everywhere: _PluginSet) -> None:
    """Raise ValueError if the plugin set ``multiPoint`` disables a plugin that cannot be disabled."""
    for name in _FIXED:
        if everywhere.disables(name) and name not in everywhere.weights:
            raise ValueError(f"plugin {name!r} of the scheduler cannot be disabled")
