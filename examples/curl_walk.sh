#!/bin/sh
# Uses the API with curl.
set -eu
server=$(sed -n 's/^ *server: //p' "$KUBECONFIG")
pods=$server/api/v1/namespaces/default/pods
request() { curl --silent --show-error --fail "$@"; }

# The server accepts YAML as well as JSON.
request -H 'Content-Type: application/yaml' --data-binary @- "$pods" >/dev/null <<'POD'
metadata: {name: web}
spec: {containers: [{name: web, image: "nginx:1.27"}]}
POD

# A merge patch, a JSON patch, and a server-side apply.
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

# A list by label, then a watch that begins with the existing objects.
request "$pods?labelSelector=app%3Dweb" | grep -q '"image": "nginx:1.28"'
request "$pods?watch=true&timeoutSeconds=1" | grep -q '"type":"ADDED"'

# Delete at once, without the grace period of a pod on a node.
request -X DELETE "$pods/web?gracePeriodSeconds=0" >/dev/null
test "$(curl --silent --output /dev/null --write-out '%{http_code}' "$pods/web")" = 404
echo done
