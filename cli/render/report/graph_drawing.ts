// SPDX-License-Identifier: Apache-2.0
import { describeLayoutOr, type LayoutPlace } from "../../../lib/layout/describe.ts";
import type {
  OpGraph,
  OpGraphEdge,
  OpGraphNode,
  OpGraphSection,
  TensorBeside,
} from "../../../pipeline/report/op_graph.ts";
import { type FunctionTimeline, type StepTimeline, stepUs } from "../../../sim/timeline/timeline.ts";
import { formatMicroseconds, formatTime, plural } from "../format.ts";
import { type Box, layOutGraph, type PlacedBox, type Point, type Strip, stripsOf } from "./graph_layout.ts";

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

/** Distance between sections, which are side by side, in pixels. */
const SECTION_GAP = 60;

/** Characters of a line in a box; the rest is in the title. */
const LETTERS = 34;

interface BoxText {
  readonly lines: readonly string[];
  /** Shown when the mouse rests on it. */
  readonly title: string;
}

/** A box of a drawing. */
export interface DrawnBox extends BoxText {
  /** Its style classes: `k-op`, `p-dram`, `spilled`. */
  readonly classes: string;
  /** Upper left corner and extents in pixels. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Its step, and for folded layers the last one. */
  readonly step: number | undefined;
  readonly last: number | undefined;
}

/** A connection, or the line to a mark beside a node. */
export interface DrawnLine {
  readonly classes: string;
  /** Its path in SVG syntax. */
  readonly d: string;
  readonly title: string;
}

/** A column of a drawing. */
export interface DrawnSection {
  readonly x: number;
  readonly width: number;
  readonly height: number;
  readonly frames: readonly DrawnFrame[];
  readonly lines: readonly DrawnLine[];
  readonly boxes: readonly DrawnBox[];
  /** Strips for one printed sheet each. */
  readonly strips: readonly Strip[];
}

/** The frame around a layer, and its words at its upper left corner. */
export interface DrawnFrame extends Point {
  readonly d: string;
  readonly words: string;
}

/** A graph in the coordinates of the page. */
export interface GraphDrawing {
  readonly width: number;
  readonly height: number;
  readonly sections: readonly DrawnSection[];
}

/** Distance between a node and the marks beside it, and between these, in pixels. */
const BESIDE_GAP = 14;
const BESIDE_STEP = 22;
const SMALL_HEIGHT = 18;

/** Lays out the graph of a function, its sections from left to right. */
export function drawGraph(graph: OpGraph, timeline: FunctionTimeline): GraphDrawing {
  let x = 0;
  const sections = graph.sections.map((section) => {
    const drawn = drawSection(section, timeline, x);
    x += drawn.width + SECTION_GAP;
    return drawn;
  });
  return {
    width: Math.max(0, x - SECTION_GAP),
    height: sections.reduce((most, { height }) => Math.max(most, height), 0),
    sections,
  };
}

/** Meanings of the used colours and borders. */
export function graphLegend({ sections }: OpGraph, timeline: FunctionTimeline): string {
  const nodes = sections.flatMap((section) => section.nodes);
  const besides = nodes.flatMap((node) => node.besides);
  const drawn = [...nodes.filter(({ kind }) => kind === "op" || kind === "move"), ...besides];
  const places: ReadonlySet<string> = new Set(drawn.map(({ place }) => place));
  const colours = Object.entries(PLACES).flatMap(([place, name]) =>
    places.has(place) ? [`<span><i class="p-${place}"></i>${name}</span>`] : []
  );
  const entries: readonly (readonly [boolean, string])[] = [
    [nodes.some(({ kind }) => kind === "move"), '<i class="mark"></i>layout change'],
    [nodes.some(isSpilled), '<i class="spill"></i>spill, or moved out of L1'],
    [nodes.some((node) => isMisfit(node, timeline)), '<i class="spill thick"></i>does not fit'],
    [besides.some(({ kind }) => kind === "const_eval"), '<i class="apart"></i>made by const-eval'],
    [nodes.some(({ kind }) => kind === "layers"), '<i class="stack"></i>layers like one that is drawn'],
  ];
  return `<span class="colours">${colours.join("")}</span>${
    entries.flatMap(([isThere, html]) => isThere ? [`<span>${html}</span>`] : []).join("")
  }`;
}

