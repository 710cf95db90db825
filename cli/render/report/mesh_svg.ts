// SPDX-License-Identifier: Apache-2.0
import { axisPosition, meshText, nextChip } from "../../../lib/device/mesh.ts";
import type { SpreadTensor } from "../../../lib/dialect/local_shape.ts";
import type { MeshLoad } from "../../../pipeline/report/report.ts";
import type { AxisLoad } from "../../../sim/timeline/mesh_load.ts";
import { formatBytes, formatCount } from "../format.ts";
import { svgPicture } from "../svg.ts";
import { escapeHtml, type HtmlColumn, scrolled, tableBox, words } from "./html.ts";

/** Side of a chip, and distance between chips. */
const CHIP = 34;
const PITCH = 88;
/** Room around the mesh for the edges that close rings. */
const MARGIN = 36;
/** Offset of the control point of a ring's edge; the edge passes its chips at 3/4 of it. */
const BEND = 38;
const WIDEST = 9;
const THINNEST = 1.5;

/** The mesh of a program with the load of its links in one inference; empty for one chip. */
export function meshSection(load: MeshLoad | undefined): string {
  if (load === undefined) return "";
  const { mesh, loads, classes, spread } = load;
  const shape = meshText(mesh.map(({ chips }) => chips));
  const rows = classes.map(({ chips, sentBytes, receivedBytes }) =>
    `<li>${chips.length === 1 ? "chip" : "chips"} ${escapeHtml(rangeText(chips))}: ${
      formatBytes(sentBytes)
    } sent, ${formatBytes(receivedBytes)} received</li>`
  );
  const parts = spread.length === 0
    ? ""
    : `\n${
      tableBox("Tensors over the mesh", "spread", "Of these each chip holds a part", SPREAD_COLUMNS, spread)
    }`;
  return `<h2 id="mesh">Mesh of ${escapeHtml(shape)} chips</h2>
<p class="dim">Bytes over each edge in one inference; the wider an edge, the more. All chips run the same programs in step.</p>
${scrolled("Mesh", meshSvg(load))}
<ul class="dim">${loads.map((axis) => `<li>${axisText(axis)}</li>`).join("")}${rows.join("")}</ul>${parts}`;
}

/** Tensors that are divided among chips, with the axes of the division. */
const SPREAD_COLUMNS: readonly HtmlColumn<SpreadTensor>[] = [
  words("Function", ({ function: name }) => name),
  words("Tensor", ({ place }) => place),
  words("Whole", ({ whole }) => meshText(whole)),
  words("One chip", ({ shape }) => meshText(shape)),
  words("Cut", ({ whole, shape }) => meshText(whole.map((extent, index) => extent / (shape[index] ?? 1)))),
];

function meshSvg({ mesh, loads }: MeshLoad): string {
  // The longest axis is horizontal: pages are wide.
  const across = mesh.reduce(
    (longest, { chips }, index) => chips > (mesh[longest]?.chips ?? 0) ? index : longest,
    0,
  );
  const columns = mesh[across]?.chips ?? 1;
  const chips = mesh.reduce((product, axis) => product * axis.chips, 1);
  const inner = mesh.slice(across + 1).reduce((product, axis) => product * axis.chips, 1);
  const at = (chip: number): readonly [number, number] => {
    const row = Math.floor(chip / inner / columns) * inner + chip % inner;
    return [MARGIN + CHIP / 2 + axisPosition(chip, across, mesh) * PITCH, MARGIN + CHIP / 2 + row * PITCH];
  };
  const most = Math.max(
    1,
    ...loads.flatMap(({ edges }) => edges.map((edge) => edge.forward + edge.backward)),
  );
  const lines: string[] = [];
  for (let chip = 0; chip < chips; chip++) {
    mesh.forEach((axis, index) => {
      const place = axisPosition(chip, index, mesh);
      const next = nextChip(chip, index, mesh);
      if (next === undefined) return;
      const edge = loads.find((load) => load.axis === index)?.edges[place] ?? { forward: 0, backward: 0 };
      const share = (edge.forward + edge.backward) / most;
      const [x, y] = at(chip);
      const [toX, toY] = at(next);
      // An edge that closes a ring bends around the chips between its ends.
      const bend = place < axis.chips - 1 ? 0 : BEND;
      const [bendX, bendY] = index === across ? [0, bend] : [bend, 0];
      const path = `M${x} ${y}C${x - bendX} ${y - bendY} ${toX - bendX} ${toY - bendY} ${toX} ${toY}`;
      const color = share === 0 ? "var(--line)" : "var(--noc)";
      const words = `chips ${chip} and ${next}: ${formatBytes(edge.forward)} ahead, ${
        formatBytes(edge.backward)
      } back over ${formatCount(axis.links)} ${axis.links === 1 ? "link" : "links"}`;
      lines.push(
        `<path d="${path}" fill="none" stroke="${color}" stroke-width="${
          (THINNEST + (WIDEST - THINNEST) * share).toFixed(2)
        }"><title>${escapeHtml(words)}</title></path>`,
      );
    });
  }
  const boxes = Array.from({ length: chips }, (_, chip) => {
    const [x, y] = at(chip);
    return `<rect x="${x - CHIP / 2}" y="${
      y - CHIP / 2
    }" width="${CHIP}" height="${CHIP}" rx="4" fill="var(--panel)" stroke="var(--dim)"/>` +
      `<text x="${x}" y="${y + 4}" text-anchor="middle" font-size="12" fill="var(--ink)">${chip}</text>`;
  });
  const width = 2 * MARGIN + CHIP + (columns - 1) * PITCH;
  const height = 2 * MARGIN + CHIP + (chips / columns - 1) * PITCH;
  return svgPicture(width, height, "Chips and what their links carry", [...lines, ...boxes]);
}

function axisText({ axis, chips, links, topology, edges }: AxisLoad): string {
  const busiest = Math.max(0, ...edges.flatMap(({ forward, backward }) => [forward, backward]));
  return `axis ${axis}: ${formatCount(chips)} chips on a ${topology === "ring" ? "ring" : "line"}, ${
    formatCount(links)
  } ${links === 1 ? "link" : "links"} between neighbours; the busiest carries ${
    formatBytes(busiest / links)
  } one way`;
}

/** Numbers in order, runs of them as ranges. */
function rangeText(numbers: readonly number[]): string {
  const ends = numbers.filter((number, index) => numbers[index + 1] !== number + 1);
  return numbers.filter((number, index) => numbers[index - 1] !== number - 1).map((first, run) => {
    const last = ends[run] ?? first;
    return last === first ? `${first}` : `${first}${last === first + 1 ? ", " : " to "}${last}`;
  }).join(", ");
}
