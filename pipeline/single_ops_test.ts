// SPDX-License-Identifier: Apache-2.0

/** Every TTIR op with a meaning in the reference interpreter, alone: what is decided for it computes what it says. */

import { assert, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import { UNDESCRIBED } from "../lib/lowering/families/undescribed.ts";
import { OP_TABLE } from "../lib/lowering/op_table.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { createdLayouts, verifyModule } from "../lib/verify/verify_module.ts";
import { knownOps } from "../testing/interpreter/interpret.ts";
import { assertSameMeaning, randomInputs } from "../testing/interpreter/same_meaning.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { programOf, SINGLE_OPS } from "./testing/single_ops.ts";

/** Integers are indices of four rows at least. */
const INDICES = 4;

/**
 * A place for a result has no numbers; exchanges need a mesh ({@link "./mesh_programs_test.ts"}); numbers of sparse products
 * and of attention that is trained are held against formulas of their own ({@link "../testing/interpreter/interpret_test.ts"}).
 */
const WITHOUT_CASE: ReadonlySet<string> = new Set(
  "empty sparse_matmul sdpa_fw all_gather all_reduce reduce_scatter mesh_partition mesh_shard".split(" "),
);

/** Bounds that come with an inference; random ones would cut out no tensor of the type. */
const SLICE = programOf({
  name: "slice_dynamic",
  operands: ["tensor<4x33xf32>", "tensor<2xui32>", "tensor<2xui32>"],
  results: ["tensor<2x11xf32>"],
  properties: "step = [2 : i32, 3 : i32]",
});
const BOUNDS = [[1, 0], [4, 33]].map((bounds) =>
  `"ttir.constant"() <{value = dense<[${bounds.join(", ")}]> : tensor<2xui32>}> : () -> tensor<2xui32>`
);

/** The text of every case, with what its test is called. */
const PROGRAMS: readonly (readonly [string, string])[] = [
  ...SINGLE_OPS.map((op) => [`${op.name} ${op.operands.join(" ")}`, programOf(op)] as const),
  [
    "slice_dynamic between constants",
    SLICE.replace("%in =", `%begins = ${BOUNDS[0]}\n  %ends = ${BOUNDS[1]}\n  %in =`)
      .replace("(%in, %arg1, %arg2)", "(%in, %begins, %ends)"),
  ],
];

Deno.test("each lowered op that the interpreter knows has a case", () => {
  const cases = new Set([...SINGLE_OPS.map(({ name }) => name), "slice_dynamic"]);
  const missing = [...OP_TABLE.keys()].filter((name) =>
    knownOps().has(name) && UNDESCRIBED[name] === undefined
  )
    .map((name) => name.replace("ttir.", "")).filter((name) => !cases.has(name) && !WITHOUT_CASE.has(name));
  assertEquals(missing, []);
});

for (const [name, text] of PROGRAMS) {
  Deno.test(`ttir.${name} is decided, checked, priced, and means the same`, () => {
    const workbench = loadModule(text, { device: "p150", fileName: "single.mlir" });
    assertEquals(workbench.remarks.map(({ code }) => code), ["load/lowered"]);
    const { memory, timeline, baseline, text: written } = optimizeModule(
      workbench,
      getPolicy("auto"),
      DEFAULT_POLICY_OPTIONS,
    );
    assertEquals(memory.verdict, { status: "fits", refusedOps: [], misfits: [], uncheckedOps: [] });
    assertEquals(timeline.unpriced, []);
    assert(timeline.inference.totalUs <= baseline.inference.totalUs * (1 + 1e-9));
    const after = parseModule(written, "single.mlir");
    assertEquals(verifyModule(after, { isCreated: createdLayouts(workbench.binding.module, after) }), []);
    const before = parseModule(text, "single.mlir");
    for (const seed of [1, 2]) {
      assertSameMeaning(before, after, "main", randomInputs(before, "main", seed, INDICES));
    }
  });
}