function drawSection(section: OpGraphSection, timeline: FunctionTimeline, x: number): DrawnSection {
  const drawn = new Map(section.nodes.map((node) => [node.id, measure(node, timeline)]));
  const placed = layOutGraph([...drawn.values()].map(({ room }) => room), section.edges);
  const at = (node: string): PlacedBox => {
    const [box, size] = [placed.boxes.get(node), drawn.get(node)?.box];
    if (box === undefined || size === undefined) throw new RangeError(`Cannot find the place of ${node}`);
    return { ...size, x: box.x, y: box.y };
  };
  const nodes = section.nodes.map((node) => drawNode(node, at(node.id), drawn.get(node.id), timeline));
  return {
    x,
    width: placed.width,
    height: placed.height,
    frames: section.layers.filter(({ nodes: ids }) => ids.length > 0).map(({ number, count, nodes: ids }) =>
      frame(
        ids.map((node) => ({ ...at(node), aside: drawn.get(node)?.aside ?? 0 })),
        `layer ${number} of ${count}`,
      )
    ),
    lines: [
      ...section.edges.map((edge, index) =>
        drawEdge(edge, at(edge.from), at(edge.to), placed.bends[index] ?? [])
      ),
      ...nodes.flatMap(({ lines }) => lines),
    ],
    boxes: nodes.flatMap(({ boxes }) => boxes),
    strips: stripsOf(placed, STRIP),
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

function measure(node: OpGraphNode, timeline: FunctionTimeline): Measured {
  const words = wordsOf(node, timeline);
  const besides = node.besides.map((beside) => {
    const said = besideWords(beside, timeline);
    return { beside, words: said, width: widthOf(said.lines, 6.4) };
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

function wordsOf(node: OpGraphNode, timeline: FunctionTimeline): BoxText {
  switch (node.kind) {
    case "op": {
      const { op, name, shape, deviceUs, gapUs, outputLayouts } = stepOf(timeline, node.step);
      const us = deviceUs + gapUs;
      const time = us === 0 ? "view" : `${formatMicroseconds(us)} µs`;
      return {
        lines: [`${op} ${opName(name)}`, shape === "" ? time : `${time}, ${shape}`],
        title: `op ${op} ${opName(name)} ${shape}: ${time}, ${layoutsOf(outputLayouts)}${
          node.isSpilled ? ", moved out of L1 for lack of room" : ""
        }${isMisfit(node, timeline) ? ", does not fit" : ""}`,
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
  timeline: FunctionTimeline,
): BoxText {
  const about = `${tensor.dataType} ${tensor.shape.join("x")} in ${layoutsOf([layout])}`;
  if (step === undefined) {
    return {
      lines: [`${name} ${tensor.shape.join("x")}`.trimEnd()],
      title: `${name}, ${kind === "argument" ? "an argument" : "made by const-eval"}: ${about}`,
    };
  }
  const made = stepOf(timeline, step);
  const maker = `${made.op} ${opName(made.name)}`;
  return kind === "constant"
    ? {
      lines: [`${maker} ${formatMicroseconds(stepUs(made))} µs`],
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

function isMisfit(node: OpGraphNode, timeline: FunctionTimeline): boolean {
  return node.kind === "op" && stepOf(timeline, node.step).shortage !== undefined;
}

function drawNode(
  node: OpGraphNode,
  box: PlacedBox,
  measured: Measured | undefined,
  timeline: FunctionTimeline,
): { readonly boxes: readonly DrawnBox[]; readonly lines: readonly DrawnLine[] } {
  if (measured === undefined) throw new RangeError(`Cannot draw ${node.id}`);
  const step = node.kind === "return" ? undefined : stepOf(timeline, node.step);
  const classes = [
    `k-${node.kind}`,
    `p-${node.place}`,
    ...(isSpilled(node) ? ["spilled"] : []),
    ...(isMisfit(node, timeline) ? ["misfit"] : []),
    ...(node.kind === "op" && step !== undefined && stepUs(step) === 0 ? ["view"] : []),
  ];
  const boxes = [drawBox(classes, box, measured.words, step?.index, node)];
  const lines: DrawnLine[] = [];
  measured.besides.forEach(({ beside, words, width }, index, { length }) => {
    const y = box.y + (index - (length - 1) / 2) * BESIDE_STEP;
    const x = box.x + box.width / 2 + BESIDE_GAP + width / 2;
    const end = Math.min(Math.max(y, box.y - box.height / 2 + 4), box.y + box.height / 2 - 4);
    lines.push({
      classes: `p-${beside.place}`,
      d: `M${tenths(x - width / 2)} ${tenths(y)} L${tenths(box.x + box.width / 2 + 1)} ${tenths(end)}`,
      title: words.title,
    });
    const own = [`k-${beside.kind}`, `p-${beside.place}`];
    boxes.push(drawBox(own, { id: "", x, y, width, height: SMALL_HEIGHT }, words, beside.step));
  });
  return { boxes, lines };
}

function drawBox(
  classes: readonly string[],
  { x, y, width, height }: PlacedBox,
  { lines, title }: BoxText,
  step: number | undefined,
  node?: OpGraphNode,
): DrawnBox {
  return {
    classes: classes.join(" "),
    x: tenths(x - width / 2),
    y: tenths(y - height / 2),
    width,
    height,
    lines: lines.map((line) => line.length > LETTERS ? `${line.slice(0, LETTERS - 1)}…` : line),
    title,
    step,
    last: node?.kind === "layers" ? node.layers.lastStep : undefined,
  };
}

function drawEdge(
  { place, tensors }: OpGraphEdge,
  from: PlacedBox,
  to: PlacedBox,
  bends: readonly Point[],
): DrawnLine {
  // The layout knows only the room of a node; connections leave its box below and enter it above.
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
  return {
    classes: `p-${place}`,
    d: `M${tenths(first.x)} ${tenths(first.y)} ${curve.join(" ")}`,
    title: tensors.join(", "),
  };
}

/** Share of a box's border at which connections may end, around its middle. */
const PORT = 0.7;

/** The point at which a connection meets the upper or lower border of a box: the nearest to its other end. */
function portOf({ x, width }: PlacedBox, y: number, towards: Point): Point {
  const most = width / 2 * PORT;
  return { x: Math.min(Math.max(towards.x, x - most), x + most), y };
}

/** Room between boxes and the frame around them; above the first row there are its words. */
const FRAME_GAP = 6;
const FRAME_WORDS = 17;

/**
 * A frame around a layer that is drawn in full. It is as wide in every row as the layer is there, so that ops
 * beside it stay outside.
 */
function frame(boxes: readonly (PlacedBox & { readonly aside: number })[], words: string): DrawnFrame {
  const rows = [...Map.groupBy(boxes, ({ y }) => y)].sort(([one], [other]) => one - other);
  const half = (row: readonly PlacedBox[]): number => Math.max(...row.map(({ height }) => height / 2));
  const bands = rows.map(([y, row], index) => {
    const [above, below] = [rows[index - 1], rows[index + 1]];
    return {
      left: tenths(Math.min(...row.map(({ x, width }) => x - width / 2)) - FRAME_GAP),
      right: tenths(Math.max(...row.map(({ x, width, aside }) => x + width / 2 + aside)) + FRAME_GAP),
      top: tenths(above === undefined ? y - half(row) - FRAME_WORDS : (above[0] + y) / 2),
      bottom: tenths(below === undefined ? y + half(row) + FRAME_GAP : (y + below[0]) / 2),
    };
  });
  const down = bands.map(({ right, top, bottom }) => `H${right}V${top}V${bottom}`);
  const up = bands.toReversed().map(({ left, top, bottom }) => `H${left}V${bottom}V${top}`);
  const [first] = bands;
  if (first === undefined) throw new RangeError("Cannot frame a layer without boxes");
  return {
    x: first.left,
    y: first.top,
    d: `M${first.left} ${first.top}${down.join("")}${up.join("")}Z`,
    words,
  };
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
