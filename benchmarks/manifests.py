"""Duration of `memkube validate`, including the start of its process."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MANIFESTS = 200
_APPLICATION = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{0}, labels: {{app: web-{0}}}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web-{0}}}}}
  template:
    metadata: {{labels: {{app: web-{0}}}}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports: [{{containerPort: 80, name: http}}]
        resources: {{requests: {{cpu: 100m, memory: 64Mi}}, limits: {{memory: 128Mi}}}}
        readinessProbe: {{httpGet: {{path: /, port: http}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: web-{0}}}
spec: {{selector: {{app: web-{0}}}, ports: [{{port: 80, targetPort: http}}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: web-{0}}}
data: {{index.html: hello}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: web-{0}}}
spec:
  rules:
  - host: web-{0}.example.com
    http: {{paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: web-{0}, port: {{number: 80}}}}}}}}]}}
"""
_KINDS = _APPLICATION.count("---") + 1


def measure_validation(rounds: int) -> float:
    """Return the median seconds that `memkube validate` takes for `MANIFESTS` valid manifests of four kinds."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(MANIFESTS // _KINDS):
            (Path(folder) / f"{number}.yaml").write_text(_APPLICATION.format(number))
        for _ in range(rounds):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-m", "memkube", "validate", folder], stdout=subprocess.DEVNULL, check=True)
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)
