/** Writes of `@kubernetes/client-node`: every kind of patch, apply with its conflicts, and what comes between. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { apps, config, core, k8s, newNamespace, patching, withFault } from "./cluster.js";

let namespace;
const { JsonPatch, MergePatch, ServerSideApply, StrategicMergePatch } = k8s.PatchStrategy;
beforeEach(async () => (namespace = await newNamespace()));

const deployment = (replicas, env = []) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1", env }] } },
  },
});
const patch = (body, strategy, options = {}) =>
  apps.patchNamespacedDeployment({ name: "web", namespace, body, ...options }, patching(strategy));
const colour = (value) => ({ spec: { template: { spec: { containers: [{ name: "web", env: [{ name: "COLOUR", value }] }] } } } });

test("each kind of patch does what its media type says", async () => {
  await apps.createNamespacedDeployment({ namespace, body: deployment(1, [{ name: "SIZE", value: "3" }]) });
  const merged = await patch(colour("red"), StrategicMergePatch);
  const [container] = merged.spec.template.spec.containers;
  assert.deepEqual(container.env.map(({ name, value }) => `${name}=${value}`), ["COLOUR=red", "SIZE=3"]);
  assert.equal(container.image, "nginx:1");
  const replaced = await patch([{ op: "replace", path: "/spec/replicas", value: 3 }], JsonPatch);
  assert.equal(replaced.spec.replicas, 3);
  const labelled = await patch({ metadata: { labels: { tier: "front" } } }, MergePatch);
  assert.deepEqual(labelled.metadata.labels, { tier: "front" });
  await assert.rejects(patch([{ op: "test", path: "/spec/replicas", value: 7 }], JsonPatch), (error) => error.code === 422);
});

test("an apply leaves others' fields alone, and meets those that it wants as a conflict", async () => {
  await patch(deployment(1), ServerSideApply, { fieldManager: "node" });
  const scale = { ...deployment(2), spec: { replicas: 2 } };
  await assert.rejects(patch(scale, ServerSideApply, { fieldManager: "scaler" }), (error) => {
    const { details, code } = JSON.parse(error.body);
    return code === 409 && details.causes[0].field === ".spec.replicas";
  });
  const forced = await patch(scale, ServerSideApply, { fieldManager: "scaler", force: true });
  assert.equal(forced.spec.replicas, 2);
  const { spec: { replicas, ...without }, ...rest } = deployment(1);
  const again = await patch({ ...rest, spec: without }, ServerSideApply, { fieldManager: "node" });
  assert.equal(again.spec.replicas, 2);
});

test("any object is written by what it says that it is", async () => {
  const objects = k8s.KubernetesObjectApi.makeApiClient(config);
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace }, data: { colour: "red" } };
  await objects.create(body);
  const applied = { ...body, data: { colour: "blue" } };
  await objects.patch(applied, undefined, undefined, "node", true, ServerSideApply);
  assert.deepEqual((await objects.read(body)).data, { colour: "blue" });
  await objects.delete(body);
  await assert.rejects(objects.read(body), (error) => error.code === 404);
});

test("an update that lost a race is made again on what came between", async () => {
  const name = "counter";
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { count: "0" } } });
  const count = async () => {
    for (;;) {
      const body = await core.readNamespacedConfigMap({ namespace, name });
      body.data.count = String(Number(body.data.count) + 1);
      try {
        return await core.replaceNamespacedConfigMap({ namespace, name, body });
      } catch (error) {
        if (error.code !== 409) throw error;
      }
    }
  };
  const match = { verbs: ["update"], resources: ["configmaps"], namespaces: [namespace] };
  const hits = await withFault({ match, when: { first: 2 }, effect: { type: "error", code: 409 } }, () =>
    Promise.all([count(), count(), count(), count()]),
  );
  assert.equal(hits, 2);
  assert.equal((await core.readNamespacedConfigMap({ namespace, name })).data.count, "4");
});

test("a write whose answer is lost is found to be done", async () => {
  const match = { verbs: ["create"], resources: ["configmaps"], namespaces: [namespace] };
  const body = { metadata: { name: "once" } };
  const create = () => core.createNamespacedConfigMap({ namespace, body });
  await withFault({ match, when: { first: 1 }, effect: { type: "drop", afterWrite: true } }, async () => {
    await assert.rejects(create, (error) => error.code === undefined || typeof error.code === "string");
    await assert.rejects(create, (error) => error.code === 409);
  });
});
