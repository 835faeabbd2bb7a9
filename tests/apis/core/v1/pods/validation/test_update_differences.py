"""The differences that error messages of forbidden updates show. The expected lines were recorded from Kubernetes."""

from typing import Any, Final

import pytest

from memkube.apis.core.v1.pods.validation import validate_pod_update
from tests.apis.core.v1.pods.examples import container, created_pod

EMPTY_DIR: Final = {"volumes": [{"name": "v", "emptyDir": {}}]}

SEVERAL: Final = """\
@@ -5,7 +5,9 @@
   {
    "Name": "app",
    "Image": "nginx:1.27",
-   "Command": null,
+   "Command": [
+    "x"
+   ],
    "Args": null,
    "WorkingDir": "",
    "Ports": null,
@@ -35,11 +37,13 @@
   }
  ],
  "EphemeralContainers": null,
- "RestartPolicy": "Always",
+ "RestartPolicy": "Never",
  "TerminationGracePeriodSeconds": 30,
  "ActiveDeadlineSeconds": null,
  "DNSPolicy": "ClusterFirst",
- "NodeSelector": null,
+ "NodeSelector": {
+  "a": "b"
+ },
  "ServiceAccountName": "",
  "AutomountServiceAccountToken": null,
  "NodeName": "",
@@ -64,7 +68,7 @@
   "SELinuxChangePolicy": null
  },
  "ImagePullSecrets": null,
- "Hostname": "",
+ "Hostname": "x",
  "Subdomain": "",
  "SetHostnameAsFQDN": null,
  "Affinity": null,
"""
HOST_NETWORK: Final = """\
@@ -44,7 +44,7 @@
  "AutomountServiceAccountToken": null,
  "NodeName": "",
  "SecurityContext": {
-  "HostNetwork": false,
+  "HostNetwork": true,
   "HostPID": false,
   "HostIPC": false,
   "ShareProcessNamespace": null,
"""
PROBE: Final = """\
@@ -29,7 +29,22 @@
    "RestartPolicyRules": null,
    "VolumeMounts": null,
    "VolumeDevices": null,
-   "LivenessProbe": null,
+   "LivenessProbe": {
+    "Exec": {
+     "Command": [
+      "x"
+     ]
+    },
+    "HTTPGet": null,
+    "TCPSocket": null,
+    "GRPC": null,
+    "InitialDelaySeconds": 0,
+    "TimeoutSeconds": 1,
+    "PeriodSeconds": 10,
+    "SuccessThreshold": 1,
+    "FailureThreshold": 3,
+    "TerminationGracePeriodSeconds": null
+   },
    "ReadinessProbe": null,
    "StartupProbe": null,
    "Lifecycle": null,
"""
VOLUME_KIND: Final = """\
@@ -2,11 +2,11 @@
  "Volumes": [
   {
    "Name": "v",
-   "HostPath": null,
-   "EmptyDir": {
-    "Medium": "",
-    "SizeLimit": null
+   "HostPath": {
+    "Path": "/x",
+    "Type": ""
    },
+   "EmptyDir": null,
    "GCEPersistentDisk": null,
    "AWSElasticBlockStore": null,
    "GitRepo": null,
"""
NO_VOLUME: Final = """\
@@ -1,42 +1,5 @@
 {
- "Volumes": [
-  {
-   "Name": "v",
-   "HostPath": null,
-   "EmptyDir": {
-    "Medium": "",
-    "SizeLimit": null
-   },
-   "GCEPersistentDisk": null,
-   "AWSElasticBlockStore": null,
-   "GitRepo": null,
-   "Secret": null,
-   "NFS": null,
-   "ISCSI": null,
-   "Glusterfs": null,
-   "PersistentVolumeClaim": null,
-   "RBD": null,
-   "Quobyte": null,
-   "FlexVolume": null,
-   "Cinder": null,
-   "CephFS": null,
-   "Flocker": null,
-   "DownwardAPI": null,
-   "FC": null,
-   "AzureFile": null,
-   "ConfigMap": null,
-   "VsphereVolume": null,
-   "AzureDisk": null,
-   "PhotonPersistentDisk": null,
-   "Projected": null,
-   "PortworxVolume": null,
-   "ScaleIO": null,
-   "StorageOS": null,
-   "CSI": null,
-   "Ephemeral": null,
-   "Image": null
-  }
- ],
+ "Volumes": null,
  "InitContainers": null,
  "Containers": [
   {
"""
RIGHTS: Final = """\
@@ -28,7 +28,20 @@
    "TerminationMessagePath": "/dev/termination-log",
    "TerminationMessagePolicy": "File",
    "ImagePullPolicy": "IfNotPresent",
-   "SecurityContext": null,
+   "SecurityContext": {
+    "Capabilities": null,
+    "Privileged": null,
+    "SELinuxOptions": null,
+    "WindowsOptions": null,
+    "RunAsUser": 1,
+    "RunAsGroup": null,
+    "RunAsNonRoot": null,
+    "ReadOnlyRootFilesystem": null,
+    "AllowPrivilegeEscalation": null,
+    "ProcMount": null,
+    "SeccompProfile": null,
+    "AppArmorProfile": null
+   },
    "Stdin": false,
    "StdinOnce": false,
    "TTY": false
"""
REQUESTS: Final = """\
@@ -14,7 +14,7 @@
    "Resources": {
     "Limits": null,
     "Requests": {
-     "cpu": "1"
+     "cpu": "2"
     },
     "Claims": null
    },
"""


def requesting(cpu: str) -> dict[str, Any]:
    return {"containers": [container(resources={"requests": {"cpu": cpu}})]}


def shown_difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return the difference in the only error of an update: its text after the first line."""
    (error,) = validate_pod_update(created_pod(**new), created_pod(**old))
    return str(error).partition("\n")[2]


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (
            {},
            {
                "containers": [container(image="other:1", command=["x"])],
                "hostname": "x",
                "restartPolicy": "Never",
                "nodeSelector": {"a": "b"},
            },
            SEVERAL,
        ),
        ({}, {"hostNetwork": True}, HOST_NETWORK),
        (
            {"containers": [container(ports=[{"containerPort": 80}])]},
            {"containers": [container(ports=[{"containerPort": 80}], livenessProbe={"exec": {"command": ["x"]}})]},
            PROBE,
        ),
        (EMPTY_DIR, {"volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}, VOLUME_KIND),
        (EMPTY_DIR, {}, NO_VOLUME),
        ({}, {"containers": [container(securityContext={"runAsUser": 1})]}, RIGHTS),
        (requesting("1"), requesting("2"), REQUESTS),
    ],
)
def test_forbidden_changes_are_shown_line_by_line(old: dict[str, Any], new: dict[str, Any], difference: str) -> None:
    assert shown_difference(old, new) == difference


def test_an_empty_list_that_was_written_is_not_null() -> None:
    difference = shown_difference({"containers": [container(args=["x"])]}, {"containers": [container(args=[])]})
    assert '+   "Args": [],\n' in difference


def test_what_may_change_is_shown_nowhere() -> None:
    difference = shown_difference({}, {"tolerations": [], "initContainers": [], "schedulingGates": [], "hostname": "x"})
    assert [line for line in difference.splitlines() if line[0] in "+-"] == ['- "Hostname": "",', '+ "Hostname": "x",']
