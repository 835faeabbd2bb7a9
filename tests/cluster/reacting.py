"""An operator in its own process, which writes a ConfigMap for each pod that has succeeded.

Its arguments are the server's URL and the number of seconds to wait before each write.
"""

import sys
import time

from kubernetes import client, watch


def main(url: str, thinks: float) -> None:
    api = client.ApiClient(client.Configuration(host=url))
    api.user_agent = "noting-operator/1.0"
    core = client.CoreV1Api(api)
    sys.stdout.write("started\n")
    sys.stdout.flush()
    for event in watch.Watch().stream(core.list_namespaced_pod, "default"):
        pod = event["object"]
        if pod.status.phase != "Succeeded":
            continue
        time.sleep(thinks)
        note = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"{pod.metadata.name}-{event['type'].lower()}"))
        try:
            core.create_namespaced_config_map("default", note)
        except client.ApiException as error:
            if error.status != 409:
                raise


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
