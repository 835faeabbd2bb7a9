/** Informers of `@kubernetes/client-node`: what they tell, and that nothing is lost when history or a connection is. */
import assert from "node:assert/strict";
import { once, EventEmitter } from "node:events";
import { after, beforeEach, test } from "node:test";
import { config, control, core, k8s, newNamespace, withFault } from "./cluster.js";

let namespace;
let isOver = false;
const running = [];
beforeEach(async () => (namespace = await newNamespace()));
after(() => {
  isOver = true;
  for (const informer of running) informer.stop();
});

/** An informer of config maps that starts again after errors, as its documentation has it, and what it has told. */
async function informed() {
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: "kept" });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const informer = k8s.makeInformer(config, path, list, "kept");
  running.push(informer);
  const told = [];
  const news = new EventEmitter();
  for (const event of ["add", "update", "delete"]) {
    informer.on(event, ({ metadata, data }) => {
      told.push(`${event} ${metadata.name}${data ? ` ${data.colour}` : ""}`);
      news.emit("told");
    });
  }
  informer.on("error", () => isOver || informer.start());
  await informer.start();
  const until = async (line) => {
    while (!told.includes(line)) await once(news, "told");
  };
  return { informer, told, until };
}

const make = (name, colour) =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { kept: "yes" } }, data: { colour } } });
const remove = (name) => core.deleteNamespacedConfigMap({ namespace, name });
const recolour = (name, colour) =>
  core.patchNamespacedConfigMap({ namespace, name, body: { data: { colour } } }, k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch));

test("a cache follows what is made, changed and deleted", async () => {
  await make("before", "red");
  const { informer, told, until } = await informed();
  await make("after", "blue");
  await recolour("after", "green");
  await remove("before");
  await until("delete before red");
  assert.deepEqual(told, ["add before red", "add after blue", "update after green", "delete before red"]);
  assert.equal(informer.get("after", namespace).data.colour, "green");
  assert.deepEqual(informer.list(namespace).map(({ metadata }) => metadata.name), ["after"]);
});

test("a cache lists anew when its history is lost", async () => {
  await make("before", "red");
  const { told, until } = await informed();
  await until("add before red");
  const match = { verbs: ["watch"], resources: ["configmaps"], namespaces: [namespace] };
  await withFault({ match, effect: { type: "delayEvents" } }, async () => {
    await make("after", "blue");
    await remove("before");
    await control("/faults/compact-history");
    const { watches } = await control("/faults/close-watches", { match, effect: { type: "closeWatch", how: "expired" } });
    assert.equal(watches, 1);
  });
  await until("add after blue");
  assert.deepEqual(told, ["add before red", "delete before red", "add after blue"]);
});

test("a cache goes on where it was when its connection breaks", async () => {
  const { told, until } = await informed();
  await make("one", "red");
  await until("add one red");
  const match = { resources: ["configmaps"], namespaces: [namespace] };
  const hits = await withFault({ match: { ...match, verbs: ["list"] }, when: { first: 1 }, effect: { type: "drop" } }, async () => {
    await control("/faults/close-watches", { match: { ...match, verbs: ["watch"] }, effect: { type: "closeWatch", how: "dropped" } });
    await make("two", "blue");
    await until("add two blue");
  });
  assert.equal(hits, 0);
  assert.deepEqual(told, ["add one red", "add two blue"]);
});
