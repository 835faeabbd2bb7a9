import re

import pytest

from memkube.admission.available import DEFAULT_PLUGINS, PLUGINS, selected_plugins
from memkube.app import create_registry
from memkube.settings import Settings


def test_plugins_run_in_one_order_however_they_are_named() -> None:
    assert selected_plugins("ServiceAccount, PodPreset", "") == tuple(PLUGINS)


def test_plugins_can_be_left_out() -> None:
    chosen = selected_plugins("", "Priority")
    assert chosen == tuple(name for name in DEFAULT_PLUGINS if name != "Priority")


@pytest.mark.parametrize(
    ("enable", "disable", "message"),
    [
        ("Nope", "", 'enable-admission-plugins plugin "Nope" is unknown'),
        ("", "Nope", 'disable-admission-plugins plugin "Nope" is unknown'),
        ("Priority", "Priority", "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped"),
    ],
)
def test_what_cannot_be_chosen_is_named(enable: str, disable: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        selected_plugins(enable, disable)


def test_presets_are_served_with_their_plugin_only() -> None:
    assert not create_registry(Settings()).catalog.has_group("settings.k8s.io")
    assert create_registry(Settings(admission_plugins=("PodPreset",))).catalog.has_group("settings.k8s.io")
