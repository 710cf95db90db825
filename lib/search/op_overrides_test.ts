// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { parseOutputLayoutOverrides } from "../overrides/output_layout_override.ts";
import { NO_OVERRIDES } from "../overrides/overrides.ts";
import { policy as beam } from "../policy/policies/beam.ts";
import { policy as beamCost } from "../policy/policies/beam_cost.ts";
import { policy as greedy } from "../policy/policies/greedy.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import type { Policy } from "../policy/policy.ts";
import { describeLayout } from "../layout/describe.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { OpEvaluator } from "./op_evaluator.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { idOf } from "../../testing/ids.ts";

const TENSOR = { shape: [1024, 1024], dataType: "bf16" } as const;

/** Layouts of a chain of two ops, the first of which is overridden. */
function decide(policy: Policy, override: string): readonly string[] {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  const y = builder.op("ttnn.relu", [x], TENSOR, { location: '"first"' });
  builder.return(builder.op("ttnn.exp", [y], TENSOR, { location: '"second"' }));
  const plan = policy.decide({
    graph: builder.buildGraph(),
    ...realModels(),
    options: {
      ...DEFAULT_POLICY_OPTIONS,
      overrides: { ...NO_OVERRIDES, outputLayouts: parseOutputLayoutOverrides(override) },
    },
  });
  return plan.functions[0]?.decisions.map(({ outputLayouts: [layout] }) =>
    layout === undefined ? "-" : describeLayout(layout)
  ) ?? [];
}

for (const policy of [greedy, beam, beamCost]) {
  Deno.test(`${policy.name} follows full and partial layout overrides`, () => {
    assertEquals(decide(policy, "first=2x4:l1:block_sharded:tile")[0], "l1/block_sharded/2x4");
    assertEquals(decide(policy, "first=dram")[0], "dram/interleaved");
    assertEquals(decide(policy, "first=16x1")[0], "l1/height_sharded/16x1");
  });
}

Deno.test("an override that the op model refuses is an error, not a fallback", () => {
  assertThrows(() => decide(beam, "first=9x9:l1:block_sharded:tile"), DiagnosticError, "9x9");
});

Deno.test("an override that contradicts the graph is an error", () => {
  assertThrows(() => decide(beam, "first=row_major"), DiagnosticError, "pages must be carried out");
  assertThrows(() => decide(greedy, "first=f32"), DiagnosticError, "element format");
});

Deno.test("an override that no operand layouts reach is an error with the op model's message", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  builder.return(builder.op("ttnn.prod", [x], TENSOR, { location: '"product"' }));
  const overrides = {
    ...NO_OVERRIDES,
    outputLayouts: parseOutputLayoutOverrides("product=32x1:l1:height_sharded:tile"),
  };
  const decide = () =>
    beam.decide({
      graph: builder.buildGraph(),
      ...realModels(),
      options: { ...DEFAULT_POLICY_OPTIONS, overrides },
    });
  assertThrows(decide, DiagnosticError, "Cannot give ttnn.prod (op 0");
});

Deno.test("a program obeys overrides of results and of operands", () => {
  const builder = new GraphBuilder();
  const x = builder.argument(TENSOR);
  builder.return(builder.op("ttnn.relu", [x], TENSOR, { location: '"first"' }));
  const { opModel, cost } = realModels();
  const evaluator = (overrides: Partial<typeof NO_OVERRIDES>) =>
    new OpEvaluator(builder.build(), opModel, cost, {
      ...DEFAULT_POLICY_OPTIONS,
      overrides: { ...NO_OVERRIDES, ...overrides },
    });
  const free = evaluator({});
  const [dram] = free.declared;
  assert(dram !== undefined);
  const l1 = free.interleaved(TENSOR, dram, "l1");
  const reads = evaluator({ memReconfigs: new Map([["first", [0]]]) });
  const obeys = (overridden: OpEvaluator, from: LayoutId, to: LayoutId): boolean =>
    overridden.overrides.allow(idOf(0), [from], { outputs: [to], config: undefined });
  assertEquals([obeys(reads, dram, l1), obeys(reads, l1, l1)], [false, true]);
  const makes = evaluator({ outputLayouts: parseOutputLayoutOverrides("first=l1") });
  assertEquals([obeys(makes, dram, dram), obeys(makes, dram, l1)], [false, true]);
  assertEquals(obeys(free, dram, l1), true);
});
