#!/bin/sh
# Creates, changes and deletes a pod with a budget.
set -eu
manifests=$(dirname "$0")/manifests

kubectl apply -f "$manifests"
kubectl get pods,configmaps,poddisruptionbudgets
kubectl label pod web tier=front
kubectl patch configmap web --type merge -p '{"data":{"colour":"red"}}'
test "$(kubectl get configmap web -o 'jsonpath={.data.colour}')" = red

# An invalid change is refused with the same message as by a cluster.
if kubectl patch pod web --type merge -p '{"spec":{"restartPolicy":"Never"}}'; then
  exit 1
fi

# The grace period of a pod is 30 seconds by default; --now reduces it to one second.
kubectl delete --now -f "$manifests"
kubectl wait --for=delete pod/web --timeout=30s
