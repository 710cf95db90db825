// SPDX-License-Identifier: Apache-2.0
// Tables: sorting by a head, filtering by words.

function compareCells(a, b, column) {
  const [x, y] = [a.cells[column], b.cells[column]];
  if (x.dataset.s !== undefined && y.dataset.s !== undefined) {
    return Number(x.dataset.s) - Number(y.dataset.s);
  }
  return x.textContent.localeCompare(y.textContent, "en", { numeric: true });
}

/** Sorts a table by a click on a head. */
export function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const isDescending = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      const order = new Map(rows.map((row, index) => [row, index]));
      rows.sort((a, b) =>
        (isDescending ? -1 : 1) * compareCells(a, b, column) || order.get(a) - order.get(b)
      );
      table.tBodies[0].append(...rows);
    });
  });
}

/** Shows only the rows that contain all words of an input. */
export function filtering(input) {
  const table = document.getElementById(input.dataset.filter);
  const count = document.getElementById(`${input.dataset.filter}-count`);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown++;
    }
    count.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
  });
}
