// SPDX-License-Identifier: Apache-2.0
import { describeLayoutOr, type LayoutPlace } from "../../../lib/layout/describe.ts";
import type {
  OpGraphEdge,
  OpGraphNode,
  OpGraphSection,
  TensorBeside,
} from "../../../pipeline/report/op_graph.ts";
import type { FunctionReport } from "../../../pipeline/report/report.ts";
import type { FunctionTimeline, StepTimeline } from "../../../sim/timeline/timeline.ts";
import { formatMicroseconds, formatTime, plural } from "../format.ts";
import { type Box, layOutGraph, type PlacedBox, type Point, stripsOf } from "./graph_layout.ts";
import { escapeHtml } from "./html.ts";

/** The fields of a function that a drawing uses. */
type DrawnFunction = Pick<FunctionReport, "name" | "graph" | "openGraph" | "timeline">;

const PLACES: Readonly<Record<LayoutPlace, string>> = {
  dram: "DRAM",
  l1_interleaved: "L1 interleaved",
  l1_height_sharded: "L1 height",
  l1_width_sharded: "L1 width",
  l1_block_sharded: "L1 block",
  dram_sharded: "DRAM sharded",
  other: "host or unknown",
};

/** Height of a strip on paper, in pixels of the drawing. */
const STRIP = 900;

/** Characters of a line in a box; the rest is in the title. */
const LETTERS = 34;

/** The text of a box. */
interface BoxText {
  readonly lines: readonly string[];
  /** Shown when the mouse rests on it. */
  readonly title: string;
}

/** Distance between a node and the marks beside it, and between these, in pixels. */
const BESIDE_GAP = 14;
const BESIDE_STEP = 22;
const SMALL_HEIGHT = 18;

/** The tip of edges, once for all drawings, so that paper has it too. */
export const GRAPH_MARKS =
  '<svg class="marks" width="0" height="0" aria-hidden="true"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8Z" class="tip"/></marker></defs></svg>';

/** The graph of a function: scrolled on the screen, in strips on paper. */
export function graphSection(fn: DrawnFunction, index: number): string {
  const { sections, opsLeftOut } = fn.graph;
  const drawings = sections.map((section, part) => drawSection(section, fn, `graph-${index}-${part}`));
  const open = fn.openGraph?.sections.map((section, part) =>
    drawSection(section, fn, `graph-${index}-open-${part}`)
  );
  const more = opsLeftOut === 0
    ? ""
    : `<p class="dim">${
      plural(opsLeftOut, "op")
    } behind these are not drawn; --emit model-explorer=FILE writes the whole graph.</p>`;
  return `<h3>Graph</h3>
<div class="controls"><label>Zoom <input type="range" min="30" max="200" value="100" data-graph-zoom="graph-${index}"></label>
${
    open === undefined
      ? ""
      : `<label><input type="checkbox" data-graph-open="graph-${index}"> Every layer</label>`
  }<span class="dim">Click an op for its story, or folded layers to open them; with the graph in focus, the arrow keys move from op to op.</span></div>
<div class="legend">${legend(fn)}</div>
<div class="graphbox" id="graph-${index}" tabindex="0" role="region" aria-label="Graph of ${
    escapeHtml(fn.name)
  }"><div class="folded">${drawings.map(({ screen }) => screen).join("\n")}</div>${
    open === undefined ? "" : `<div class="open" hidden>${open.map(({ screen }) => screen).join("\n")}</div>`
  }</div>
<div class="graphpaper" aria-hidden="true">${drawings.map(({ paper }) => paper).join("\n")}</div>
${more}`;
}

