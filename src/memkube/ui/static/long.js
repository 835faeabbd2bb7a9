// Long tables: the browser lays out and paints only the rows that can be seen.
//
// The columns of a table depend on the cells of all rows, so that each change would lay out the whole table. The widths
// are measured once, and each row then stands for itself, with the CSS property content-visibility. Browsers keep the
// roles of tables, rows and cells for that.
const FEW_ROWS = 200;

function measure(table) {
  table.classList.remove("long");
  if (table.tBodies[0].rows.length < FEW_ROWS) return;
  const widths = [...table.tHead.rows[0].cells].map((cell) => cell.offsetWidth).filter(Boolean);
  const whole = widths.reduce((sum, width) => sum + width, 0);
  // Shares of the width, so that a wider window widens all columns.
  table.style.setProperty("--columns", widths.map((width) => `minmax(4rem, ${((100 * width) / whole).toFixed(2)}fr)`).join(" "));
  table.classList.add("long");
}

export function startLong() {
  const table = document.querySelector("table.rows");
  if (!table) return;
  measure(table);
  document.addEventListener("loaded", () => measure(table));
}
