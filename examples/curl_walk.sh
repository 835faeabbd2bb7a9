#!/bin/sh
# The API by hand.
set -eu
server=$(sed -n 's/^ *server: //p' "$KUBECONFIG")
pods=$server/api/v1/namespaces/default/pods
request() { curl --silent --show-error --fail "$@"; }

# YAML is as good as JSON.
request -H 'Content-Type: application/yaml' --data-binary @- "$pods" >/dev/null <<'POD'
metadata: {name: web}
spec: {containers: [{name: web, image: "nginx:1.27"}]}
POD

# A merge patch, a JSON patch, and an apply that owns what it sets.
request -X PATCH -H 'Content-Type: application/merge-patch+json' \
  -d '{"metadata":{"labels":{"app":"web"}}}' "$pods/web" >/dev/null
request -X PATCH -H 'Content-Type: application/json-patch+json' \
  -d '[{"op":"replace","path":"/spec/containers/0/image","value":"nginx:1.28"}]' "$pods/web" >/dev/null
request -X PATCH -H 'Content-Type: application/apply-patch+yaml' --data-binary @- \
  "$pods/web?fieldManager=walk" >/dev/null <<'APPLY'
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {example.com/seen: "yes"}}
APPLY

# A list by label, then what has happened until now as a watch.
request "$pods?labelSelector=app%3Dweb" | grep -q '"image": "nginx:1.28"'
request "$pods?watch=true&timeoutSeconds=1" | grep -q '"type":"ADDED"'

# At once: without the time that a pod on a node is given to end.
request -X DELETE "$pods/web?gracePeriodSeconds=0" >/dev/null
test "$(curl --silent --output /dev/null --write-out '%{http_code}' "$pods/web")" = 404
echo done
