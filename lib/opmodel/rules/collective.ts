// SPDX-License-Identifier: Apache-2.0
import { normalDim } from "../../layout/extents.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { MESH_PARTITION, REDUCE_SCATTER } from "../../ops/attributes/collective.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { gathersByBroadcast } from "../../programs/ccl/broadcast_gather.ts";
import { alignmentOf } from "../../programs/program_tensor.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { describeTensor, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { operandAt, wantsShards } from "./program.ts";

/** Sources of collectives that differ in their memory requirements. */
const SOURCES = {
  all_gather: "tt-metal:all-gather",
  reduce_scatter: "tt-metal:reduce-scatter",
  all_reduce: "tt-metal:all-reduce",
} as const;

type CollectiveKind = keyof typeof SOURCES;

/**
 * Rule of collectives along a mesh axis, for one chip's shapes. Pages and format are kept; operand and result
 * are in the requested memories, sharded ones in L1 (tt-metal:all-gather, tt-metal:reduce-scatter). An
 * all-reduce is composed of interleaved parts (tt-metal:all-reduce).
 */
function collectiveRule(kind: CollectiveKind): OpRule {
  return defineRule({
    strategy: kind === "all_reduce"
      ? { hints: "non_sharded", inputs: ["not_sharded"], exploresReshards: true }
      : { hints: "any", inputs: ["any"], exploresReshards: true },
    evaluate: (query) => evaluateCollective(kind, query),
  });
}

function evaluateCollective(kind: CollectiveKind, query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const page = pagesOf(input.layout);
  // What is put together from broadcasts is joined in DRAM, and only then moved into shards.
  const isJoined = kind === "all_gather" && gathersByBroadcast(query.op, asProgramTensor(input), query.chip);
  const output = placeOutput(
    query,
    isJoined
      ? { whenNull: DRAM_INTERLEAVED, page, hint: wantsShards(query) ? query.hint ?? null : null }
      : { whenNull: { ...DRAM_INTERLEAVED, bufferType: input.layout.bufferType }, page },
  );
  for (const tensor of [input, output]) checkSide(kind, query, tensor, tensor === input);
  if (kind === "reduce_scatter") checkRows(query, input, output);
  return { outputs: [output] };
}

/** Refuses shards of an operand or result that the collective does not take. */
function checkSide(kind: CollectiveKind, query: ConstraintQuery, tensor: Tensor, isOperand: boolean): void {
  const { layout } = tensor;
  if (!isSharded(layout) || (kind !== "all_reduce" && layout.bufferType === "l1")) return;
  const side = isOperand ? describeTensor(0, tensor) : "the result";
  const fault = kind === "all_reduce" ? "must not be sharded" : "is sharded outside of L1";
  refuseLayout(query, "collective/sharded", `${side} ${fault}`, SOURCES[kind]);
}

/** A reduce-scatter into unequal parts reads rows that lie aligned; equal parts are tilized first (`ttnn:backend-0-81-1`). */
function checkRows(query: ConstraintQuery, input: Tensor, output: Tensor): void {
  const dim = normalDim(readAttributes(query.op, REDUCE_SCATTER).scatter_dim, input.shape.length);
  const isEven = (input.shape[dim] ?? 1) % (output.shape[dim] ?? 1) === 0;
  const rows = asProgramTensor(input);
  const alignment = alignmentOf(rows, query.chip);
  if (rows.tiled || isEven || rows.pageBytes % alignment === 0) return;
  const fault = `has rows of ${rows.pageBytes} bytes, no multiple of ${alignment}`;
  refuseOperand(query, 0, "collective/page", fault, "tt-metal:reduce-scatter");
}

/**
 * Rule of `mesh_partition`: a slice of every device's share, in equal parts, of whole tiles of rows
 * (`ttnn:backend-0-81-1`); results stay in DRAM (tt-mlir:op-rules).
 */
function evaluatePartition(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  const page = pagesOf(input.layout);
  const output = placeOutput(query, { whenNull: DRAM_INTERLEAVED, page });
  const rank = input.shape.length;
  const dim = normalDim(readAttributes(query.op, MESH_PARTITION).dim ?? 0, rank);
  const [whole = 1, part = 1] = [input.shape[dim], output.shape[dim]];
  if (whole % part !== 0 || (page === "tile" && dim === rank - 2 && part % 32 !== 0)) {
    refuseLayout(query, "mesh-partition/parts", `parts of ${part} of ${whole} are unequal or cut tiles`);
  }
  return { outputs: [output] };
}

export const COLLECTIVE_RULES: RulesOf<CollectiveKind | "mesh_partition"> = {
  all_gather: collectiveRule("all_gather"),
  reduce_scatter: collectiveRule("reduce_scatter"),
  all_reduce: collectiveRule("all_reduce"),
  mesh_partition: defineRule({
    strategy: { hints: "null_or_dram", exploresReshards: false },
    evaluate: evaluatePartition,
  }),
};
