// The slider through the revisions of the past. Each position is an address that can be passed on.
import { load } from "./refresh.js";

const slider = document.getElementById("revision");
let timer = 0;
let isLoading = false;
let isStale = false;

function addressAt(revision) {
  const address = new URL(location.href);
  if (revision) address.searchParams.set("at", revision);
  else address.searchParams.delete("at");
  address.searchParams.delete("continue");
  return address;
}

export function showRevisions(revisions) {
  if (!slider || !slider.dataset.live) return;
  slider.min = revisions.oldest;
  slider.max = revisions.newest;
  if (document.activeElement === slider && timer) return;
  slider.value = revisions.newest;
  document.getElementById("shown").textContent = revisions.newest;
}

async function show() {
  const address = addressAt(slider.value);
  history.replaceState(null, "", address);
  isStale = true;
  if (isLoading) return;
  isLoading = true;
  while (isStale) {
    isStale = false;
    await load(location.href).catch(() => null);
  }
  isLoading = false;
}

export function startPast() {
  if (!slider) return;
  slider.addEventListener("input", () => {
    document.getElementById("shown").textContent = slider.value;
    if (!document.body.dataset.at) return;
    clearTimeout(timer);
    timer = setTimeout(show, 60);
  });
  slider.addEventListener("change", () => {
    // From the present, the first step loads the page, so that live updates end.
    if (!document.body.dataset.at) location.assign(addressAt(slider.value));
  });
}
