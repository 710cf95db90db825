// SPDX-License-Identifier: Apache-2.0
import { isSharded } from "../../layout/ttnn_layout.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  defineRule,
  type InputFilter,
  type OpRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import type { Tensor } from "../tensor.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";

const SDPA = "tt-metal:sdpa";

/** All queries at once, or those of one position. */
type SdpaPhase = "prefill" | "decode";

/** Rule of attention in training (`sdpa_fw`, `sdpa_bw`): tiled operands. */
function trainingSdpaRule(family: "sdpa_fw" | "sdpa_bw"): OpRule {
  return defineRule({
    strategy: {
      hints: "null",
      inputs: [family === "sdpa_bw" ? "tile" : "tile_not_sharded"],
      exploresReshards: false,
    },
    evaluate: (query, context) => evaluateSdpa(query, context, "prefill"),
  });
}

/** Rule of decode attention: the query may be sharded, caches must be in DRAM for the search. */
function sdpaDecodeRule(): OpRule {
  const caches: InputFilter = "dram_interleaved";
  return defineRule({
    strategy: { hints: "null", inputs: ["not_l1_interleaved", caches], exploresReshards: false },
    evaluate: (query, context) => evaluateSdpa(query, context, "decode"),
  });
}

function evaluateSdpa(query: ConstraintQuery, context: RuleContext, phase: SdpaPhase): RuleAnswer {
  const q = operandAt(query, 0);
  const k = operandAt(query, 1);
  const fault = attentionFault(query, q, k, phase);
  if (fault !== undefined) return fault;
  const outputs: (Tensor | undefined)[] = [];
  for (let result = 0; result < query.op.results.length; result++) {
    const output = placeOutput(query, context, {
      result,
      whenNull: DRAM_INTERLEAVED,
      ...(result === 0 ? {} : { hint: null }),
    });
    if (isRefusal(output)) return output;
    outputs.push(output);
  }
  return accept({ outputs }, context);
}

function attentionFault(
  query: ConstraintQuery,
  q: Tensor,
  k: Tensor,
  phase: SdpaPhase,
): InvalidConstraints | undefined {
  const decode = phase === "decode";
  const say = (rule: string, message: string) => refuseLayout(query.op, `sdpa/${rule}`, `${message}`, SDPA);
  for (const [index, tensor] of [q, k].entries()) {
    if (tensor.layout.tile === undefined) {
      return say("tile", `${describeTensor(index, tensor)} must be tiled`);
    }
    const { dataType } = tensor.layout;
    if (dataType !== "bf16" && dataType !== "f32" && !dataType.startsWith("bfp_")) {
      return say("format", `${describeTensor(index, tensor)} must be bf16 or block float`);
    }
  }
  for (const [index, tensor] of query.operands.entries()) {
    if (tensor === undefined || !isSharded(tensor.layout)) continue;
    const queryShards = decode && index === 0 && tensor.layout.memoryLayout === "height_sharded";
    if (!queryShards) {
      return refuseOperand(query.op, "sdpa/sharded", index, tensor, "must not be sharded", SDPA);
    }
  }
  const heads = q.shape.at(decode ? -2 : -3) ?? 1;
  const keyHeads = k.shape.at(-3) ?? 1;
  if (!decode && keyHeads > 0 && heads % keyHeads !== 0) {
    return say("heads", `${heads} query heads are not a multiple of ${keyHeads} key heads`);
  }
  const size = q.shape.at(-1) ?? 0;
  if (query.op.name === "ttnn.scaled_dot_product_attention" && size % 32 !== 0) {
    return say("head-size", `heads of ${size} are not whole tiles`);
  }
  const config = query.config?.kind === "sdpa" ? query.config.programConfig : undefined;
  if (config !== undefined && !decode && (config.qChunkSize % 32 !== 0 || config.kChunkSize % 32 !== 0)) {
    return say("chunk", `chunks of ${config.qChunkSize} and ${config.kChunkSize} are not whole tiles`);
  }
  return undefined;
}

/** The rules of attention. */
export const ATTENTION_RULES: RulesOf<
  "sdpa" | "sdpa_fw" | "sdpa_bw" | "sdpa_decode"
> = {
  /** Rule of prefill attention: operands query, key, value, mask, page table. NULL gives DRAM interleaved. */
  sdpa: defineRule({
    strategy: { hints: "null", inputs: ["any"], exploresReshards: false },
    evaluate: (query, context) => evaluateSdpa(query, context, "prefill"),
  }),
  sdpa_fw: trainingSdpaRule("sdpa_fw"),
  sdpa_bw: trainingSdpaRule("sdpa_bw"),
  sdpa_decode: sdpaDecodeRule(),
};
