// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { normalDim } from "../../layout/extents.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { REDUCE_SCATTER } from "../../ops/attributes/collective.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { gathersByBroadcast } from "../../programs/ccl/broadcast_gather.ts";
import { alignmentOf } from "../../programs/program_tensor.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { accept, describeTensor, isRefusal, type OrRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { missingOperand, wantsShards } from "./program.ts";

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
  const page = pagesOf(input.layout);
  // What is put together from broadcasts is joined in DRAM, and only then moved into shards.
  const isJoined = kind === "all_gather" &&
    gathersByBroadcast(query.op, asProgramTensor(input), context.chip);
  const output = placeOutput(
    query,
    context,
    isJoined
      ? { whenNull: DRAM_INTERLEAVED, page, hint: wantsShards(query) ? query.hint ?? null : null }
      : { whenNull: { ...DRAM_INTERLEAVED, bufferType: input.layout.bufferType }, page },
  );
  if (isRefusal(output)) return output;
  for (const tensor of [input, output]) {
    const fault = sideFault(kind, query, tensor, tensor === input);
    if (fault !== undefined) return fault;
  }
  const fault = kind === "reduce_scatter" ? rowsFault(query, input, output, context.chip) : undefined;
  if (fault !== undefined) return fault;
  return accept({ outputs: [output] }, context);
}

/** Why a collective refuses a tensor as operand or result; `undefined` if it accepts it. */
function sideFault(
  kind: CollectiveKind,
  { op }: ConstraintQuery,
  tensor: Tensor,
  isOperand: boolean,
): Extract<OrRefusal<never>, { status: "invalid" }> | undefined {
  const { layout } = tensor;
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
  return undefined;
}

/** A reduce-scatter into unequal parts reads rows that lie aligned; equal parts are tilized first (`ttnn:backend-0-81-1`). */
function rowsFault(
  { op }: ConstraintQuery,
  input: Tensor,
  output: Tensor,
  chip: ChipDescription,
): InvalidConstraints | undefined {
  const dim = normalDim(readAttributes(op, REDUCE_SCATTER).scatter_dim, input.shape.length);
  const isEven = (input.shape[dim] ?? 1) % (output.shape[dim] ?? 1) === 0;
  const rows = asProgramTensor(input);
  const alignment = alignmentOf(rows, chip);
  return rows.tiled || isEven || rows.pageBytes % alignment === 0 ? undefined : refuse(
    "unsupported_layout",
    "collective/page",
    `${op.name}: rows of ${
      describeTensor(0, input)
    } are ${rows.pageBytes} bytes, no multiple of ${alignment}`,
    "tt-metal:reduce-scatter",
  );
}

/**
 * Rule of matmuls fused with a collective: operands tiled and interleaved, results interleaved, by default in DRAM
 * (tt-mlir:fused-collectives).
 */
export function fusedCollectiveRule(): OpRule {
  return defineRule({
    strategy: { hints: "non_sharded", inputs: ["not_sharded"] },
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
