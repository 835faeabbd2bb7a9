#!/bin/sh
# Spreads pods over three zones, and shows a pod that waits because a zone is closed.
#
#   memkube run --nodes 6 --zones 3 -- sh examples/spread.sh
#
# Six pods run two per zone. Of nine pods, with the nodes of zone-3 cordoned, one has to wait: a fourth pod in another
# zone would exceed the maximum skew of 1. The pod starts as soon as zone-3 is uncordoned.
set -eu
manifests=$(dirname "$0")/manifests/spread
zone=topology.kubernetes.io/zone

count_by_zone() { # a pod has the zone of its node as a label
  kubectl get pods -o custom-columns='ZONE:.metadata.labels.topology\.kubernetes\.io/zone' --no-headers | sort | uniq -c
}

kubectl apply -f "$manifests"
kubectl rollout status deployment web --timeout=30s
count_by_zone

kubectl cordon -l "$zone=zone-3"
kubectl scale deployment web --replicas=9
kubectl wait --for=jsonpath='{.status.readyReplicas}'=8 deployment/web --timeout=30s
kubectl wait --for=condition=PodScheduled=false pods --field-selector spec.nodeName= --timeout=30s
kubectl get pods --field-selector spec.nodeName= -o 'jsonpath={.items[*].status.conditions[0].message}{"\n"}'
count_by_zone

kubectl uncordon -l "$zone=zone-3"
kubectl rollout status deployment web --timeout=30s
count_by_zone