/** Legend of the colours in use. */
function legend(fn: DrawnFunction): string {
  const nodes = fn.graph.sections.flatMap((section) => section.nodes);
  const besides = nodes.flatMap((node) => node.besides);
  const drawn = [...nodes.filter(({ kind }) => kind === "op" || kind === "move"), ...besides];
  const places: ReadonlySet<string> = new Set(drawn.map(({ place }) => place));
  const entries: readonly (readonly [boolean, string])[] = [
    ...Object.entries(PLACES).map(([place, name]) =>
      [places.has(place), `<i class="p-${place}"></i>${name}`] as const
    ),
    [nodes.some(({ kind }) => kind === "move"), '<i class="mark"></i>layout change'],
    [nodes.some(isSpilled), '<i class="spill"></i>spill, or moved out of L1'],
    [nodes.some((node) => isMisfit(node, fn)), '<i class="spill thick"></i>does not fit'],
    [besides.some(({ kind }) => kind === "const_eval"), '<i class="apart"></i>made by const-eval'],
    [nodes.some(({ kind }) => kind === "layers"), '<i class="stack"></i>layers like one that is drawn'],
  ];
  return entries.flatMap(([isThere, html]) => isThere ? [`<span>${html}</span>`] : []).join("");
}

function drawSection(
  section: OpGraphSection,
  fn: DrawnFunction,
  id: string,
): { readonly screen: string; readonly paper: string } {
  const drawn = new Map(section.nodes.map((node) => [node.id, measure(node, fn)]));
  const placed = layOutGraph([...drawn.values()].map(({ room }) => room), section.edges);
  const at = (node: string): PlacedBox => {
    const [box, size] = [placed.boxes.get(node), drawn.get(node)?.box];
    if (box === undefined || size === undefined) throw new RangeError(`Cannot find the place of ${node}`);
    return { ...size, x: box.x, y: box.y };
  };
  const drawing = [
    ...section.layers.map(({ number, count, nodes }) =>
      frame(
        nodes.map((node) => ({ ...at(node), aside: drawn.get(node)?.aside ?? 0 })),
        `layer ${number} of ${count}`,
      )
    ),
    ...section.edges.map((edge, index) =>
      edgeSvg(edge, at(edge.from), at(edge.to), placed.polylines[index] ?? [])
    ),
    ...section.nodes.map((node) => nodeSvg(node, at(node.id), drawn.get(node.id), fn)),
  ].join("\n");
  const strips = stripsOf(placed, STRIP).map(({ x, y, width, height }) =>
    `<svg class="graph" viewBox="${x} ${y} ${width} ${height}" width="${Math.round(width * 0.7)}" height="${
      Math.round(height * 0.7)
    }"><use href="#${id}"/></svg>`
  );
  return {
    screen:
      `<svg class="graph" viewBox="0 0 ${placed.width} ${placed.height}" width="${placed.width}" height="${placed.height}" data-width="${placed.width}" role="img" aria-label="${
        plural(section.nodes.length, "node")
      }"><g id="${id}" class="drawing">
${drawing}
</g></svg>`,
    paper: strips.join("\n"),
  };
}

/** A node with its text, its box, and the room for it and its marks. */
interface Measured {
  readonly words: BoxText;
  readonly besides: readonly {
    readonly beside: TensorBeside;
    readonly words: BoxText;
    readonly width: number;
  }[];
  readonly box: Box;
  /** Width of the marks to its right, in pixels. */
  readonly aside: number;
  /** Widened by the same on both sides, so that connections meet the box in the middle. */
  readonly room: Box;
}

function measure(node: OpGraphNode, fn: DrawnFunction): Measured {
  const words = wordsOf(node, fn);
  const besides = node.besides.map((beside) => {
    const said = besideWords(beside, fn);
    return { beside, words: said, width: widthOf(said.lines, 5.8) };
  });
  const isSmall = node.kind === "move" || node.kind === "return";
  const box = {
    id: node.id,
    width: widthOf(words.lines, isSmall ? 5.9 : 6.7),
    height: isSmall ? SMALL_HEIGHT : 36,
  };
  const aside = Math.max(0, ...besides.map(({ width }) => width + BESIDE_GAP));
  const height = Math.max(box.height, besides.length * BESIDE_STEP);
  return { words, besides, box, aside, room: { id: node.id, width: box.width + 2 * aside, height } };
}

function widthOf(lines: readonly string[], letter: number): number {
  const letters = Math.min(LETTERS, Math.max(...lines.map((line) => line.length)));
  return Math.ceil(letters * letter) + 16;
}

