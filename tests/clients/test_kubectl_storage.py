"""kubectl with PersistentVolumes, claims and StorageClasses."""

import json

from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

_MANIFEST = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: kubectl-fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: example.com/disk
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: kubectl-disk}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce, ReadOnlyMany]
  persistentVolumeReclaimPolicy: Delete
  storageClassName: kubectl-fast
  local: {path: /data}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [a]}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: kubectl-fast
  resources: {requests: {storage: 1Gi}}
"""


def test_storage_is_applied_listed_described_and_deleted(kubectl: Kubectl) -> None:
    kubectl("apply", "--filename=-", stdin=_MANIFEST)
    assert "unchanged" in kubectl("apply", "--filename=-", stdin=_MANIFEST)
    volume = kubectl("get", "pv", "kubectl-disk", "--no-headers").split()
    assert volume[:6] == ["kubectl-disk", "5Gi", "RWO,ROX", "Delete", "Pending", "kubectl-fast"]
    claim = kubectl("get", "pvc", "data", "--no-headers").split()
    assert claim[:4] == ["data", "Pending", "kubectl-fast", "<unset>"]
    assert kubectl("get", "sc", "kubectl-fast", "--no-headers").startswith("kubectl-fast (default)")
    assert "kubernetes.io/hostname in [a]" in kubectl("describe", "pv", "kubectl-disk")
    assert "kubernetes.io/pvc-protection" in kubectl("describe", "pvc", "data")
    assert "VolumeBindingMode:     WaitForFirstConsumer" in kubectl("describe", "sc", "kubectl-fast")
    kubectl("delete", "--wait=false", "--filename=-", stdin=_MANIFEST)
    assert "deletionTimestamp" in json.loads(kubectl("get", "pvc", "data", "--output=json"))["metadata"]
