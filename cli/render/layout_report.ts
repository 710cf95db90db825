// SPDX-License-Identifier: Apache-2.0
import { drawingText } from "../../lib/layout/render/drawing_text.ts";
import type { ShardBand } from "../../lib/layout/render/shard_drawing.ts";
import type { LayoutAnswer, ReshardSummary } from "../run/layout/answer.ts";
import { formatBytes, formatCount, formatPercent } from "./format.ts";
import { jsonOutput } from "../json_output.ts";
import { wrapText } from "./wrap_text.ts";

export function layoutText(answer: LayoutAnswer, columns: number): string {
  const parts = [factsText(tensorFacts(answer), columns)];
  for (const drawing of answer.drawings) parts.push(drawingText(drawing, columns));
  if (answer.at !== undefined) parts.push(factsText(Object.entries(answer.at), columns));
  if (answer.reshard !== undefined) parts.push(factsText(reshardFacts(answer.reshard), columns));
  return parts.join("\n");
}

type Fact = readonly [name: string, text: string];

function tensorFacts(answer: LayoutAnswer): readonly Fact[] {
  const facts: Fact[] = [
    ["tensor", answer.tensor],
    ["layout", answer.attribute],
    ["collapsed", `${answer.physicalShape.join("x")} elements`],
  ];
  if (answer.shardShape !== undefined) {
    const shard = answer.shardShape.join("x");
    const padded = answer.paddedShardShape?.join("x") ?? shard;
    facts.push(["shard", shard === padded ? `${shard} elements` : `${shard} elements, padded to ${padded}`]);
  }
  if (answer.elements !== undefined) {
    const { fewest, most } = answer.elements;
    facts.push([
      "elements",
      `${
        fewest === most ? formatCount(most) : `${formatCount(fewest)} to ${formatCount(most)}`
      } in a shard; ` +
      "its map uses one dim in several results, so its shards are not boxes of rows and columns that can be drawn",
    ]);
  }
  if (answer.ttnn !== undefined) {
    const { stride, shardShape, physicalShardShape, tileShape, gridShape } = answer.ttnn;
    facts.push([
      "in TTNN",
      `stride (${stride.join(", ")}), shard_shape (${shardShape.join(", ")}), physical_shard_shape (${
        physicalShardShape.join(", ")
      }), tile_shape ${
        tileShape === undefined ? "none" : `(${tileShape.height}, ${tileShape.width})`
      }, grid_shape (${gridShape.join(", ")})`,
    ]);
  }
  if (answer.virtualToPhysicalMap !== undefined) facts.push(["cores", answer.virtualToPhysicalMap]);
  facts.push([
    "bytes",
    `${formatBytes(answer.bytesPerNode)} on each of ${answer.nodes}, ${
      formatBytes(answer.totalBytes)
    } in all, ` +
    `${formatBytes(answer.logicalBytes)} without padding: ${formatPercent(answer.wastedShare)} wasted`,
  ]);
  if (answer.pages !== undefined) {
    const { pages, perNode, nodes } = answer.pages;
    facts.push(["pages", `${formatCount(pages)} dealt out to ${nodes} banks in turn, up to ${perNode} each`]);
  }
  const [drawing] = answer.drawings;
  if (drawing !== undefined) {
    facts.push(["padding", `rows ${paddingText(drawing.rows)}; columns ${paddingText(drawing.columns)}`]);
  }
  return facts;
}

function reshardFacts(reshard: ReshardSummary): readonly Fact[] {
  return [
    ["reshard", `${reshard.from} to ${reshard.to}`],
    ["class", reshard.class],
    [
      "moved",
      `${formatBytes(reshard.totalBytes - reshard.localBytes)} of ${formatBytes(reshard.totalBytes)} in ` +
      `${formatCount(reshard.transfers)} transfers; ${formatCount(reshard.pages)} pages in all`,
    ],
    ["sends most", `${reshard.busiestSource}: ${formatBytes(reshard.busiestSourceBytes)}`],
    ["gets most", `${reshard.busiestDestination}: ${formatBytes(reshard.busiestDestinationBytes)}`],
  ];
}

/** The answer of `layout` as one JSON object. */
export function layoutJson(answer: LayoutAnswer, device: string): string {
  const { title, nodes, bytesPerNode, totalBytes, wastedShare } = answer;
  return jsonOutput({
    schema: "tilewright.layout/1",
    input: null,
    device,
    summary: { title, nodes, bytesPerNode, totalBytes, wastedShare },
    ...answer,
  });
}

/** Facts that are MLIR to copy: one line in any terminal. */
const COPIED: ReadonlySet<string> = new Set(["tensor", "layout", "cores"]);

function factsText(facts: readonly Fact[], columns: number): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, fact]) => {
    const lines = COPIED.has(name) ? [fact] : wrapText(fact, columns - width - 2);
    return lines.map((line, index) => `${(index === 0 ? name : "").padEnd(width)}  ${line}\n`).join("");
  }).join("");
}

/** Padding of equal shards, then of the last one if it differs: `14, last 15`. */
function paddingText(bands: readonly ShardBand[]): string {
  const first = bands[0]?.padding ?? 0;
  const different = bands.filter((band) => band.padding !== first);
  if (different.length === 0) return first === 0 ? "none" : `${first}`;
  const last = bands.at(-1)?.padding ?? 0;
  return different.length === 1 && last !== first
    ? `${first}, last ${last}`
    : bands.map((band) => band.padding).join(", ");
}
