// Tells people what has happened: a screen reader says it, and a problem is shown for a while.
let timer = 0;
let shown = 0;

export function say(text, kind = "") {
  clearTimeout(timer);
  // Of many changes in a short time only the last is told.
  timer = setTimeout(() => {
    document.getElementById("said").textContent = text;
  }, 500);
  if (kind !== "problem") return;
  const box = document.getElementById("problem");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(shown);
  shown = setTimeout(() => {
    box.hidden = true;
  }, 8000);
}
