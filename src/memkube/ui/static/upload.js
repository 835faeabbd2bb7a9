// Reads a chosen file into a text field, so that the text can be changed before it is sent.
import { say } from "./said.js";

const MOST_BYTES = 1024 * 1024;

export function startUpload() {
  for (const input of document.querySelectorAll("input[type=file][data-into]")) {
    input.addEventListener("change", async () => {
      const file = input.files[0];
      if (!file) return;
      if (file.size > MOST_BYTES) return say(`${file.name} is larger than 1 MiB.`, "problem");
      document.getElementById(input.dataset.into).value = await file.text();
      say(`${file.name} is read.`);
    });
  }
}
