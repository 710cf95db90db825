// SPDX-License-Identifier: Apache-2.0
// Behaviour of a report page. Everything that it shows is in the page; this file only sorts, filters and selects.

const data = JSON.parse(document.getElementById("data").textContent);

function compareCells(a, b, column) {
  const [x, y] = [a.cells[column], b.cells[column]];
  if (x.dataset.s !== undefined && y.dataset.s !== undefined) {
    return Number(x.dataset.s) - Number(y.dataset.s);
  }
  return x.textContent.localeCompare(y.textContent, "en", { numeric: true });
}

for (const table of document.querySelectorAll("table")) {
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

for (const input of document.querySelectorAll("input[data-filter]")) {
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

for (const input of document.querySelectorAll("input[data-zoom]")) {
  const box = document.getElementById(input.dataset.zoom);
  input.addEventListener("input", () => {
    box.querySelector("svg").style.width = `${input.value}%`;
  });
}

for (const input of document.querySelectorAll("input[data-graph-zoom]")) {
  const box = document.getElementById(input.dataset.graphZoom);
  box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
  input.addEventListener("input", () => {
    for (const svg of box.querySelectorAll("svg.graph")) {
      svg.setAttribute("width", String(Number(svg.dataset.width) * input.value / 100));
      svg.removeAttribute("height");
    }
  });
}

/** The drawing that is shown: with repeated layers folded, or with every layer. */
const drawingOf = (box) => box.querySelector(".open:not([hidden])") ?? box.querySelector(".folded");

for (const input of document.querySelectorAll("input[data-graph-open]")) {
  const box = document.getElementById(input.dataset.graphOpen);
  const show = () => {
    box.querySelector(".open").hidden = !input.checked;
    box.querySelector(".folded").hidden = input.checked;
  };
  input.addEventListener("change", show);
  // A click on folded layers opens them and shows the first of them where it was.
  box.addEventListener("click", (event) => {
    const folded = event.target.closest(".node.k-layers");
    if (folded === null) return;
    input.checked = true;
    show();
    showNode(box, folded.dataset.step);
  });
}

/** Brings a node of the shown drawing into sight. */
function showNode(box, step) {
  drawingOf(box).querySelector(`.node[data-step="${step}"]`)
    ?.scrollIntoView({ block: "nearest", inline: "center" });
}

const SVG = "http://www.w3.org/2000/svg";

function svgElement(name, attributes, title) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (title !== undefined) {
    const text = document.createElementNS(SVG, "title");
    text.textContent = title;
    element.append(text);
  }
  return element;
}

const bytes = (count) =>
  count >= 1048576
    ? `${(count / 1048576).toFixed(2)} MiB`
    : count >= 1024
    ? `${(count / 1024).toFixed(1)} KiB`
    : `${count} B`;

/** Links of one network: a bar along x and one along y from each node in the network's direction, the fuller the stronger. */
function drawNoc(load, noc) {
  const cell = 10;
  const svg = svgElement("svg", {
    viewBox: `-4 -4 ${load.columns * cell + 8} ${load.rows * cell + 8}`,
    role: "img",
    "aria-label": `NoC${noc}: bytes per link`,
  });
  const workers = new Set(load.workers.map(([x, y]) => `${x},${y}`));
  for (let y = 0; y < load.rows; y++) {
    for (let x = 0; x < load.columns; x++) {
      const kind = workers.has(`${x},${y}`) ? "node worker" : "node";
      svg.append(svgElement("rect", { class: kind, x: x * cell + 2, y: y * cell + 2, width: 5, height: 5 }));
    }
  }
  const away = noc === 0 ? 7 : -3;
  const most = Math.max(1, ...load.nodes.flatMap((node) => [node.alongX, node.alongY]));
  for (const node of load.nodes.filter((candidate) => candidate.noc === noc)) {
    for (
      const [amount, box, axis] of [
        [node.alongX, { x: node.x * cell + away, y: node.y * cell + 4, width: 5, height: 1.6 }, "x"],
        [node.alongY, { x: node.x * cell + 4, y: node.y * cell + away, width: 1.6, height: 5 }, "y"],
      ]
    ) {
      if (amount <= 0) continue;
      const share = amount / most;
      const direction = `${noc === 0 ? "+" : "-"}${axis}`;
      svg.append(svgElement(
        "rect",
        {
          ...box,
          fill: `hsl(${Math.round(55 - 55 * share)} 90% 50%)`,
          opacity: (0.25 + 0.75 * share).toFixed(2),
        },
        `NoC${noc} (${node.x}, ${node.y}) ${direction}: ${bytes(amount)}`,
      ));
    }
  }
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = `NoC${noc} (${
    noc === 0 ? "to the right and down" : "to the left and up"
  }), fullest link ${bytes(most)}`;
  figure.append(caption, svg);
  return figure;
}

function showNetwork(fn, index) {
  const box = document.getElementById(`noc-${fn}`);
  const load = data.functions[fn].network[index];
  if (box === null || load === undefined) return;
  const text = document.createElement("p");
  text.textContent = `${load.us.toFixed(1)} µs at flow level` +
    (load.bottleneck === undefined ? "" : `, limited by ${load.bottleneck}`);
  const nocs = document.createElement("div");
  nocs.className = "nocs";
  nocs.append(drawNoc(load, 0), drawNoc(load, 1));
  box.replaceChildren(text, nocs);
}

document.querySelectorAll("select[data-noc]").forEach((select) => {
  const fn = Number(select.dataset.noc);
  select.addEventListener("change", () => showNetwork(fn, Number(select.value)));
  showNetwork(fn, 0);
});

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Buffers of one core that are there while a step runs, from the lowest address on. */
const buffersAt = ({ rectangles }, step) =>
  rectangles.filter(({ from, to }) => from <= step && step <= to).sort((a, b) => a.address - b.address);

const nameOf = ({ label, madeBy, kind }) =>
  kind === "circular_buffers" ? `circular buffers of ${madeBy}` : label;

const count = (number) => number.toLocaleString("en-US");

/** L1 while one step runs: addresses to the right. */
function l1Bar(map, step, title, zoom) {
  const share = (bytes) => `${bytes / (map.top - map.base) * 100}%`;
  const bar = element("div", { className: "bar" });
  bar.style.width = `${zoom}%`;
  for (const buffer of buffersAt(map, step)) {
    const made = buffer.madeBy === "" || buffer.kind !== "tensor" ? "" : `, made by ${buffer.madeBy}`;
    const part = element("span", {
      className: buffer.kind,
      textContent: nameOf(buffer),
      title: `${nameOf(buffer)}${made}: ${bytes(buffer.bytes)} at ${count(buffer.address)} to ${
        count(buffer.address + buffer.bytes)
      }`,
    });
    part.style.left = share(buffer.address - map.base);
    part.style.width = share(buffer.bytes);
    bar.append(part);
  }
  const clash = map.clashes.find((candidate) => candidate.step === step);
  if (clash !== undefined) {
    const part = element("span", { className: "clash", title: `${bytes(clash.shortBytes)} short` });
    part.style.left = share(clash.start - map.base);
    part.style.width = share(clash.end - clash.start);
    bar.append(part);
  }
  return element(
    "div",
    { className: "l1step" },
    element("span", { className: "dim", textContent: title }),
    bar,
  );
}

/** L1 before and while a step runs, by name and address. */
function l1Story(map, step) {
  const box = element("div", { className: "l1story" });
  const bars = element("div", { className: "l1bars", tabIndex: 0 });
  const draw = (zoom) =>
    bars.replaceChildren(
      ...(step === 0 ? [] : [l1Bar(map, step - 1, "before", zoom)]),
      l1Bar(map, step, "now", zoom),
    );
  draw(100);
  const slider = element("input", {
    type: "range",
    min: "100",
    max: "4000",
    value: "100",
    className: "l1zoom",
  });
  slider.addEventListener("input", () => draw(slider.value));
  const before = new Set(step === 0 ? [] : buffersAt(map, step - 1));
  const now = buffersAt(map, step);
  const gone = [...before].filter((buffer) => !now.includes(buffer));
  const rows = [...now, ...gone].sort((a, b) => b.address - a.address).map((buffer) =>
    element(
      "tr",
      {},
      ...[
        nameOf(buffer),
        `${count(buffer.address)} to ${count(buffer.address + buffer.bytes)}`,
        bytes(buffer.bytes),
        buffer.kind === "circular_buffers" ? "" : buffer.madeBy,
        gone.includes(buffer) ? "gone" : before.has(buffer) ? "stays" : "new",
      ].map((text) => element("td", { textContent: text })),
    )
  );
  box.append(
    element("b", { textContent: "L1 of one core" }),
    element("label", { className: "dim" }, "Zoom ", slider),
    bars,
    element("div", { className: "dim", textContent: `${count(map.base)} to ${count(map.top)}` }),
  );
  if (rows.length > 0) {
    box.append(plainTable(["Buffer", "Addresses", "Per core", "Made by", "Change"], rows));
  }
  return box;
}

function plainTable(heads, rows) {
  const head = element("tr", {}, ...heads.map((textContent) => element("th", { textContent, scope: "col" })));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

/** Everything about a chosen step. */
function fillDetail(fn, index) {
  const { steps, l1 } = data.functions[fn];
  const step = steps[index];
  const box = document.getElementById(`detail-${fn}`);
  const list = element("dl", {});
  for (const [name, value] of Object.entries(step.facts)) {
    list.append(element("dt", { textContent: name }), element("dd", { textContent: value }));
  }
  const close = element("button", { type: "button", className: "close", textContent: "Close" });
  close.addEventListener("click", () => box.classList.remove("told"));
  const parts = [close, element("b", { textContent: step.title }), list, l1Story(l1, index)];
  if (step.candidates.length > 0) {
    const rows = step.candidates.map((cells) => {
      const row = element("tr", {}, ...cells.map((textContent) => element("td", { textContent })));
      if (cells[0] === step.chosen) row.setAttribute("aria-selected", "true");
      return row;
    });
    const heads = ["Rank", "Result", "Operands", step.timeTitle, "Compared with chosen"];
    parts.push(element("b", { textContent: "Candidates" }), plainTable(heads, rows));
  }
  for (const { title, sentences } of step.sections) {
    parts.push(
      element("b", { textContent: title }),
      element("ul", {}, ...sentences.map((textContent) => element("li", { textContent }))),
    );
  }
  box.classList.add("told");
  box.replaceChildren(...parts);
  box.scrollTop = 0;
}

const selected = data.functions.map(() => -1);

function select(fn, index) {
  const { steps, network } = data.functions[fn];
  const step = steps[index];
  if (step === undefined) return;
  selected[fn] = index;
  const section = document.getElementById(`fn-${fn}`);
  for (const row of section.querySelectorAll("tr[aria-selected]")) row.removeAttribute("aria-selected");
  section.querySelector(`tr[data-step="${index}"]`)?.setAttribute("aria-selected", "true");
  for (const node of section.querySelectorAll(".node.chosen")) node.classList.remove("chosen");
  for (const node of section.querySelectorAll(`.node[data-step="${index}"]`)) node.classList.add("chosen");
  const map = section.querySelector("svg.l1 .cursor");
  map?.setAttribute("x", String(index));
  const time = section.querySelector("svg.time .cursor");
  time?.setAttribute("x", String(step.start));
  time?.setAttribute("width", String(step.us));
  fillDetail(fn, index);
  const load = network.findIndex((candidate) => candidate.step === index);
  const chooser = section.querySelector("select[data-noc]");
  if (load >= 0 && chooser !== null) {
    chooser.value = String(load);
    showNetwork(fn, load);
  }
}

document.querySelectorAll("section[data-fn]").forEach((section) => {
  const fn = Number(section.dataset.fn);
  section.addEventListener("click", (event) => {
    const target = event.target.closest("[data-step]");
    if (target !== null) select(fn, Number(target.dataset.step));
  });
  section.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr[data-step]");
    if (row !== null && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      select(fn, Number(row.dataset.step));
    } else if (row !== null && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const next = event.key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
      next?.focus();
    } else if (
      event.target.matches(".graphbox") && /^Arrow/.test(event.key)
    ) {
      event.preventDefault();
      const nodes = drawingOf(event.target).querySelectorAll(
        ".node[data-step]:is(.k-op, .k-move, .k-layers)",
      );
      const steps = [...new Set([...nodes].map((node) => Number(node.dataset.step)))].sort((a, b) => a - b);
      const isForward = event.key === "ArrowDown" || event.key === "ArrowRight";
      const next = isForward
        ? steps.find((step) => step > selected[fn])
        : steps.findLast((step) => step < selected[fn]);
      if (next === undefined) return;
      select(fn, next);
      showNode(event.target, next);
    } else if (
      event.target.matches(".timebox") && (event.key === "ArrowLeft" || event.key === "ArrowRight")
    ) {
      event.preventDefault();
      select(fn, Math.max(0, selected[fn] + (event.key === "ArrowRight" ? 1 : -1)));
    }
  });
});

document.documentElement.dataset.ready = "true";
