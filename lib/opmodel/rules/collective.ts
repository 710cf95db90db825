// SPDX-License-Identifier: Apache-2.0
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { interleavedTensor } from "../../programs/program_tensor.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import { accept, describeTensor, isRefusal, type OrRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { missingOperand } from "./program.ts";

/** Kinds of collectives that differ in their memory requirements. */
export type CollectiveKind = "all_gather" | "reduce_scatter" | "all_reduce";

/**
 * Rule of collectives along a mesh axis, for one chip's shapes. Pages and format are kept; operand and result
 * are in the requested memories, sharded ones in L1 (tt-metal:all-gather, tt-metal:reduce-scatter). An
 * all-reduce is composed of interleaved parts (tt-metal:all-reduce).
 */
export function collectiveRule(kind: CollectiveKind): OpRule {
  return defineRule({
    strategy: kind === "all_reduce"
      ? { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: true }
      : { hints: "any", inputs: ["any"], exploresReshards: true },
    evaluate: (query, context) => evaluateCollective(kind, query, context),
  });
}

function evaluateCollective(
  kind: CollectiveKind,
  query: ConstraintQuery,
  context: RuleContext,
): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const whenNull = { ...DRAM_INTERLEAVED, bufferType: input.layout.bufferType };
  const page = pagesOf(input.layout);
  const output = placeOutput(query, context, { whenNull, page });
  if (isRefusal(output)) return output;
  for (const tensor of [input, output]) {
    const fault = sideFault(kind, query, tensor, tensor === input, context);
    if (fault !== undefined) return fault;
  }
  return accept({ outputs: [output] }, context);
}

/** Why a collective refuses a tensor as operand or result; `undefined` if it accepts it. */
function sideFault(
  kind: CollectiveKind,
  { op }: ConstraintQuery,
  tensor: Tensor,
  isOperand: boolean,
  { chip }: RuleContext,
): Extract<OrRefusal<never>, { status: "invalid" }> | undefined {
  const { layout, shape } = tensor;
  const side = isOperand ? describeTensor(0, tensor) : "the result";
  if (isSharded(layout) && (kind === "all_reduce" || layout.bufferType !== "l1")) {
    return refuse(
      "unsupported_layout",
      "collective/sharded",
      kind === "all_reduce"
        ? `${op.name}: ${side} must not be sharded`
        : `${op.name}: ${side} is sharded outside of L1`,
      "tt-metal:all-reduce",
    );
  }
  if (layout.tile !== undefined) return undefined;
  const { pageBytes } = interleavedTensor(shape, layout.dataType, "dram", undefined);
  const alignment = layout.bufferType === "dram" ? chip.dramAlignment : chip.l1Alignment;
  return pageBytes % alignment === 0 ? undefined : refuse(
    "unsupported_layout",
    "collective/page",
    `${op.name}: rows of ${side} are ${pageBytes} bytes, no multiple of ${alignment}`,
    "tt-metal:all-gather",
  );
}

/**
 * Rule of matmuls fused with a collective: operands tiled and interleaved, results interleaved, by default in DRAM
 * (tt-mlir:fused-collectives).
 */
export function fusedCollectiveRule(): OpRule {
  return defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: true },
    evaluate,
  });
}

function evaluate(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const [input, weight] = query.operands;
  if (input === undefined) return missingOperand(query.op, 0);
  if (weight === undefined) return missingOperand(query.op, 1);
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined || (tensor.layout.tile !== undefined && !isSharded(tensor.layout))) continue;
    return refuse(
      "unsupported_layout",
      "collective/fused",
      `${query.op.name}: ${describeTensor(index, tensor)} must be of tiles and interleaved`,
      "tt-mlir:fused-collectives",
    );
  }
  const outputs: Tensor[] = [];
  for (const result of query.op.results.keys()) {
    const output = placeOutput(query, context, { result, whenNull: DRAM_INTERLEAVED });
    if (isRefusal(output)) return output;
    if (isSharded(output.layout)) {
      return refuse(
        "unsupported_layout",
        "collective/fused",
        `${query.op.name}: the result must not be sharded`,
        "tt-mlir:fused-collectives",
      );
    }
    outputs.push(output);
  }
  return accept({ outputs }, context);
}
