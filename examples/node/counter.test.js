/** Tests with Node's own runner, against a server that `memkube run` starts:
 *
 *     cd examples/node; npm install
 *     memkube run --clock stepped -- node --test
 */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import * as k8s from "@kubernetes/client-node";
import { count } from "./counter.js";

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
let namespace;

/** Calls the control API of memkube, for example to inject faults. */
async function control(method, path, body) {
  const answer = await fetch(`${process.env.MEMKUBE_SERVER}/memkube/v1${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.status === 204 ? undefined : answer.json();
}

beforeEach(async () => {
  const made = await core.createNamespace({ body: { metadata: { generateName: "test-" } } });
  namespace = made.metadata.name;
});

test("counts one by one", async () => {
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "visits" } } });
  await count(core, { name: "visits", namespace });
  const { data } = await count(core, { name: "visits", namespace });
  assert.deepEqual(data, { count: "2" });
});

test("counts again when somebody else was faster", async () => {
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "visits" } } });
  const match = { verbs: ["update"], resources: ["configmaps"], namespaces: [namespace] };
  await control("POST", "/faults", { name: "late", match, when: { first: 2 }, effect: { type: "error", code: 409 } });
  const { data } = await count(core, { name: "visits", namespace });
  const { hits } = await control("DELETE", "/faults/late");
  assert.deepEqual([data, hits], [{ count: "1" }, 2]);
});

test("a pod waits for its image", async () => {
  await control("PUT", "/rules/slow", { image: "slow:*", pullSeconds: 30 });
  const spec = { containers: [{ name: "main", image: "slow:1" }] };
  await core.createNamespacedPod({ namespace, body: { metadata: { name: "web" }, spec } });
  const phase = async () => (await core.readNamespacedPod({ name: "web", namespace })).status.phase;
  await control("POST", "/clock/advance", { seconds: 29 });
  assert.equal(await phase(), "Pending");
  await control("POST", "/clock/advance", { seconds: 1 });
  assert.equal(await phase(), "Running");
});