function wordsOf(node: OpGraphNode, fn: DrawnFunction): BoxText {
  const { timeline } = fn;
  switch (node.kind) {
    case "op": {
      const { op, name, shape, deviceUs, gapUs, outputLayouts } = stepOf(timeline, node.step);
      const us = deviceUs + gapUs;
      const time = us === 0 ? "view" : `${formatMicroseconds(us)} µs`;
      return {
        lines: [`${op} ${opName(name)}`, shape === "" ? time : `${time}, ${shape}`],
        title: `op ${op} ${opName(name)} ${shape}: ${time}, ${layoutsOf(outputLayouts)}${
          node.isSpilled ? ", moved out of L1 for lack of room" : ""
        }${isMisfit(node, fn) ? ", does not fit" : ""}`,
      };
    }
    case "move": {
      const { reason, name, deviceUs, gapUs, inputLayouts, outputLayouts } = stepOf(timeline, node.step);
      // Moves out of L1 by the input itself are no spills of the plan; the table of layout changes agrees.
      const what = reason ?? (node.isSpilled ? "to dram" : opName(name));
      const time = `${formatMicroseconds(deviceUs + gapUs)} µs`;
      return {
        lines: [`${what} ${time}`],
        title: `${what}: ${layoutsOf(inputLayouts)} to ${layoutsOf(outputLayouts)}, ${time}`,
      };
    }
    case "layers": {
      const { first, last, like, ops, us } = node.layers;
      const which = first === last ? `layer ${first}` : `layers ${first} to ${last}`;
      return {
        lines: [`${which}: as layer ${like}`, `${plural(ops, "op")}, ${formatTime(us)}`],
        title: `${which}: the same as layer ${like}, in the same layouts and with the same copies`,
      };
    }
    case "return":
      return { lines: ["return"], title: "what the function returns" };
  }
}

function besideWords(
  { kind, tensor: { name, tensor, layout }, step }: TensorBeside,
  fn: DrawnFunction,
): BoxText {
  const about = `${tensor.dataType} ${tensor.shape.join("x")} in ${layoutsOf([layout])}`;
  if (step === undefined) {
    return {
      lines: [`${name} ${tensor.shape.join("x")}`.trimEnd()],
      title: `${name}, ${kind === "argument" ? "an argument" : "made by const-eval"}: ${about}`,
    };
  }
  const made = stepOf(fn.timeline, step);
  const maker = `${made.op} ${opName(made.name)}`;
  return kind === "constant"
    ? {
      lines: [`${maker} ${formatMicroseconds(made.deviceUs + made.gapUs)} µs`],
      title: `op ${maker}, drawn beside every op that reads it: ${about}`,
    }
    : { lines: [`from ${maker}`], title: `made above by op ${maker}: ${about}` };
}

function stepOf({ steps, name }: FunctionTimeline, index: number): StepTimeline {
  const step = steps[index];
  if (step === undefined) throw new RangeError(`Cannot find step ${index} of ${name}`);
  return step;
}

function isSpilled(node: OpGraphNode): boolean {
  return (node.kind === "op" || node.kind === "move") && node.isSpilled;
}

function isMisfit(node: OpGraphNode, { timeline }: DrawnFunction): boolean {
  return node.kind === "op" && stepOf(timeline, node.step).shortage !== undefined;
}

function nodeSvg(
  node: OpGraphNode,
  box: PlacedBox,
  measured: Measured | undefined,
  fn: DrawnFunction,
): string {
  if (measured === undefined) throw new RangeError(`Cannot draw ${node.id}`);
  const step = node.kind === "return" ? undefined : stepOf(fn.timeline, node.step);
  const classes = [
    "node",
    `k-${node.kind}`,
    `p-${node.place}`,
    ...(isSpilled(node) ? ["spilled"] : []),
    ...(isMisfit(node, fn) ? ["misfit"] : []),
    ...(node.kind === "op" && step !== undefined && step.deviceUs + step.gapUs === 0 ? ["view"] : []),
  ];
  const besides = measured.besides.map(({ beside, words, width }, index, { length }) => {
    const y = box.y + (index - (length - 1) / 2) * BESIDE_STEP;
    const x = box.x + box.width / 2 + BESIDE_GAP + width / 2;
    const end = Math.min(Math.max(y, box.y - box.height / 2 + 4), box.y + box.height / 2 - 4);
    const line = `<path class="edge p-${beside.place}" d="M${x - width / 2} ${y} L${
      box.x + box.width / 2 + 1
    } ${end}"/>`;
    const own = ["node", `k-${beside.kind}`, `p-${beside.place}`];
    return line + boxSvg(own, { id: "", x, y, width, height: SMALL_HEIGHT }, words, beside.step);
  });
  return besides.join("") + boxSvg(classes, box, measured.words, step?.index);
}

