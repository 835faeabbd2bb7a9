/** The same operator in JavaScript, with `@kubernetes/client-node`: see package.json.
 *
 *     cd examples/operator; npm install
 *     memkube run -- sh -c 'kubectl apply -f website.yaml; node website_node.js'
 */
import fs from "node:fs";
import https from "node:https";
import * as k8s from "@kubernetes/client-node";

const FINALIZER = "example.com/goodbye";
const WEBSITES = { group: "example.com", version: "v1", namespace: "default", plural: "websites" };
const MERGE = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch);
const APPLY = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.ServerSideApply);

const config = new k8s.KubeConfig();
config.loadFromDefault();
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const apps = config.makeApiClient(k8s.AppsV1Api);
const core = config.makeApiClient(k8s.CoreV1Api);
const hooks = config.makeApiClient(k8s.AdmissionregistrationV1Api);

/** Reconciles one Website from its stored state. After a conflict, the event of the other change triggers it again;
 * after any other error it is retried in a second.
 */
async function reconcile(name) {
  try {
    const website = await custom.getNamespacedCustomObject({ ...WEBSITES, name });
    await (website.metadata.deletionTimestamp ? sayGoodbye(website) : serve(website));
  } catch (error) {
    console.log(`${name}: ${error.code ?? error}`);
    if (![404, 409].includes(error.code)) setTimeout(() => enqueue(name), 1000);
  }
}

async function serve(website) {
  const { name } = website.metadata;
  if (!website.metadata.finalizers?.includes(FINALIZER)) await changeFinalizers(website, [FINALIZER]);
  const body = deploymentOf(website);
  const applied = { name, namespace: "default", body, fieldManager: "website", force: true };
  const deployment = await apps.patchNamespacedDeployment(applied, APPLY);
  const status = { readyReplicas: deployment.status?.readyReplicas ?? 0 };
  await custom.patchNamespacedCustomObjectStatus({ ...WEBSITES, name, body: { status } }, MERGE);
}

/** If the operator ends before the finalizer is removed, the ConfigMap exists at the second attempt. */
async function sayGoodbye(website) {
  if (!website.metadata.finalizers?.includes(FINALIZER)) return;
  const name = `goodbye-${website.metadata.name}`;
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  await core.patchNamespacedConfigMap({ name, namespace: "default", body, fieldManager: "website", force: true }, APPLY);
  await changeFinalizers(website, []);
}

function changeFinalizers({ metadata }, finalizers) {
  const body = { metadata: { finalizers, resourceVersion: metadata.resourceVersion } };
  return custom.patchNamespacedCustomObject({ ...WEBSITES, name: metadata.name, body }, MERGE);
}

/** Returns the Deployment that serves a Website and is owned by it. */
function deploymentOf({ apiVersion, kind, metadata: { name, uid }, spec }) {
  const labels = { website: name };
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  const containers = [{ name: "web", image: spec.image }];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels, ownerReferences: [owner] },
    spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template },
  };
}

/** Answers an AdmissionReview: sets a default at /default-host, refuses moving tags at /refuse-moving-tags. */
function review(path, { uid, object }) {
  if (path.startsWith("/default-host")) {
    if (object.spec.host) return { uid, allowed: true };
    const patch = [{ op: "add", path: "/spec/host", value: `${object.metadata.name}.example.com` }];
    return { uid, allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
  }
  if (!object.spec.image.endsWith(":latest")) return { uid, allowed: true };
  return { uid, allowed: false, status: { code: 422, message: "the image has a tag that moves" } };
}

async function serveWebhooks(port, certificate, authority) {
  const server = https.createServer({ cert: certificate, key: certificate }, async (request, response) => {
    const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ apiVersion, kind, response: review(request.url, asked) }));
  });
  await new Promise((listening) => server.listen(port, "127.0.0.1", listening));
  const configuration = (name) => ({
    metadata: { name: "websites.example.com" },
    webhooks: [
      {
        name: `${name}.websites.example.com`,
        clientConfig: { url: `https://127.0.0.1:${port}/${name}`, caBundle: authority.toString("base64") },
        rules: [
          { apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["websites"], operations: ["CREATE", "UPDATE"] },
        ],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  await hooks.createMutatingWebhookConfiguration({ body: configuration("default-host") });
  await hooks.createValidatingWebhookConfiguration({ body: configuration("refuse-moving-tags") });
}

/** Queues a Website; reconciles one Website at a time. */
let last = Promise.resolve();
function enqueue(name) {
  last = last.then(() => reconcile(name));
}

/** Reconciles the Website of every event. */
function follow(path, list, owner) {
  const informer = k8s.makeInformer(config, path, list);
  const changed = (object) => {
    const name = owner(object);
    if (name) enqueue(name);
  };
  for (const event of ["add", "update", "delete"]) informer.on(event, changed);
  informer.on("error", () => informer.start());
  return informer.start();
}

process.on("SIGTERM", () => process.exit(0));
if (process.env.WEBHOOK_PORT) {
  const files = ["WEBHOOK_CERTIFICATE", "WEBHOOK_AUTHORITY"].map((name) => fs.readFileSync(process.env[name]));
  await serveWebhooks(Number(process.env.WEBHOOK_PORT), ...files);
}
await follow(
  "/apis/example.com/v1/namespaces/default/websites",
  () => custom.listNamespacedCustomObject(WEBSITES),
  (website) => website.metadata.name,
);
await follow(
  "/apis/apps/v1/namespaces/default/deployments",
  () => apps.listNamespacedDeployment({ namespace: "default" }),
  (deployment) => deployment.metadata.labels?.website,
);
