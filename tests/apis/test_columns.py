"""The names of each kind's table columns, which are those of Kubernetes."""

import pytest

from memkube.apis.apps.v1.controllerrevisions import columns as controllerrevisions
from memkube.apis.apps.v1.daemonsets import columns as daemonsets
from memkube.apis.apps.v1.deployments import columns as deployments
from memkube.apis.apps.v1.statefulsets import columns as statefulsets
from memkube.apis.autoscaling.v1.scales import columns as scales
from memkube.apis.autoscaling.v2.horizontalpodautoscalers import columns as horizontalpodautoscalers
from memkube.apis.batch.v1.cronjobs import columns as cronjobs
from memkube.apis.batch.v1.jobs import columns as jobs
from memkube.apis.coordination.v1.leases import columns as leases
from memkube.apis.core.v1.configmaps import columns as configmaps
from memkube.apis.core.v1.events import columns as events
from memkube.apis.core.v1.namespaces import columns as namespaces
from memkube.apis.core.v1.nodes import columns as nodes
from memkube.apis.core.v1.pods import columns as pods
from memkube.apis.core.v1.podspec.container_columns import SELECTED_REPLICAS
from memkube.apis.core.v1.podtemplates import columns as podtemplates
from memkube.apis.core.v1.resourcequotas import columns as resourcequotas
from memkube.apis.core.v1.secrets import columns as secrets
from memkube.apis.policy.v1.poddisruptionbudgets import columns as poddisruptionbudgets
from memkube.registry.declarations.table import NAME_AND_AGE, TablePrinter


@pytest.mark.parametrize(
    ("printer", "names"),
    [
        (configmaps.PRINTER, "Name, Data, Age"),
        (
            events.PRINTER,
            "Last Seen, Type, Reason, Object, Subobject*, Source*, Message, First Seen*, Count*, Name*",
        ),
        (namespaces.PRINTER, "Name, Status, Age"),
        (leases.PRINTER, "Name, Holder, Age"),
        (
            nodes.PRINTER,
            (
                "Name, Status, Roles, Age, Version, Internal-IP*, External-IP*, OS-Image*, Kernel-Version*, "
                "Container-Runtime*"
            ),
        ),
        (controllerrevisions.PRINTER, "Name, Controller, Revision, Age"),
        (SELECTED_REPLICAS, "Name, Desired, Current, Ready, Age, Containers*, Images*, Selector*"),
        (deployments.PRINTER, "Name, Ready, Up-to-date, Available, Age, Containers*, Images*, Selector*"),
        (statefulsets.PRINTER, "Name, Ready, Age, Containers*, Images*"),
        (jobs.PRINTER, "Name, Status, Completions, Duration, Age, Containers*, Images*, Selector*"),
        (
            daemonsets.PRINTER,
            (
                "Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, Containers*, Images*, "
                "Selector*"
            ),
        ),
        (
            cronjobs.PRINTER,
            "Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, Containers*, Images*, Selector*",
        ),
        (horizontalpodautoscalers.PRINTER, "Name, Reference, Targets, MinPods, MaxPods, Replicas, Age"),
        (podtemplates.PRINTER, "Name, Containers, Images, Pod Labels"),
        (resourcequotas.PRINTER, "Name, Request, Limit, Age"),
        (scales.PRINTER, "Name, Desired, Available, Age"),
        (pods.PRINTER, "Name, Ready, Status, Restarts, Age, IP*, Node*, Nominated Node*, Readiness Gates*"),
        (secrets.PRINTER, "Name, Type, Data, Age"),
        (NAME_AND_AGE, "Name, Age"),
        (poddisruptionbudgets.PRINTER, "Name, Min Available, Max Unavailable, Allowed Disruptions, Age"),
    ],
)
def test_wide_columns_come_in_their_place(printer: TablePrinter, names: str) -> None:
    assert ", ".join(c.name + "*" * c.priority for c in printer.columns) == names
