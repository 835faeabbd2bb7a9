// Forms with data-send are sent without leaving the view, which is then loaded again.
import { refresh } from "./refresh.js";
import { say } from "./said.js";

async function send(form, submitter) {
  const question = (submitter ?? form).dataset.confirm ?? form.dataset.confirm;
  if (question && !confirm(question)) return;
  form.setAttribute("aria-busy", "true");
  const body = new URLSearchParams(new FormData(form, submitter));
  const answer = await fetch(form.action, { method: "POST", body, headers: { "x-memkube-refresh": "1" } }).catch(() => null);
  form.removeAttribute("aria-busy");
  const problem = !answer ? "The server does not answer." : answer.status === 204 ? "" : await answer.text();
  if (problem) return say(problem, "problem");
  const next = answer.headers.get("location");
  if (next) return location.assign(next);
  if (form.dataset.done) say(form.dataset.done);
  if (form.hasAttribute("data-reset")) form.reset();
  await refresh();
}

export function startForms() {
  // The document listens, because forms come and go with the parts of the view.
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-send]")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });
}
