/**
 * Notes the number of replicas of each Widget in a ConfigMap, with an informer of @kubernetes/client-node.
 *
 * The informer is started again when its watch fails.
 */
import { informer, reconcile } from "./informer.mjs";

async function start() {
  try {
    await informer.start();
  } catch (error) {
    again(error);
  }
}

function again(error) {
  console.log(`the watch has failed: ${error.message}`);
  setTimeout(start, 500);
}

informer.on("add", reconcile);
informer.on("update", reconcile);
informer.on("error", again);
await start();