function boxSvg(
  classes: readonly string[],
  { x, y, width, height }: PlacedBox,
  { lines, title }: BoxText,
  step: number | undefined,
): string {
  const isSmall = height === SMALL_HEIGHT;
  const texts = lines.map((line, index) => {
    const shown = line.length > LETTERS ? `${line.slice(0, LETTERS - 1)}…` : line;
    return `<text x="${tenths(x)}" y="${tenths(isSmall ? y + 3.5 : y - 3 + index * 14)}"${
      index > 0 ? ' class="about"' : ""
    }>${escapeHtml(shown)}</text>`;
  });
  return `<g class="${classes.join(" ")}"${step === undefined ? "" : ` data-step="${step}"`}><title>${
    escapeHtml(title)
  }</title><rect x="${tenths(x - width / 2)}" y="${
    tenths(y - height / 2)
  }" width="${width}" height="${height}" rx="${isSmall ? height / 2 : 4}"/>${texts.join("")}</g>`;
}

function edgeSvg(
  { place, tensors }: OpGraphEdge,
  from: PlacedBox,
  to: PlacedBox,
  polyline: readonly Point[],
): string {
  // The layout knows only the room of a node; connections leave its box below and enter it above.
  const bends = polyline.slice(1, -1);
  const first = portOf(from, from.y + from.height / 2, bends[0] ?? to);
  const points = [...bends, portOf(to, to.y - to.height / 2, bends.at(-1) ?? from)];
  const curve = points.map((point, index) => {
    const next = points[index + 1];
    return next === undefined
      ? `L${tenths(point.x)} ${tenths(point.y)}`
      : `Q${tenths(point.x)} ${tenths(point.y)} ${tenths((point.x + next.x) / 2)} ${
        tenths((point.y + next.y) / 2)
      }`;
  });
  return `<path class="edge p-${place}" d="M${tenths(first.x)} ${tenths(first.y)} ${
    curve.join(" ")
  }"><title>${escapeHtml(tensors.join(", "))}</title></path>`;
}

/** Share of a box's border at which connections may end, around its middle. */
const PORT = 0.7;

/** The point at which a connection meets the upper or lower border of a box: the nearest to its other end. */
function portOf({ x, width }: PlacedBox, y: number, towards: Point): Point {
  const most = width / 2 * PORT;
  return { x: Math.min(Math.max(towards.x, x - most), x + most), y };
}

/** A frame around the drawn one of equal layers. */
function frame(boxes: readonly (PlacedBox & { readonly aside: number })[], words: string): string {
  if (boxes.length === 0) return "";
  const left = tenths(Math.min(...boxes.map(({ x, width }) => x - width / 2)) - 6);
  const right = tenths(Math.max(...boxes.map(({ x, width, aside }) => x + width / 2 + aside)) + 6);
  const top = tenths(Math.min(...boxes.map(({ y, height }) => y - height / 2)) - 17);
  const bottom = tenths(Math.max(...boxes.map(({ y, height }) => y + height / 2)) + 6);
  return `<g class="layer"><rect x="${left}" y="${top}" width="${tenths(right - left)}" height="${
    tenths(bottom - top)
  }" rx="6"/><text x="${left + 6}" y="${tenths(top + 11)}">${words}</text></g>`;
}

function tenths(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function opName(name: string): string {
  return name.replace(/^tt(?:nn|ir)\./, "");
}

function layoutsOf(layouts: StepTimeline["outputLayouts"]): string {
  return layouts.map((layout) => describeLayoutOr(layout, "an unknown layout")).join(", ");
}
