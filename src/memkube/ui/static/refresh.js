// Loads the view again, and changes only what differs, so that focus, selection and scroll positions stay.

let loading = null;
let isStale = false;

// Elements with the same key are the same element. The key is the attribute id or data-key.
function keyOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || "" : "";
}

function isSame(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh);
}

function copyAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && name !== "open") old.setAttribute(name, value);
  }
}

// The slider stays as it is while somebody drags it.
function moveSlider(old, fresh) {
  old.min = fresh.min;
  old.max = fresh.max;
  if (document.activeElement !== old) old.value = fresh.value;
}

// The next element without a key that has the same name as the fresh one. A text is only the same in the same place.
function next(place, fresh) {
  if (fresh.nodeType !== Node.ELEMENT_NODE) return place;
  let node = place;
  while (node && !isSame(node, fresh)) node = node.nextSibling;
  return node;
}

export function morph(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.id === "revision") return moveSlider(old, fresh);
  if (old.isEqualNode(fresh) || old.hasAttribute("data-keep")) return;
  copyAttributes(old, fresh);
  const wanted = new Set([...fresh.childNodes].map(keyOf));
  for (const node of [...old.childNodes]) if (!wanted.has(keyOf(node))) node.remove();
  const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  const passed = [];
  let place = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const known = keyOf(child) ? keyed.get(keyOf(child)) : next(place, child);
    if (!known || !isSame(known, child)) {
      old.insertBefore(child, place);
      continue;
    }
    if (keyOf(child) && known !== place) {
      old.insertBefore(known, place);
    } else {
      for (; place !== known; place = place.nextSibling) if (!keyOf(place)) passed.push(place);
      place = place.nextSibling;
    }
    morph(known, child);
  }
  for (; place; place = place.nextSibling) passed.push(place);
  for (const node of passed) node.remove();
}

export async function load(address) {
  const answer = await fetch(address, { headers: { accept: "text/html", "x-memkube-refresh": "1" } });
  const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["views", "past", "change", "main"]) {
    const [old, fresh] = [document.getElementById(id), parsed.getElementById(id)];
    if (old && fresh) morph(old, fresh);
  }
  document.title = parsed.title;
  document.dispatchEvent(new CustomEvent("loaded"));
}

// Of many calls during one load, one more load follows, after a rest as long as the load: under constant change the
// browser and the server are free for half of the time.
export async function refresh() {
  isStale = true;
  if (loading) return;
  while (isStale) {
    isStale = false;
    const began = performance.now();
    loading = load(location.href).catch(() => null);
    await loading;
    if (isStale) await new Promise((resume) => setTimeout(resume, performance.now() - began));
  }
  loading = null;
}
