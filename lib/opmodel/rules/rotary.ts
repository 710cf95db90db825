// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { ROTARY, ROTARY_LLAMA } from "../../ops/attributes/attention.ts";
import { matrixCount } from "../../layout/extents.ts";
import { canonicalCoreRanges, physicalUnits, roundUp } from "../../layout/make_layout.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { largestDivisor } from "../../programs/matmul/matmul_blocking.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { fillsShards, type PagedTensor, shardExtent } from "../../programs/shard_spec.ts";
import type { Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { demandFormat, demandOfAll, operandAt } from "./program.ts";

function checkRotary(query: ConstraintQuery, input: Tensor): void {
  const { op, hint } = query;
  // Rows would be tilized first.
  demandOfAll(query, "tiled", "rotary/tile");
  const [rows = 1, size = 1] = input.shape.slice(-2);
  if (size !== 32 && size % 64 !== 0) {
    refuseConfig(query, "rotary/size", `heads of ${size}: their halves are not whole tiles`);
  }
  const angles = operandAt(query, 1);
  const { token_index: token } = readAttributes(op, ROTARY);
  // Positions of a token at a time: the backend takes the first dimension for it.
  if (token !== undefined && input.shape.length === 4 && input.shape[0] !== 1) {
    refuseConfig(query, "rotary/token", `a token_index is for one position, not ${input.shape[0]}`);
  }
  if ((angles.shape.at(-2) ?? 1) < rows && token === undefined) {
    refuseOperand(query, 1, "rotary/angles", `has fewer than ${rows} rows`);
  }
  if (angles.shape.at(-1) !== size || matrixCount(angles.shape) > 1) {
    refuseOperand(query, 1, "rotary/angles", `must be one matrix, as wide as a head of ${size}`);
  }
  const say = (rule: string, fault: string) => refuseOperand(query, 0, `rotary/${rule}`, fault);
  if (hint?.memoryLayout === "width_sharded") say("result", "must not have a width-sharded result");
  if (!isSharded(input.layout)) return;
  if (input.layout.memoryLayout === "width_sharded") say("width-sharded", "must not be width sharded");
  if (shardExtent(input.layout)[1] !== roundUp(size, 32)) {
    say("shard-width", "must have shards as wide as a head");
  }
  if (!fillsShards(input)) say("shard-rows", "must fill its shards");
}

/**
 * Shards of a result with an unsharded operand, regardless of the requested spec: equal numbers of tile rows
 * on as many cores as divide them (`ttnn:backend-0-81-1`).
 */
function equalRows(query: ConstraintQuery, { shape, dataType }: PagedTensor, memory: TtnnLayout): TtnnLayout {
  const [rows, columns] = physicalUnits(shape, DEFAULT_TILE);
  const cores = largestDivisor(rows, query.cores);
  const grid = [cores, 1];
  const { workerGrid, dramBanks } = query.chip;
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

function evaluateRotary(query: ConstraintQuery): Verdict {
  const { hint } = query;
  const input = operandAt(query, 0);
  checkRotary(query, input);
  // A sharded result has the operand's shards, if there are any.
  const shards = hint !== undefined && isSharded(hint)
    ? { ...hint, ignorePhysicalLayout: true }
    : hint ?? null;
  const output = placeOutput(query, {
    whenNull: input.layout,
    hint: shards,
    withoutSpec: (memory, tensor) =>
      isSharded(input.layout)
        ? { ...input.layout, memoryLayout: memory.memoryLayout, bufferType: memory.bufferType }
        : equalRows(query, tensor, memory),
  });
  return { outputs: [output] };
}

/** Rows of cos/sin that a core of the prefill kernel holds if sharded. */
const ANGLE_ROWS = 32;

function evaluateRotaryLlama(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  demandOfAll(query, "tiled", "rotary/tile");
  const decodes = readAttributes(query.op, ROTARY_LLAMA).is_decode_mode;
  for (const [index, operand] of query.operands.entries()) {
    if (operand === undefined) continue;
    const { layout } = operand;
    demandFormat(query, index, [input.layout.dataType], "rotary/format");
    const isHigh = layout.memoryLayout === "height_sharded";
    if (decodes && !isHigh) {
      refuseOperand(query, index, "rotary/decode", "must be height sharded in decode mode");
    }
    const isAngles = index > 0 && isHigh && shardExtent(layout)[0] === ANGLE_ROWS;
    if (!decodes && isSharded(layout) && !isAngles) {
      const also = index > 0 ? `, or in height shards of ${ANGLE_ROWS} rows` : "";
      refuseOperand(query, index, "rotary/prefill", `must be interleaved${also}`);
    }
  }
  const output = placeOutput(query, { whenNull: input.layout });
  if (isSharded(output.layout) !== decodes) {
    const wanted = decodes ? "sharded" : "interleaved";
    refuseLayout(query, "rotary/result", `the result must be ${wanted} like the operand`);
  }
  return { outputs: [output] };
}

export const ROTARY_RULES: RulesOf<"rotary" | "rotary_llama"> = {
  /**
   * Rule of `rotary_embedding`: input, cosines and sines, the latter with at least as many rows unless a `token_index`
   * picks one.
   */
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
