// SPDX-License-Identifier: Apache-2.0
import type { LayoutUnits } from "./layout_units.ts";
import { escapeText } from "./escape_text.ts";

/** The location of an element, or the element at a location. */
interface PlaceInLayout {
  /** Index of the unit. */
  readonly unit: number;
  /** Row and column in the unit. */
  readonly row: number;
  readonly column: number;
  /** Bytes from the start of the node's buffer; of the unit for elements without an address of their own. */
  readonly byte: number;
  /** The element, `undefined` for padding. */
  readonly index: readonly number[] | undefined;
}

/** Rows and columns of a face of a tile. */
type Face = readonly [rows: number, columns: number];

/**
 * Conversions between element, core and address: the arithmetic of a page about one layout. The page embeds the text
 * of this class, so it must not use anything outside itself.
 */
export class LayoutLookup {
  readonly #layout: LayoutUnits;
  readonly #face: Face;

  constructor(layout: LayoutUnits) {
    this.#layout = layout;
    this.#face = [Math.min(16, layout.unitShape[0]), 16];
  }

  /** Place of an element; `undefined` for an index outside of the tensor. */
  ofElement(index: readonly number[]): PlaceInLayout | undefined {
    const { shape, sums } = this.#layout;
    if (index.length !== shape.length) return undefined;
    if (index.some((value, dim) => !(value >= 0 && value < (shape[dim] ?? 1)))) return undefined;
    return this.atPosition(
      sums.map(({ offset, dims }) =>
        dims.reduce((sum, { dim, stride }) => sum + (index[dim] ?? 0) * stride, offset)
      ),
    );
  }

  /** The contents of a position of the collapsed tensor; `undefined` outside of it. */
  atPosition(position: readonly number[]): PlaceInLayout | undefined {
    const { units } = this.#layout;
    const rank = position.length;
    const within = (start: readonly number[], dim: number): number =>
      (position[dim] ?? 0) - (start[dim] ?? 0);
    const unit = units.findIndex(({ start, rows, columns }) =>
      start.every((_, dim) => {
        const distance = within(start, dim);
        return distance >= 0 && distance < (dim === rank - 1 ? columns : dim === rank - 2 ? rows : 1);
      })
    );
    const start = units[unit]?.start;
    if (start === undefined) return undefined;
    return this.#place(unit, rank < 2 ? 0 : within(start, rank - 2), rank < 1 ? 0 : within(start, rank - 1));
  }

  /** The contents of a byte of a node's buffer; `undefined` if no unit is there. */
  atByte(node: number, byte: number): PlaceInLayout | undefined {
    const { units, unitBytes, elementBytes } = this.#layout;
    const unit = units.findIndex((candidate) =>
      candidate.node === node && byte >= candidate.byte && byte < candidate.byte + unitBytes
    );
    const found = units[unit];
    if (found === undefined) return undefined;
    if (elementBytes === null) return this.#place(unit, 0, 0);
    const [row, column] = this.#fromStorageOrder(Math.floor((byte - found.byte) / elementBytes));
    return this.#place(unit, row, column);
  }

  #place(unit: number, row: number, column: number): PlaceInLayout | undefined {
    const { units, elementBytes } = this.#layout;
    const found = units[unit];
    if (found === undefined) return undefined;
    const { start, rows, columns, byte } = found;
    const rank = start.length;
    const position = start.map((first, dim) =>
      first + (dim === rank - 1 ? column : dim === rank - 2 ? row : 0)
    );
    return {
      unit,
      row,
      column,
      byte: elementBytes === null ? byte : byte + this.#storageOrder(row, column) * elementBytes,
      index: row < rows && column < columns ? this.#decode(position) : undefined,
    };
  }

  /** Elements before one in the storage order of its unit. */
  #storageOrder(row: number, column: number): number {
    const { isTiled, unitShape: [, width] } = this.#layout;
    const [rows, columns] = this.#face;
    if (!isTiled) return row * width + column;
    const face = Math.floor(row / rows) * (width / columns) + Math.floor(column / columns);
    return face * rows * columns + row % rows * columns + column % columns;
  }

  #fromStorageOrder(order: number): readonly [number, number] {
    const { isTiled, unitShape: [, width] } = this.#layout;
    const [rows, columns] = this.#face;
    if (!isTiled) return [Math.floor(order / width), order % width];
    const face = Math.floor(order / (rows * columns));
    const facesPerRow = width / columns;
    const inFace = order % (rows * columns);
    return [
      Math.floor(face / facesPerRow) * rows + Math.floor(inFace / columns),
      face % facesPerRow * columns + inFace % columns,
    ];
  }

  /** The element at a position of the collapsed tensor; a dim in several results has one value. */
  #decode(position: readonly number[]): readonly number[] | undefined {
    const { shape, sums } = this.#layout;
    const index = shape.map((): number | undefined => undefined);
    for (const [result, { offset, dims }] of sums.entries()) {
      let rest = (position[result] ?? 0) - offset;
      if (rest < 0) return undefined;
      for (const { dim, stride, extent } of dims) {
        const value = Math.floor(rest / stride);
        if (value >= extent || (index[dim] ?? value) !== value) return undefined;
        index[dim] = value;
        rest -= value * stride;
      }
      if (rest !== 0) return undefined;
    }
    return index.map((value) => value ?? 0);
  }
}

