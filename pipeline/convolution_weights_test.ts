// SPDX-License-Identifier: Apache-2.0

/** Windows that tile an image are folded into channels, and weights become blocks only where such a convolution runs. */

import { assert, assertEquals } from "@std/assert";
import { DEFAULT_PASS_OPTIONS, type WeightFormat } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

/** Windows of 16x16 pixels of eight images, as in ViT. */
function patches(stride: number): string {
  const extent = (224 - 16) / stride + 1;
  const [image, result] = ["tensor<8x224x224x3xbf16>", `tensor<8x${extent}x${extent}x768xbf16>`];
  return `module {
  func.func @forward(%x: ${image}, %w: tensor<768x3x16x16xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${result} {
    %0 = "ttir.conv2d"(%x, %w) <{stride = array<i32: ${stride}, ${stride}>, padding = array<i32: 0, 0>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (${image}, tensor<768x3x16x16xbf16>) -> ${result} loc("patches")
    return %0 : ${result}
  }
}
`;
}

function decided(stride: number, weightDtype?: WeightFormat, keptOps: ReadonlySet<string> = new Set()) {
  const passes = { ...DEFAULT_PASS_OPTIONS, keptOps, ...(weightDtype === undefined ? {} : { weightDtype }) };
  const workbench = loadModule(patches(stride), { device: "n150", passes });
  const { timeline, graphChanges } = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
  const steps = timeline.functions.flatMap((fn) => fn.steps);
  const convolution = steps.find(({ name }) => name === "ttnn.conv2d");
  assert(convolution !== undefined);
  assertEquals(convolution.refused, undefined);
  return {
    us: convolution.estimate.microseconds,
    weights: convolution.inputLayouts[1]?.dataType,
    isFolded: graphChanges.some(({ pass }) => pass === "fold-windows-into-channels"),
  };
}

Deno.test("windows that tile the image are folded into channels, overlapping ones are not", () => {
  const [tiling, overlapping] = [decided(16), decided(8)];
  assertEquals([tiling.isFolded, overlapping.isFolded], [true, false]);
  // Not four times as many windows, but more than five times the time.
  assert(overlapping.us > 5 * tiling.us, `${overlapping.us} and ${tiling.us}`);
});

Deno.test("weights of a convolution that runs in slices alone keep their format", () => {
  assertEquals(decided(16, "bfp_bf8").weights, "bfp_bf8");
  assertEquals(decided(8, "bfp_bf8").weights, "bf16");
});

Deno.test("kept convolutions keep the format of their weights", () => {
  assertEquals(decided(16, "bfp_bf8", new Set(["patches"])).weights, "bf16");
});

/** A small convolution of an argument. */
function small(role: string): string {
  const [image, weight] = ["tensor<1x8x8x32xbf16>", "tensor<32x32x3x3xbf16>"];
  const is = (name: string): string => `{ttcore.argument_type = #ttcore.argument_type<${name}>}`;
  return `func.func @forward(%x: ${image} ${is(role)}, %w: ${weight} ${is("parameter")}) -> ${image} {
    %0 = "ttir.conv2d"(%x, %w) <{stride = array<i32: 1, 1>, padding = array<i32: 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32}> : (${image}, ${weight}) -> ${image}
    return %0 : ${image}
  }`;
}

Deno.test("a convolution with blocks as weights is written so that it runs, at load and whatever is free", () => {
  const passes = { ...DEFAULT_PASS_OPTIONS, weightDtype: "bfp_bf8" as const };
  for (const role of ["input", "constant"]) {
    const workbench = loadModule(small(role), { device: "n150", passes });
    for (const policy of ["dram", "l1-interleaved", "greedy"]) {
      for (const free of [undefined, ["-layouts"] as const]) {
        const options = { ...DEFAULT_POLICY_OPTIONS, free };
        const { timeline, memory, baseline } = optimizeModule(workbench, getPolicy(policy), options);
        const convolution = timeline.functions.flatMap((fn) => fn.steps).find(({ name }) =>
          name === "ttnn.conv2d"
        );
        assertEquals(convolution?.inputLayouts[1]?.dataType, "bfp_bf8");
        assertEquals([memory.verdict.status, baseline.verdict.status], ["fits", "fits"], policy);
      }
    }
  }
});
