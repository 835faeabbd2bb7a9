// Tells people with a screen reader what has changed.
let timer = 0;

export function say(text) {
  clearTimeout(timer);
  // Of many changes in a short time only the last is told.
  timer = setTimeout(() => {
    document.getElementById("said").textContent = text;
  }, 500);
}