/**
 * A page about one layout that needs nothing but a browser: the collapsed tensor coloured by core, the cores, and the
 * memory of the chosen one. Pointing at any of them shows element, core and address in all.
 *
 * @param title one line
 * @param attribute text of the layout
 */
export function layoutPage(layout: LayoutUnits, title: string, attribute: string): string {
  // Closing tags end a script anywhere, also inside strings.
  const data = JSON.stringify(layout).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeText(title)}</h1>
<p><code>${escapeText(attribute)}</code></p>
<p id="told" role="status">Point at the tensor, a core or its memory.</p>
<form id="ask">
<label>element <input id="element" placeholder="${layout.shape.map(() => 0).join(",")}"></label>
<label>core <select id="node"></select></label>
<label>byte <input id="byte" type="number" min="0" value="0"></label>
</form>
<h2>Collapsed tensor</h2>
<canvas id="tensor"></canvas>
<h2>Cores</h2>
<div id="nodes"></div>
<h2>Memory of <span id="chosen"></span></h2>
<canvas id="memory"></canvas>
<script>
const layout = ${data};
const lookup = new (${LayoutLookup.toString()})(layout);
${SCRIPT}
</script>
</body>
</html>
`;
}

const STYLE = `
body { font: 14px system-ui, sans-serif; margin: 16px; color: #1b2327; background: #fff; }
h1 { font-size: 18px; } h2 { font-size: 14px; margin: 16px 0 4px; }
code { overflow-wrap: anywhere; } #told { min-height: 3em; font-variant-numeric: tabular-nums; }
#ask { display: flex; gap: 12px; flex-wrap: wrap; } canvas { border: 1px solid #b0bec5; max-width: 100%; }
#nodes { display: flex; flex-wrap: wrap; gap: 2px; }
#nodes button { border: 2px solid transparent; font: 11px system-ui; padding: 4px 6px; }
#nodes button.on { border-color: #000; }
`;

// Plain JavaScript of the page; its computations are those of LayoutLookup.
const SCRIPT = `
const byId = (id) => document.getElementById(id);
const colour = (node) => "hsl(" + Math.round(node * 137.508) % 360 + " 55% 78%)";
const rank = layout.units[0] ? layout.units[0].start.length : 0;
const extents = Array.from({ length: rank }, (_, dim) => layout.units.reduce((most, unit) => Math.max(most,
  unit.start[dim] + (dim === rank - 1 ? unit.columns : dim === rank - 2 ? unit.rows : 1)), 1));
const rows = rank < 2 ? 1 : extents[rank - 2];
const columns = rank < 1 ? 1 : extents[rank - 1];
const outer = extents.slice(0, Math.max(0, rank - 2));
const slices = outer.reduce((product, extent) => product * extent, 1);
const sliceOf = (start) => outer.reduce((slice, extent, dim) => slice * extent + start[dim], 0);
const outerOf = (slice) => outer.map((_, dim) => Math.floor(slice / outer.slice(dim + 1).reduce((p, e) => p * e, 1)) % outer[dim]);
const tensor = byId("tensor"), memory = byId("memory"), select = byId("node");
tensor.width = 960; tensor.height = Math.max(120, Math.min(640, Math.round(960 * rows * slices / columns)));
memory.width = 960; memory.height = 80;
const sx = tensor.width / columns, sy = tensor.height / (rows * slices);
const bytesOf = layout.nodes.map(() => 0);
for (const unit of layout.units) bytesOf[unit.node] = Math.max(bytesOf[unit.node], unit.byte + layout.unitBytes);
let chosen = 0;
const box = (unit) => [unit.start[rank - 1] * sx || 0,
  (sliceOf(unit.start) * rows + (rank < 2 ? 0 : unit.start[rank - 2])) * sy, unit.columns * sx, unit.rows * sy];
function draw(place) {
  const paint = tensor.getContext("2d");
  paint.clearRect(0, 0, tensor.width, tensor.height);
  for (const unit of layout.units) {
    const [x, y, width, height] = box(unit);
    paint.fillStyle = colour(unit.node);
    paint.fillRect(x, y, width, height);
    if (unit.node === chosen) { paint.strokeStyle = "#37474f"; paint.strokeRect(x, y, width, height); }
  }
  const bar = memory.getContext("2d"), scale = memory.width / Math.max(1, bytesOf[chosen]);
  bar.clearRect(0, 0, memory.width, memory.height);
  layout.units.forEach((unit, index) => {
    if (unit.node !== chosen) return;
    bar.fillStyle = place && place.unit === index ? "#ffb300" : colour(unit.node);
    bar.fillRect(unit.byte * scale, 0, layout.unitBytes * scale, memory.height);
    bar.strokeStyle = "#90a4ae";
    bar.strokeRect(unit.byte * scale, 0, layout.unitBytes * scale, memory.height);
  });
  if (place) {
    const [x, y] = box(layout.units[place.unit]);
    paint.fillStyle = "#d50000";
    paint.fillRect(x + place.column * sx - 2, y + place.row * sy - 2, Math.max(4, sx), Math.max(4, sy));
    bar.fillStyle = "#d50000";
    bar.fillRect(place.byte * scale, 0, Math.max(2, (layout.elementBytes || layout.unitBytes) * scale), memory.height);
  }
  byId("chosen").textContent = layout.nodes[chosen] + ", " + bytesOf[chosen] + " bytes";
  [...byId("nodes").children].forEach((button, node) => button.classList.toggle("on", node === chosen));
  select.value = chosen;
}
function tell(place) {
  if (!place) return;
  const unit = layout.units[place.unit];
  chosen = unit.node;
  byId("told").textContent = (place.index ? "element [" + place.index.join(", ") + "]" : "padding") + " · core " +
    layout.nodes[unit.node] + " · byte " + place.byte + (layout.elementBytes === null ? " (of its tile: block-float)" : "") +
    " · " + (layout.isTiled ? "tile" : "row") + " at collapsed (" + unit.start.join(", ") + "), row " + place.row +
    ", column " + place.column;
  if (place.index) byId("element").value = place.index.join(",");
  byId("byte").value = place.byte;
  draw(place);
}
layout.nodes.forEach((name, node) => {
  const button = document.createElement("button");
  button.type = "button"; button.textContent = name; button.style.background = colour(node);
  const point = () => tell(lookup.atByte(node, 0));
  button.addEventListener("mouseenter", point); button.addEventListener("click", point);
  byId("nodes").append(button);
  select.append(new Option(name, node));
});
tensor.addEventListener("mousemove", (event) => {
  const row = Math.floor(event.offsetY / tensor.clientHeight * rows * slices);
  const column = Math.floor(event.offsetX / tensor.clientWidth * columns);
  const position = [...outerOf(Math.floor(row / rows)), ...rank < 2 ? [] : [row % rows], ...rank < 1 ? [] : [column]];
  tell(lookup.atPosition(position));
});
memory.addEventListener("mousemove", (event) =>
  tell(lookup.atByte(chosen, Math.floor(event.offsetX / memory.clientWidth * bytesOf[chosen]))));
byId("ask").addEventListener("submit", (event) => event.preventDefault());
byId("element").addEventListener("change", (event) =>
  tell(lookup.ofElement(event.target.value.split(",").map(Number))));
const ask = () => tell(lookup.atByte(Number(select.value), Number(byId("byte").value)));
select.addEventListener("change", ask); byId("byte").addEventListener("change", ask);
draw();
`;
