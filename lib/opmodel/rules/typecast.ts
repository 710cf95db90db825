// SPDX-License-Identifier: Apache-2.0
import { coreCount } from "../../layout/core_range.ts";
import { isSharded, pagesOf } from "../../layout/ttnn_layout.ts";
import { rowElements } from "../../programs/data_movement/memory_move.ts";
import { castsInShards } from "../../programs/eltwise/typecast.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuseLayout, type RuleAnswer } from "../verdict.ts";
import { onHost } from "./memory_move.ts";
import { operandAt } from "./program.ts";

function evaluateTypecast(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  if (input.layout.bufferType === "system_memory") return onHost(query, input, context);
  const resultType = query.op.results[0]?.dataType;
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
    ...(resultType === undefined ? {} : { dataType: resultType }),
  });
  if (isRefusal(output)) return output;
  const fault = castFault(input, output) ?? rowFault(input, output, context);
  return fault === undefined
    ? accept({ outputs: [output] }, context)
    : refuseLayout(query.op, `typecast/${fault[0]}`, `${describeTensor(0, input)} ${fault[1]}`);
}

/** Rule and sentence of a refusal. */
type Fault = readonly [rule: string, sentence: string];

/** Why a cast does not write this memory from that one; `undefined` if it does (`ttnn:backend-0-81-1`). */
export function castFault(input: Tensor, output: Tensor): Fault | undefined {
  if (input.layout.memoryLayout !== output.layout.memoryLayout) {
    return ["memory-layout", "and the output must have the same memory layout"];
  }
  const [from, to] = [input, output].map(({ layout }) => coreCount(layout.coreRanges));
  return castsInShards(asProgramTensor(input), asProgramTensor(output)) && from !== to
    ? ["cores", `has ${from} cores, the output has ${to}`]
    : undefined;
}

/** Refuses row-major casts with unaligned shard rows, or between rows of different lengths. */
function rowFault(input: Tensor, output: Tensor, { chip }: RuleContext): Fault | undefined {
  if (pagesOf(input.layout) === "tile") return undefined;
  const [from, to] = [asProgramTensor(input), asProgramTensor(output)];
  if (isSharded(input.layout) && from.pageBytes % chip.l1Alignment !== 0) {
    return [
      "row-alignment",
      `has rows of ${from.pageBytes} bytes, which are not aligned to ${chip.l1Alignment}`,
    ];
  }
  return castsInShards(from, to) || rowElements(from) === rowElements(to)
    ? undefined
    : ["row-geometry", "and the output must have equal rows"];
}

/** The rule of casts. */
export const TYPECAST_RULES: RulesOf<"typecast"> = {
  /** Rule of `typecast`: both sides have one memory layout; buffer type and, within {@linkcode castFault}, shards may differ. */
  typecast: defineRule({ strategy: { hints: "null" }, evaluate: evaluateTypecast }),
};
