// SPDX-License-Identifier: Apache-2.0

/** By way of which layouts copies are made: what takes least time, and what leaves room for what comes behind. */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";
import { loadModule } from "./load_module.ts";
import { gapOfPlan, type PlanGap } from "./plan_gap.ts";

const P150_13X10 = getDevice("p150-13x10");

const SLICES = 6;
const [ROWS, COLUMNS] = [7040, 3072];

/**
 * Row-major slices that are tiled and turned into f32. In height shards on 110 cores rows and tiles take 384 KiB
 * per core and the f32 result 768 KiB, together less than there is. The interleaved slice takes 330 KiB. The rows
 * lie below it and the tiles below them, so when rows and slice are gone, the hole above the tiles is 54 KiB short.
 */
function slices(): string {
  const rows = ROWS * SLICES;
  const of = (shape: string, layout: string): string => `tensor<${shape}, #${layout}>`;
  const all = of(`1x${ROWS}x${SLICES}x${COLUMNS}xbf16`, "all");
  const slice = of(`1x${ROWS}x1x${COLUMNS}xbf16`, "slice");
  const result = of(`1x${ROWS}x${COLUMNS}xf32`, "f32");
  const body = Array.from({ length: SLICES }, (_, at) => {
    const [in3d, tiles] = ["rows", "tiles"].map((layout) => of(`1x${ROWS}x${COLUMNS}xbf16`, layout));
    const ends = [1, ROWS, at + 1, COLUMNS].map((end) => `${end} : i32`).join(", ");
    return `  %s${at} = "ttnn.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, ${at} : i32, 0 : i32], ends = [${ends}], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (${all}) -> ${slice}
  %v${at} = "ttnn.reshape"(%s${at}) <{shape = [1 : i32, ${ROWS} : i32, ${COLUMNS} : i32]}> : (${slice}) -> ${in3d}
  %t${at} = "ttnn.to_layout"(%v${at}) <{layout = #ttnn.layout<tile>}> : (${in3d}) -> ${tiles}
  %c${at} = "ttnn.typecast"(%t${at}) <{dtype = #ttcore.supportedDataTypes<f32>}> : (${tiles}) -> ${result}
  %r${at} = "ttnn.relu"(%c${at}) : (${result}) -> ${result}`;
  });
  const results = Array.from({ length: SLICES }, (_, at) => `%r${at}`).join(", ");
  const types = new Array<string>(SLICES).fill(result).join(", ");
  const layout = (name: string, map: string, memref: string): string =>
    `#${name} = #ttnn.ttnn_layout<${map}, <1x1>, memref<${memref}, #dram>, <interleaved>>`;
  const tiled = (type: string): string =>
    `${Math.ceil(ROWS / 32)}x${COLUMNS / 32}x!ttcore.tile<32x32, ${type}>`;
  return `#dram = #ttnn.buffer_type<dram>
${layout("all", `(d0, d1, d2, d3) -> (d0 * ${rows} + d1 * ${SLICES} + d2, d3)`, `${rows}x${COLUMNS}xbf16`)}
${layout("slice", `(d0, d1, d2, d3) -> (d0 * ${ROWS} + d1 + d2, d3)`, `${ROWS}x${COLUMNS}xbf16`)}
${layout("rows", `(d0, d1, d2) -> (d0 * ${ROWS} + d1, d2)`, `${ROWS}x${COLUMNS}xbf16`)}
${layout("tiles", `(d0, d1, d2) -> (d0 * ${ROWS} + d1, d2)`, tiled("bf16"))}
${layout("f32", `(d0, d1, d2) -> (d0 * ${ROWS} + d1, d2)`, tiled("f32"))}
func.func @main(%arg0: ${all}) -> (${types}) {
${body.join("\n")}
  return ${results} : ${types}
}
`;
}

Deno.test("a buffer that finds no hole of its size gets one by a detour of the copy that was made before it", () => {
  const workbench = createWorkbench(parseModule(slices(), "slices.mlir"), P150_13X10);
  const { plan, memory, text } = optimizeModule(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  assertEquals(memory.verdict.status, "fits");
  const [fn] = plan.functions;
  assert(fn !== undefined);
  const timeline = simulateGraph(workbench.binding.graph, plan, workbench);
  const { gap } = gapOfPlan(plan, timeline);
  // Without detours the best plan is 17.9 % above the bound.
  assert(gap !== undefined && gap < 0.075, `${gap}`);
  const written = createWorkbench(parseModule(text, "written.mlir"), P150_13X10);
  const us = simulateGraph(written.binding.graph, undefined, written).inference.totalUs;
  assertAlmostEquals(us, timeline.inference.totalUs, 1e-6);
  // From the first slice on.
  const [, copy, from] = /(%\w+) = "ttnn.to_memory_config"\((%v0)\)/.exec(text) ?? [];
  assertEquals(from, "%v0");
  assert(
    text.includes(`"ttnn.to_memory_config"(${copy})`),
    "the copy of the first slice is not copied again",
  );
});

/** The default plan of a TTIR module, as text, and its distance from the bound. */
function decided(ttir: string, device: string): PlanGap & { readonly text: string } {
  const module = loadModule(ttir, { device });
  const { plan, text, timeline } = optimizeModule(module, getPolicy("auto"), DEFAULT_POLICY_OPTIONS);
  return { text, ...gapOfPlan(plan, timeline) };
}

Deno.test("row-major rows from DRAM go to few cores by way of all cores", () => {
  // Reading from DRAM page by page, 32 cores take longer than 110 cores and the copy from these to the 32.
  const tensor = "tensor<512x256xf32>";
  const pairs = Array.from(
    { length: 13 },
    (_, at) =>
      `%m${at} = "ttir.matmul"(%${
        at === 0 ? "x" : `s${at - 1}`
      }, %w) <{transpose_a = false, transpose_b = false}> : (${tensor}, tensor<256x256xf32>) -> ${tensor}
    %s${at} = "ttir.subtract"(%m${at}, %x) : (${tensor}, ${tensor}) -> ${tensor}`,
  );
  const { text, gap } = decided(
    `func.func @main(%x: ${tensor} {ttcore.argument_type = #ttcore.argument_type<input>}, %w: tensor<256x256xf32>) -> ${tensor} {
    ${pairs.join("\n    ")}
    return %s12 : ${tensor}
  }`,
    "p150",
  );
  // The bound also covers shards of rows that find no addresses.
  assert(gap !== undefined && gap < 0.02, `${gap}`);
  const [, first] = /(%\w+) = "ttnn.to_memory_config"\(%arg0\)/.exec(text) ?? [];
  assert(first !== undefined && text.includes(`"ttnn.to_memory_config"(${first})`));
});

Deno.test("a copy goes directly where its way by another layout is faster by itself and slower on the network", () => {
  const { certificate } = decided(
    `func.func @main(%x: tensor<1x20x20x640xbf16>) -> tensor<1x40x40x640xbf16> {
    %0 = "ttir.upsample2d"(%x) <{mode = "nearest", scale_factor = 2 : si32}> : (tensor<1x20x20x640xbf16>) -> tensor<1x40x40x640xbf16>
    return %0 : tensor<1x40x40x640xbf16>
  }`,
    "n150",
  );
  assertEquals(certificate, "exact");
});
