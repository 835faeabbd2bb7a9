// Starts the parts of the page. Each part works on the elements that it finds in the present view.
import { startClock } from "./clock.js";
import { startFilters } from "./filters.js";
import { startForms } from "./forms.js";
import { startLive } from "./live.js";
import { startLogs } from "./logs.js";
import { startLong } from "./long.js";
import { startPast } from "./past.js";
import { startTerminal } from "./terminal.js";
import { startUpload } from "./upload.js";

function startTheme() {
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem("memkube-theme", root.dataset.theme);
  });
}

startTheme();
startClock();
startPast();
startFilters();
startLong();
startForms();
startUpload();
startLogs();
startTerminal();
startLive();
