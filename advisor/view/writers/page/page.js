"use strict";
// Tables that sort: a heading is a button; rows with an unknown value stay at the end.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const numeric = head.classList.contains("number");
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const up = before ? before === "descending" : !numeric;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const keyed = [...body.rows].map((row) => {
        const cell = row.cells[column];
        return [numeric ? parseFloat(cell.dataset.key) : cell.textContent, row];
      });
      keyed.sort(([a], [b]) => {
        if (!numeric) return up ? a.localeCompare(b) : b.localeCompare(a);
        if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
        return up ? a - b : b - a;
      });
      body.append(...keyed.map(([, row]) => row));
    });
  });
}
