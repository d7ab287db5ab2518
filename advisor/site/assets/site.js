// The theme's search is a dialog without a name.
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");

// Wide tables scroll in boxes, which the theme makes later, and which keys must reach.
const reach = () => document.querySelectorAll(".md-typeset__scrollwrap").forEach((box) => (box.tabIndex = 0));
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
reach();

// A box that filters the rows of the table of metrics; the page is complete without it.
const table = location.pathname.endsWith("/metrics/index.html") && document.querySelector(".advisor table");
if (table) {
  const label = document.createElement("label");
  label.className = "filter";
  label.textContent = "Filter ";
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "dram, sectors, registers …";
  const count = document.createElement("output");
  label.append(box);
  table.parentElement.before(label, count);
  const rows = [...table.tBodies[0].rows].map((row) => [row, row.textContent.toLowerCase()]);
  const show = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };
  box.addEventListener("input", show);
  show();
}
