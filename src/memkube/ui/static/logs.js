// The log of a container, line by line as it is written, with a filter over its lines.
const MOST_LINES = 5000;
let source = null;
let opened = "";

function words() {
  return document.getElementById("words").value.toLowerCase().split(/\s+/).filter(Boolean);
}

function fits(line, wanted) {
  const text = line.toLowerCase();
  return wanted.every((word) => text.includes(word));
}

function state(text) {
  document.getElementById("log-state").textContent = text;
}

function append(log, lines) {
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
  const wanted = words();
  const added = document.createDocumentFragment();
  for (const line of lines) {
    const element = document.createElement("span");
    element.textContent = `${line}\n`;
    element.hidden = !fits(line, wanted);
    added.append(element);
  }
  log.append(added);
  while (log.childElementCount > MOST_LINES) log.firstElementChild.remove();
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

function open(log) {
  source?.close();
  const isContinued = opened !== "";
  source = new EventSource(log.dataset.stream);
  source.addEventListener("open", () => {
    // The server sends the last lines again after each interruption.
    log.replaceChildren();
    state(isContinued ? "The container has been restarted. Further lines appear as they are written." : "Further lines appear as they are written.");
  });
  source.addEventListener("lines", (event) => append(log, JSON.parse(event.data)));
  source.addEventListener("end", () => {
    source.close();
    state("The log has ended.");
  });
  source.addEventListener("problem", (event) => {
    source.close();
    state(event.data);
  });
}

// After each load of the view: another run of the container has another log.
function follow() {
  const log = document.getElementById("log");
  const run = log ? `${log.dataset.stream} ${document.getElementById("run").dataset.run}` : "";
  if (run === opened) return;
  if (log) open(log);
  else source?.close();
  opened = run;
}

export function startLogs() {
  const filter = document.getElementById("words");
  if (!filter) return;
  follow();
  document.addEventListener("loaded", follow);
  filter.addEventListener("input", () => {
    const wanted = words();
    for (const line of document.querySelectorAll("#log > span")) line.hidden = !fits(line.textContent, wanted);
  });
  addEventListener("pagehide", () => source?.close());
}
