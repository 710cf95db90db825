// SPDX-License-Identifier: Apache-2.0

/** Every policy on a few models, decided once for all that is checked of the plan and of its text. */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { isSharded } from "../lib/layout/ttnn_layout.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { policies } from "../lib/policy/policies.ts";
import { policy as auto } from "../lib/policy/policies/auto.ts";
import type { Policy } from "../lib/policy/policy.ts";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { workbenchFor } from "./load.ts";
import { loadModule } from "./load_module.ts";
import { type Optimized, optimizeModule } from "./optimize.ts";

const FILES = [
  "models/llama_3_2_1b_decode.mlir",
  "models/segformer_block.mlir",
  "ttir/heads_apart.mlir",
  "ttir/mobile_block.mlir",
  "ttir/recurrent.mlir",
];

/**
 * With the blocks that the backend chooses for it, this convolution is refused: the table of a block's reads is larger
 * than the backend foresees (`ttnn:backend-0-81-1`). With others it runs.
 */
const LARGE_TABLE_OF_READS = `module {
  func.func @main(%arg0: tensor<6x6x3x2xbf16>, %arg1: tensor<3x6x2x2xbf16>) -> tensor<6x3x3x2xbf16> {
    %0 = "ttir.conv2d"(%arg0, %arg1) <{
      batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, groups = 1 : i32,
      dilation = array<i32: 1, 1>, padding = array<i32: 1, 1, 0, 0>, stride = array<i32: 1, 1>
    }> : (tensor<6x6x3x2xbf16>, tensor<3x6x2x2xbf16>) -> tensor<6x3x3x2xbf16>
    return %0 : tensor<6x3x3x2xbf16>
  }
}`;

const EXACT = ["auto", "optimal"];

const MODULES = [
  ...FILES.map((file) => ({
    what: file,
    read: () => Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", file)),
  })),
  { what: "a convolution whose default blocks are refused", read: () => LARGE_TABLE_OF_READS },
];

interface Case {
  readonly name: string;
  readonly optimized: Optimized;
}

const decided = new Map<string, Case>();

function caseOf({ what, read }: typeof MODULES[number], policy: Policy): Case {
  const name = `${policy.name} for ${what}`;
  const known = decided.get(name);
  if (known !== undefined) return known;
  const optimized = optimizeModule(loadModule(read(), { device: "n150" }), policy, DEFAULT_POLICY_OPTIONS);
  const made = { name, optimized };
  decided.set(name, made);
  return made;
}

const allCases = (): readonly Case[] =>
  MODULES.flatMap((module) => policies.map((policy) => caseOf(module, policy)));

for (const module of MODULES) {
  for (const policy of policies) {
    // What the op model refuses, or does not know, is no decision.
    Deno.test(`the plan of ${policy.name} for ${module.what} is checked and fits`, () => {
      const { memory: { verdict } } = caseOf(module, policy).optimized;
      assertEquals(verdict.uncheckedOps, []);
      assertEquals(verdict.status, "fits");
    });
  }

  Deno.test(`auto is never slower than any other policy for ${module.what}`, () => {
    const best = caseOf(module, auto).optimized.timeline.inference.totalUs;
    for (const policy of policies) {
      const { totalUs } = caseOf(module, policy).optimized.timeline.inference;
      assert(best <= totalUs + 1e-6, `${policy.name} takes ${totalUs} µs, auto ${best}`);
    }
  });
}

Deno.test("products with shards or in L1 have a program config, those of DRAM tensors are left to the backend", () => {
  let written = 0;
  let left = 0;
  for (const { name, optimized } of allCases()) {
    for (const { steps, name: fn } of optimized.timeline.functions) {
      const decided = optimized.plan.functions.find((plan) => plan.name === fn);
      for (const { kind, op, name: spelled, inputLayouts, inputShapes, outputLayouts } of steps) {
        if (kind !== "op" || (spelled !== "ttnn.matmul" && spelled !== "ttnn.linear")) continue;
        const config = decided?.decisions.find((decision) => decision.op === op)?.config;
        const isWritten = config?.kind === "matmul" && config.programConfig !== undefined;
        const tensors = [inputLayouts[0], inputLayouts[1], outputLayouts[0]];
        const inPages = tensors.every((layout) => layout !== undefined && !isSharded(layout));
        const inDram = inPages && tensors.every((layout) => layout?.bufferType === "dram");
        // Of many small matrices in pages of L1, the backend's choice is the same however much of L1 is free.
        const mayBeLeft = inPages && inputShapes.every((shape) => (shape?.length ?? 0) > 2);
        // Exact assignments may write pages with the blocks of shards.
        const isExact = EXACT.some((policy) => name.startsWith(`${policy} `));
        if (inDram ? !isExact : !mayBeLeft) assertEquals(isWritten, !inDram, `${name}: ${spelled} ${op}`);
        if (isWritten) written++;
        else left++;
      }
    }
  }
  assert(written > 0 && left > 0);
});

Deno.test("a plan has the time and memory of its written form", () => {
  for (const { name, optimized } of allCases()) {
    const again = workbenchFor(optimized.text, "written.mlir", optimized.workbench, {});
    const written = simulateGraph(again.binding.graph, undefined, { ...again });
    assertEquals(
      written.functions.map(({ totalUs, peakL1Bytes }) => ({ totalUs, peakL1Bytes })),
      optimized.timeline.functions.map(({ totalUs, peakL1Bytes }) => ({ totalUs, peakL1Bytes })),
      name,
    );
  }
});
