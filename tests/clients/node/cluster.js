/** What the tests of `@kubernetes/client-node` share. */
import { once } from "node:events";
import { PassThrough } from "node:stream";
import * as k8s from "../../../examples/operator/node_modules/@kubernetes/client-node/dist/index.js";

export { k8s };
export const config = new k8s.KubeConfig();
config.loadFromFile(process.env.KUBECONFIG);
export const core = config.makeApiClient(k8s.CoreV1Api);
export const apps = config.makeApiClient(k8s.AppsV1Api);
export const policy = config.makeApiClient(k8s.PolicyV1Api);

/** The options of a call that sends a patch of a certain kind. */
export const patching = (strategy) => k8s.setHeaderOptions("Content-Type", strategy);

/** Asks memkube's control API, which makes things go wrong. */
export async function control(path, body, method = "POST") {
  const headers = { "content-type": "application/json" };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetch(`${config.getCurrentCluster().server}/memkube/v1${path}`, { method, headers, body: text });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? undefined : answer.json();
}

/** Has a fault for as long as the block runs; tells how often it has hit. */
export async function withFault(fault, block) {
  const { name } = await control("/faults", fault);
  try {
    await block();
  } finally {
    const { hits } = await control(`/faults/${name}`, undefined, "DELETE");
    fault.hits = hits;
  }
  return fault.hits;
}

/** A namespace of a test's own. */
export async function newNamespace() {
  const body = { metadata: { generateName: "node-" } };
  return (await core.createNamespace({ body })).metadata.name;
}

/** A pod that runs a script. */
export function pod(name, script, labels = {}) {
  const container = { name: "main", image: "busybox:1", ports: [{ containerPort: 8080 }] };
  if (script) container.command = ["sh", "-c", script];
  return { metadata: { name, labels }, spec: { containers: [container] } };
}

/** The pod once it meets a condition, by a watch. */
export async function podOnce(namespace, name, holds) {
  const watch = new k8s.Watch(config);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  return new Promise((resolve, reject) => {
    const request = watch.watch(
      path,
      { fieldSelector: `metadata.name=${name}` },
      async (type, found) => {
        if (!holds(found, type)) return;
        (await request).abort();
        resolve(found);
      },
      (error) => error && error.name !== "AbortError" && reject(error),
    );
  });
}

export const isReady = (found) => found.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");

/** A stream that keeps what is written to it. */
export class Kept extends PassThrough {
  text = "";

  constructor() {
    super();
    this.on("data", (data) => (this.text += data));
  }

  /** Returns once the text holds another. */
  async until(part) {
    while (!this.text.includes(part)) await once(this, "data");
    return this.text;
  }
}
