// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { ROTARY, ROTARY_LLAMA } from "../../ops/attributes/attention.ts";
import { matrixCount } from "../../layout/extents.ts";
import { canonicalCoreRanges, physicalUnits, roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { largestDivisor } from "../../programs/matmul/matmul_blocking.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { fillsShards, type PagedTensor, shardExtent } from "../../programs/shard_spec.ts";
import type { Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  describeTensor,
  isRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";

/**
 * Refuses row-major operands: `rotary_embedding` would tilize them first, `rotary_embedding_llama` does not
 * accept them.
 */
function tileFault({ op, operands }: ConstraintQuery): InvalidConstraints | undefined {
  for (const [index, operand] of operands.entries()) {
    if (operand === undefined || operand.layout.tile !== undefined) continue;
    return refuseLayout(op, "rotary/tile", `${describeTensor(index, operand)} must be tiled`);
  }
  return undefined;
}

function rotaryFault(query: ConstraintQuery, input: Tensor): InvalidConstraints | undefined {
  const { op, hint } = query;
  const tiles = tileFault(query);
  if (tiles !== undefined) return tiles;
  const [rows = 1, size = 1] = input.shape.slice(-2);
  if (size !== 32 && size % 64 !== 0) {
    return refuseConfig(op, "rotary/size", `heads of ${size}: their halves are not whole tiles`);
  }
  const angles = operandAt(query, 1);
  const { token_index: token } = readAttributes(op, ROTARY);
  // Positions of a token at a time: the backend takes the first dimension for it.
  if (token !== undefined && input.shape.length === 4 && input.shape[0] !== 1) {
    return refuseConfig(op, "rotary/token", `a token_index is for one position, not ${input.shape[0]}`);
  }
  if ((angles.shape.at(-2) ?? 1) < rows && token === undefined) {
    return refuseLayout(op, "rotary/angles", `${describeTensor(1, angles)} has fewer than ${rows} rows`);
  }
  if (angles.shape.at(-1) !== size || matrixCount(angles.shape) > 1) {
    const fault = `${describeTensor(1, angles)} must be one matrix, as wide as a head of ${size}`;
    return refuseConfig(op, "rotary/angles", fault);
  }
  const say = (rule: string, fault: string) =>
    refuseLayout(op, `rotary/${rule}`, `${describeTensor(0, input)} ${fault}`);
  if (hint?.memoryLayout === "width_sharded") return say("result", "must not have a width-sharded result");
  if (!isSharded(input.layout)) return undefined;
  if (input.layout.memoryLayout === "width_sharded") return say("width-sharded", "must not be width sharded");
  if (shardExtent(input.layout)[1] !== roundUp(size, 32)) {
    return say("shard-width", "must have shards as wide as a head");
  }
  return fillsShards(input) ? undefined : say("shard-rows", "must fill its shards");
}

/**
 * Shards of a result with an unsharded operand, regardless of the requested spec: equal numbers of tile rows
 * on as many cores as divide them (`ttnn:backend-0-81-1`).
 */
function equalRows(context: RuleContext, { shape, dataType }: PagedTensor, memory: TtnnLayout): TtnnLayout {
  const [rows, columns] = physicalUnits(shape, DEFAULT_TILE);
  const cores = largestDivisor(rows, context.cores);
  const grid = [cores, 1];
  const { workerGrid, dramBanks } = context.chip;
  return {
    ...memory,
    dataType,
    tile: DEFAULT_TILE,
    gridShape: grid,
    shardShape: [rows / cores, columns],
    coreRanges: canonicalCoreRanges("l1", "height_sharded", grid, workerGrid, dramBanks),
    ignorePhysicalLayout: false,
  };
}

function evaluateRotary(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { hint } = query;
  const input = operandAt(query, 0);
  const fault = rotaryFault(query, input);
  if (fault !== undefined) return fault;
  // A sharded result has the operand's shards, if there are any.
  const shards = hint !== undefined && isSharded(hint)
    ? { ...hint, ignorePhysicalLayout: true }
    : hint ?? null;
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    hint: shards,
    withoutSpec: (memory, tensor) =>
      isSharded(input.layout)
        ? { ...input.layout, memoryLayout: memory.memoryLayout, bufferType: memory.bufferType }
        : equalRows(context, tensor, memory),
  });
  return acceptOne(output, context);
}

/** Rows of cos/sin that a core of the prefill kernel holds if sharded. */
const ANGLE_ROWS = 32;

function evaluateRotaryLlama(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, operands } = query;
  const input = operandAt(query, 0);
  const tiles = tileFault(query);
  if (tiles !== undefined) return tiles;
  const decodes = readAttributes(op, ROTARY_LLAMA).is_decode_mode;
  for (const [index, operand] of operands.entries()) {
    if (operand === undefined) continue;
    const { layout } = operand;
    if (layout.dataType !== input.layout.dataType) {
      return refuseLayout(
        op,
        "rotary/format",
        `${describeTensor(index, operand)} must have the operand's format`,
      );
    }
    const isGood = decodes ? layout.memoryLayout === "height_sharded" : !isSharded(layout) ||
      (index > 0 && layout.memoryLayout === "height_sharded" && shardExtent(layout)[0] === ANGLE_ROWS);
    if (isGood) continue;
    const wanted = decodes
      ? "must be height sharded in decode mode"
      : `must be interleaved${index > 0 ? `, or in height shards of ${ANGLE_ROWS} rows` : ""}`;
    return refuseLayout(
      op,
      decodes ? "rotary/decode" : "rotary/prefill",
      `${describeTensor(index, operand)} ${wanted}`,
    );
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  if (isSharded(output.layout) !== decodes) {
    const wanted = decodes ? "sharded" : "interleaved";
    return refuseLayout(op, "rotary/result", `the result must be ${wanted} like the operand`);
  }
  return accept({ outputs: [output] }, context);
}

export const ROTARY_RULES: RulesOf<"rotary" | "rotary_llama"> = {
  /** Rule of `rotary_embedding`: input, cosines and sines, the latter with at least as many rows unless a `token_index` picks one. */
  rotary: defineRule({
    strategy: { hints: "null", inputs: ["interleaved_or_height_sharded"], exploresReshards: false },
    evaluate: evaluateRotary,
  }),
  /**
   * Rule of `rotary_embedding_llama`: input, cosines, sines and a transformation matrix; all height sharded in
   * decode mode, otherwise interleaved (the last three also in height shards of {@linkcode ANGLE_ROWS} rows).
   */
  rotary_llama: defineRule({
    strategy: { hints: "null", inputs: ["interleaved_or_height_sharded"], exploresReshards: false },
    evaluate: evaluateRotaryLlama,
  }),
};
