#!/bin/sh
# The first pod of the Kubernetes documentation: it says hello and sleeps for an hour.
#
#   memkube run -- sh examples/hello.sh
#
# Prints a greeting from the pod's log, and one from a command inside the pod. No container runs: the simulated kubelet
# simulates the shell.
set -eu
manifests=$(dirname "$0")/manifests/hello

kubectl apply -f "$manifests"
kubectl wait --for=condition=Ready pod/hello --timeout=30s
kubectl logs hello
kubectl exec hello -- sh -c 'echo "Hello from $HOSTNAME!"'
