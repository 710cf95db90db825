// SPDX-License-Identifier: Apache-2.0

/**
 * Draws the picture of the README, `docs/resnet50-l1.svg`: L1 of one core over the schedule of the zoo's ResNet-50 as
 * `beam-cost` decides it, as the page of `tilewright report` draws it.
 *
 * @module
 */

import { join } from "@std/path";
import { parseModule } from "../lib/ir/mod.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { createWorkbench } from "../pipeline/load.ts";
import { optimizeModule } from "../pipeline/optimize.ts";
import { type L1Map, l1Map } from "../pipeline/report/l1_map.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { ROOT } from "./steps.ts";

const STYLE = `
  .tensor { stroke: #fff; stroke-width: .5; vector-effect: non-scaling-stroke }
  .s0 { fill: #5b8ec9 } .s1 { fill: #7aa7d8 } .s2 { fill: #4d7eb3 }
  .s3 { fill: #93b8de } .s4 { fill: #3f6c9e } .s5 { fill: #a9c5e3 }
  .intermediate { fill: #777 } .circular_buffers { fill: #e0a13c }
  .budget { stroke: #888; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke }
`;

/** Addresses upwards, the schedule to the right. */
function picture({ base, top, budgetLine, steps, firstWork, rectangles }: L1Map): string {
  const boxes = rectangles.map(({ kind, from, to, address, bytes }, index) =>
    `<rect class="${kind} s${index % 6}" x="${from}" y="${top - address - bytes}" width="${
      to - from + 1
    }" height="${bytes}"/>`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="300" viewBox="${firstWork} 0 ${
    steps - firstWork
  } ${
    top - base
  }" preserveAspectRatio="none" role="img" aria-label="L1 of one core over the schedule of ResNet-50">
<style>${STYLE}</style>
<rect width="100%" height="100%" fill="#fff"/>
${boxes.join("\n")}
<line class="budget" x1="0" x2="${steps}" y1="${top - budgetLine}" y2="${top - budgetLine}"/>
</svg>
`;
}

if (import.meta.main) {
  const path = join(ROOT, "testdata", "models", "resnet50.mlir");
  const workbench = createWorkbench(
    parseModule(await Deno.readTextFile(path), "resnet50.mlir"),
    getDevice("n150"),
  );
  const policy = getPolicy("beam-cost");
  const { plan, timeline } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
  const [fn] = workbench.binding.graph.functions.filter((candidate) => candidate.kind === "forward_device");
  const functionTimeline = timeline.functions.find((candidate) => candidate.name === fn?.name);
  if (fn === undefined || functionTimeline === undefined) {
    throw new Error("Cannot find the function of ResNet-50");
  }
  const map = l1Map(fn, plan.functions.find((candidate) => candidate.name === fn.name), functionTimeline);
  await Deno.writeTextFile(join(ROOT, "docs", "resnet50-l1.svg"), picture(map));
  console.log("docs/resnet50-l1.svg written");
}
