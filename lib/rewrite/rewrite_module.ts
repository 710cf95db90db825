// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { detectProfile, type TtnnProfile } from "../dialect/ttnn_profile.ts";
import type { GraphBinding } from "../graph/binding.ts";
import { functionOf } from "../ir/mod.ts";
import { functionPlans, type Plan } from "../plan/plan.ts";
import { readFunction, type TypeCache } from "../ttnn/read.ts";
import { writeFunctions } from "../ttnn/write.ts";
import { writePreparations } from "./prepared_weights.ts";
import { FunctionRewrite } from "./rewrite_function.ts";

/**
 * Applies a plan: the text of the module with the decided layouts, configs and memory ops. All other bytes stay
 * as they are; insertions follow the dialect generation of the input (tt-mlir:ir-generations).
 *
 * @example
 * ```ts
 * import { loadModule } from "@tilewright/tilewright";
 * import { identityPlan, rewriteModule } from "@tilewright/tilewright/plan";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const { binding, chip } = workbench;
 * const functions = binding.graph.functions.map(identityPlan);
 * const plan = { schema: "tilewright.plan/1", policy: "none", device: "n150", functions } as const;
 * assertEquals(rewriteModule(binding, plan, chip), workbench.module.text);
 * ```
 *
 * @param chip the chip that the plan was made for
 * @param profile generation to spell in, the input's own by default
 * @throws {RangeError} when the plan does not belong to the graph, or asks for something the text cannot say
 */
export function rewriteModule(
  binding: GraphBinding,
  plan: Plan,
  chip: ChipDescription,
  profile: TtnnProfile = detectProfile(binding.module),
): string {
  const { module } = binding;
  const types: TypeCache = new Map();
  const planOf = functionPlans(plan);
  const rewrites = binding.functions.flatMap((fn) => {
    const functionPlan = planOf(fn.fn.name);
    if (functionPlan === undefined) {
      throw new RangeError(`Cannot rewrite @${fn.fn.name}: the plan does not have it`);
    }
    if (fn.returnOperation === undefined) return [];
    const view = functionOf(module, fn.operation);
    const body = view && readFunction(module, view, chip.workerGrid, types);
    if (body === undefined) throw new RangeError(`Cannot rewrite @${fn.fn.name}: it uses values of others`);
    return [new FunctionRewrite(body, fn, functionPlan, { chip, profile })];
  });
  for (const rewrite of rewrites) rewrite.carryOut();
  writePreparations(rewrites);
  return writeFunctions(module, rewrites.map(({ body }) => body), chip, profile);
}
