// SPDX-License-Identifier: Apache-2.0
import { coreCount } from "../../layout/core_range.ts";
import { volume } from "../../layout/extents.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { rowElements } from "../../programs/data_movement/memory_move.ts";
import { channelAxis } from "../../programs/eltwise/quantization.ts";
import { castsInShards } from "../../programs/eltwise/eltwise_program.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { onHost } from "./memory_move.ts";
import { demand, operandAt } from "./program.ts";

function evaluateTypecast(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  if (input.layout.bufferType === "system_memory") return onHost(query);
  const resultType = query.op.results[0]?.dataType;
  const output = placeOutput(query, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
    ...(resultType === undefined ? {} : { dataType: resultType }),
  });
  checkCast(query, "typecast", input, output);
  checkRows(query, input, output);
  return { outputs: [output] };
}

/** Refuses memory that a cast does not write from that of its operand (`ttnn:backend-0-81-1`). */
function checkCast(query: ConstraintQuery, prefix: string, input: Tensor, output: Tensor): void {
  if (input.layout.memoryLayout !== output.layout.memoryLayout) {
    refuseOperand(query, 0, `${prefix}/memory-layout`, "and the output must have the same memory layout");
  }
  const [from, to] = [input, output].map(({ layout }) => coreCount(layout.coreRanges));
  if (castsInShards(asProgramTensor(input), asProgramTensor(output)) && from !== to) {
    refuseOperand(query, 0, `${prefix}/cores`, `has ${from} cores, the output has ${to}`);
  }
}

/** Refuses row-major casts with unaligned shard rows, or between rows of different lengths. */
function checkRows(query: ConstraintQuery, input: Tensor, output: Tensor): void {
  if (pagesOf(input.layout) === "tile") return;
  const { l1Alignment } = query.chip;
  const [from, to] = [asProgramTensor(input), asProgramTensor(output)];
  if (isSharded(input.layout) && from.pageBytes % l1Alignment !== 0) {
    const fault = `has rows of ${from.pageBytes} bytes, which are not aligned to ${l1Alignment}`;
    refuseOperand(query, 0, "typecast/row-alignment", fault);
  }
  if (!castsInShards(from, to) && rowElements(from) !== rowElements(to)) {
    refuseOperand(query, 0, "typecast/row-geometry", "and the output must have equal rows");
  }
}

/** Rule of the quantization ops: tiled operands; a cast or an eltwise program writes the requested memory. */
function evaluateQuantization(query: ConstraintQuery): Verdict {
  const input = operandAt(query, 0);
  demand(query, 0, "tiled", "quantize/tile");
  checkVectors(query, input);
  const dataType = query.op.results[0]?.dataType ?? input.layout.dataType;
  const output = placeOutput(query, { whenNull: input.layout, nullShards: "kept", dataType });
  const cast = castInput(query, input);
  if (cast !== undefined) checkCast(query, "quantize", cast, output);
  return { outputs: [output] };
}

/**
 * Scales and zero points are numbers, or with an axis vectors of as many; a requantization takes either, in pairs
 * (`ttnn:backend-0-81-1`).
 */
function checkVectors(query: ConstraintQuery, input: Tensor): void {
  const { op, operands } = query;
  const axis = channelAxis(op, input.shape.length);
  const channels = axis === undefined ? 1 : input.shape[axis] ?? 1;
  const sizes = operands.slice(1).map((vector) => vector === undefined ? channels : volume(vector.shape));
  const takesNumbers = definitionOf(op.name).family === "requantize";
  const isFitting = sizes.every((size, index) =>
    (size === channels || (takesNumbers && size === 1)) && size === sizes[index - index % 2]
  );
  if (!isFitting) {
    const fault = `scales and zero points of ${sizes.join(", ")} numbers, for ${channels}`;
    refuseLayout(query, "quantize/vectors", fault);
  }
}

/**
 * The operand of the last program if that is a cast from the input's memory: the input of `quantize`, a bf16
 * intermediate of `requantize` by scalars. `undefined` if the last program is binary, or casts a tensor in the result's
 * memory (`ttnn:backend-0-81-1`).
 */
function castInput({ op }: ConstraintQuery, input: Tensor): Tensor | undefined {
  const { family } = definitionOf(op.name);
  if (family === "quantize") return input;
  return family === "requantize" && channelAxis(op, input.shape.length) === undefined
    ? { ...input, layout: { ...input.layout, dataType: "bf16" } }
    : undefined;
}

const QUANTIZATION_RULE = defineRule({ evaluate: evaluateQuantization });

export const CAST_RULES: RulesOf<"typecast" | "quantize" | "dequantize" | "requantize"> = {
  /** Rule of `typecast`: both sides have one memory layout; buffer type and, within {@linkcode checkCast}, shards may differ. */
  typecast: defineRule({ strategy: { hints: "null" }, evaluate: evaluateTypecast }),
  quantize: QUANTIZATION_RULE,
  dequantize: QUANTIZATION_RULE,
  requantize: QUANTIZATION_RULE,
};
