// The cluster's clock in the header, and the ages in tables, which count by that clock.
import { say } from "./said.js";

const section = document.getElementById("clock");
const clock = { now: Date.now(), speed: 1, mode: "real", next: "", heard: performance.now() };

export function now() {
  return clock.now + (performance.now() - clock.heard) * clock.speed;
}

export function setClock(told) {
  clock.now = Date.parse(told.now);
  clock.speed = told.speed;
  clock.mode = told.mode;
  clock.next = told.next;
  clock.heard = performance.now();
  show();
}

// The text of an age, as kubectl prints it (HumanDuration of k8s.io/apimachinery).
export function age(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 ? `${minutes}m${seconds % 60}s` : `${minutes}m`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 ? `${hours}h${minutes % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 ? `${days}d${hours % 24}h` : `${days}d`;
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  if (days < 2920) return days % 365 ? `${years}y${days % 365}d` : `${years}y`;
  return `${years}y`;
}

export function showAges(root) {
  // In a view of the past, ages count to the time of its revision, if that is known.
  const past = document.getElementById("main").dataset.instant;
  const instant = past ? Date.parse(past) : now();
  for (const cell of root.querySelectorAll("[data-since]")) {
    const text = age(instant - Date.parse(cell.dataset.since));
    if (cell.textContent !== text) cell.textContent = text;
  }
}

function show() {
  if (section) {
    const text = new Date(now()).toISOString();
    const shown = document.getElementById("now");
    shown.dateTime = text;
    shown.textContent = text.slice(0, 19).replace("T", " ");
    const next = document.getElementById("next");
    if (next) {
      next.disabled = !clock.next;
      next.textContent = clock.next ? `Next timer (${age(Math.max(Date.parse(clock.next) - now(), 0))})` : "No timer";
    }
  }
  showAges(document);
}

export function startClock() {
  if (!section) return;
  setClock({ now: section.dataset.now, speed: Number(section.dataset.speed), mode: section.dataset.mode, next: section.dataset.next });
  document.addEventListener("loaded", () => showAges(document));
  if (document.body.dataset.at) return;
  setInterval(() => {
    if (clock.speed && !document.hidden) show();
  }, 1000);
  for (const form of document.querySelectorAll("form[data-clock]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      await move(form.action, new URLSearchParams(new FormData(form, event.submitter)));
    });
  }
  startRun(document.getElementById("run"));
}

// Moves the clock, and tells how that went. Returns false if the clock cannot be moved.
async function move(address, body) {
  section.setAttribute("aria-busy", "true");
  const answer = await fetch(address, { method: "POST", body }).catch(() => null);
  section.removeAttribute("aria-busy");
  if (answer?.ok) return true;
  say(answer ? await answer.text() : "The server does not answer.", "problem");
  return false;
}

// Advances the stopped clock again and again, as if it ran, for as long as the page is open.
function startRun(form) {
  if (!form) return;
  const button = form.querySelector("button");
  let isRunning = false;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    isRunning = !isRunning;
    button.setAttribute("aria-pressed", isRunning);
    button.textContent = isRunning ? "Stop" : "Run";
    document.getElementById("mode").textContent = isRunning ? "running" : "stopped";
    if (!isRunning) return;
    let before = performance.now();
    while (isRunning) {
      await new Promise((resume) => setTimeout(resume, 200));
      const instant = performance.now();
      const seconds = ((instant - before) / 1000) * form.speed.value;
      before = instant;
      if (isRunning && !(await move(form.action, new URLSearchParams({ seconds })))) form.requestSubmit();
    }
  });
}
