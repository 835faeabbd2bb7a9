/**
 * Notes the number of replicas of each Widget in a ConfigMap, with an informer of @kubernetes/client-node.
 *
 * The bug: the informer stops when its watch fails, and is not started again: the operator runs, and does nothing any
 * more. snyk/kubernetes-monitor had this bug (pull request 653); issues 301 and 596 of the client tell of others.
 */
import { informer, reconcile } from "./informer.mjs";

informer.on("add", reconcile);
informer.on("update", reconcile);
informer.on("error", (error) => console.log(`the watch has failed: ${error.message}`));
await informer.start();
