// Live updates through server-sent events: rows of the table, other parts of the view, the clock and the revisions.
import { setClock, showAges } from "./clock.js";
import { matches, searchInput, wordsOf } from "./filters.js";
import { refresh } from "./refresh.js";
import { showRevisions } from "./past.js";
import { say } from "./said.js";

const table = document.querySelector("table[data-table]");
const waiting = new Map();
let source = null;
let after = "";
let frame = 0;

function address() {
  const query = new URLSearchParams();
  if (table) {
    query.set("table", table.dataset.table);
    if (table.dataset.labels) query.set("labels", table.dataset.labels);
    if (table.dataset.fields) query.set("fields", table.dataset.fields);
  }
  const watched = document.querySelector("[data-watch]");
  for (const path of watched?.dataset.watch.split(" ") ?? []) query.append("watch", path);
  const polled = document.querySelector("[data-poll]");
  if (polled) query.set("poll", polled.dataset.poll);
  query.set("after", after || table?.dataset.after || watched?.dataset.after || "");
  return `/ui/live?${query}`;
}

// The first row whose key is not below the given one, by bisection: rows are in the order of their keys.
function place(rows, key) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].dataset.key < key) low = middle + 1;
    else high = middle;
  }
  return rows[low] ?? null;
}

function patch(old, fresh) {
  const cells = [...fresh.children];
  [...old.children].forEach((cell, index) => {
    if (cell.isEqualNode(cells[index])) return;
    if (cell.dataset.since === cells[index].dataset.since && cell.dataset.since) return;
    // A focused link stays, so that the keyboard does not lose its place.
    if (cell.tagName === "TH") return;
    cell.replaceWith(cells[index]);
  });
  old.classList.remove("changed");
  requestAnimationFrame(() => old.classList.add("changed"));
}

function apply() {
  frame = 0;
  const body = table.tBodies[0];
  const words = wordsOf(searchInput());
  const holder = document.createElement("template");
  for (const [key, html] of waiting) {
    const found = place(body.rows, key);
    const old = found?.dataset.key === key ? found : null;
    if (!html) {
      old?.remove();
      continue;
    }
    holder.innerHTML = html;
    const fresh = holder.content.firstElementChild;
    if (old) {
      patch(old, fresh);
    } else {
      fresh.hidden = !matches(fresh, words);
      fresh.classList.add("changed");
      body.insertBefore(fresh, found);
      showAges(fresh);
    }
  }
  waiting.clear();
  document.getElementById("count").textContent = body.rows.length;
}

function takeRows(event) {
  after = event.lastEventId;
  for (const [key, html] of JSON.parse(event.data).rows) {
    waiting.delete(key);
    waiting.set(key, html);
  }
  if (!frame) frame = requestAnimationFrame(apply);
}

function open() {
  source = new EventSource(address());
  const lost = document.getElementById("connection");
  source.addEventListener("open", () => {
    lost.hidden = true;
    document.documentElement.dataset.live = "1";
  });
  source.addEventListener("error", () => {
    lost.hidden = false;
  });
  source.addEventListener("rows", takeRows);
  source.addEventListener("changed", (event) => {
    after = event.lastEventId;
    refresh();
  });
  source.addEventListener("time", (event) => {
    const told = JSON.parse(event.data);
    setClock(told.clock);
    showRevisions(told.revisions);
    if (document.querySelector("[data-watch-revision]")) refresh();
  });
  source.addEventListener("lost", () => {
    source.close();
    say("The history was replaced. The view is loaded again.");
    location.reload();
  });
}

export function startLive() {
  const isLive = document.querySelector("table[data-table], [data-watch], [data-watch-revision], [data-poll], #clock");
  if (document.body.dataset.at || !isLive) return;
  open();
  // A hidden page gives its connection back: browsers open only six to one server.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source.close();
    else if (source.readyState === EventSource.CLOSED) open();
  });
  addEventListener("pagehide", () => source.close());
}
