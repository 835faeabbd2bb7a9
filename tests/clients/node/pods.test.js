/** Pods in the hands of `@kubernetes/client-node`: logs, commands, ports, evictions. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { before, test } from "node:test";
import { Kept, config, core, isReady, k8s, newNamespace, pod, podOnce, policy, withFault } from "./cluster.js";

let namespace;
before(async () => (namespace = await newNamespace()));

/** Makes a pod; returns once it is ready. */
async function running(name, script, labels) {
  await core.createNamespacedPod({ namespace, body: pod(name, script, labels) });
  return podOnce(namespace, name, isReady);
}

/** Runs a command; tells what it printed, and the Status that it ended with. */
async function executed(name, command, stdin = null) {
  const [out, errors] = [new Kept(), new Kept()];
  const status = await new Promise((resolve, reject) => {
    new k8s.Exec(config).exec(namespace, name, "main", command, out, errors, stdin, false, resolve).catch(reject);
  });
  return { out: out.text, errors: errors.text, status };
}

test("a log is followed while it is written, to its end", async () => {
  await core.createNamespacedPod({ namespace, body: pod("counting", "echo one; sleep 1; echo two; exec server") });
  await podOnce(namespace, "counting", isReady);
  const kept = new Kept();
  const following = await new k8s.Log(config).log(namespace, "counting", "main", kept, { follow: true });
  assert.equal(await kept.until("two\n"), "one\ntwo\n");
  following.abort();
});

test("a log that is refused once is asked for again", async () => {
  await running("logging", "echo hello; exec server");
  const match = { verbs: ["get"], resources: ["pods/log"], namespaces: [namespace] };
  const effect = { type: "error", code: 503, retryAfterSeconds: 1 };
  const kept = new Kept();
  const hits = await withFault({ match, when: { first: 1 }, effect }, async () => {
    const log = new k8s.Log(config);
    await assert.rejects(log.log(namespace, "logging", "main", kept), (error) => error.code === 503);
    await log.log(namespace, "logging", "main", kept);
  });
  assert.equal(hits, 1);
  assert.equal(await kept.until("\n"), "hello\n");
});

test("a command reads, writes, and ends with its code", async () => {
  await running("shell", "exec server");
  const stdin = new PassThrough();
  const done = executed("shell", ["sh", "-c", "read line; echo got $line; echo oh >&2; exit 3"], stdin);
  stdin.write("something\n");
  const { out, errors, status } = await done;
  assert.deepEqual([out, errors], ["got something\n", "oh\n"]);
  assert.deepEqual([status.reason, status.details.causes], ["NonZeroExitCode", [{ reason: "ExitCode", message: "3" }]]);
});

test("a port answers through the API server", async () => {
  await running("web", "exec server");
  const [output, errors, input] = [new Kept(), new Kept(), new PassThrough()];
  const socket = await new k8s.PortForward(config).portForward(namespace, "web", [8080], output, errors, input);
  input.write("GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n");
  assert.match(await output.until("web\n"), /^HTTP\/1.1 200 OK\r\n/);
  socket.close();
});

test("an eviction is refused by a budget until there is another pod", async () => {
  const labels = { app: "guarded" };
  await policy.createNamespacedPodDisruptionBudget({
    namespace,
    body: { metadata: { name: "guarded" }, spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  });
  await running("first", "exec server", labels);
  const evict = () => core.createNamespacedPodEviction({ namespace, name: "first", body: { metadata: { name: "first" } } });
  await assert.rejects(evict, (error) => error.code === 429);
  await running("second", "exec server", labels);
  const gone = podOnce(namespace, "first", (_, type) => type === "DELETED");
  while (!(await evict().then(() => true, (error) => error.code !== 429 && Promise.reject(error))));
  await gone;
});
