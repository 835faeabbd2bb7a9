/** What the operators of this folder in JavaScript share. `npm install` in examples/operator installs the client. */
import { createServer } from "node:http";
import * as k8s from "../operator/node_modules/@kubernetes/client-node/dist/index.js";

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const widgets = { group: "example.com", version: "v1", namespace: "default", plural: "widgets" };

export const informer = k8s.makeInformer(config, "/apis/example.com/v1/namespaces/default/widgets", () =>
  custom.listNamespacedCustomObject(widgets),
);

/** Make the ConfigMap of a Widget as it should be. Try again with the newest Widget behind errors. */
export async function reconcile(widget) {
  const { name, uid } = widget.metadata;
  const where = { name: `${name}-settings`, namespace: "default" };
  const data = { replicas: `${widget.spec.replicas}` };
  try {
    const found = await core.readNamespacedConfigMap(where).catch((error) => {
      if (error.code !== 404) throw error;
    });
    if (!found) {
      const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Widget", name, uid }];
      const body = { metadata: { name: where.name, ownerReferences }, data };
      await core.createNamespacedConfigMap({ namespace: "default", body });
    } else if (found.data.replicas !== data.replicas) {
      await core.replaceNamespacedConfigMap({ ...where, body: { ...found, data } });
    }
  } catch (error) {
    console.log(error.message);
    setTimeout(() => {
      const newest = informer.get(name, "default");
      if (newest) reconcile(newest);
    }, 500);
  }
}

// The probe of the kubelet, which says nothing about the informer.
createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
