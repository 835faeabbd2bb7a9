#!/bin/sh
# From nothing to a pod with a budget, and back.
set -eu
manifests=$(dirname "$0")/manifests

kubectl apply -f "$manifests"
kubectl get pods,configmaps,poddisruptionbudgets
kubectl label pod web tier=front
kubectl patch configmap web --type merge -p '{"data":{"colour":"red"}}'
test "$(kubectl get configmap web -o 'jsonpath={.data.colour}')" = red

# What is not allowed is refused in the same words as by a cluster.
if kubectl patch pod web --type merge -p '{"spec":{"restartPolicy":"Never"}}'; then
  exit 1
fi

# A pod is given 30 seconds to end, unless it is told otherwise: --now gives it one.
kubectl delete --now -f "$manifests"
kubectl wait --for=delete pod/web --timeout=30s
