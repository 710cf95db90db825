// SPDX-License-Identifier: Apache-2.0
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { MESH_SHARD } from "../../ops/attributes/collective.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { isPreparingOp } from "../../ops/preparing_ops.ts";
import { convolutionConfigOf } from "../../programs/conv/convolution.ts";
import { intern, respread } from "../place_output.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { Tensor } from "../tensor.ts";
import { isBiasShape } from "./conv2d.ts";
import { describeOperand, refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";

/**
 * Rule of an op that runs as in the input: the result has the hint's layout; circular buffers are unknown.
 * Used for undescribed ops and for ops that no policy moves (CCL, host transfers, traces). Interleaved
 * operands may be in any memory; sharded operands only as in the input, because their handling is unknown.
 */
const FIXED_RULE = defineRule({
  strategy: { hints: "null", inputs: ["not_sharded"], exploresReshards: false },
  evaluate: asTheInputHasIt,
});

function asTheInputHasIt(query: ConstraintQuery): Verdict {
  const { hint, hintId, op } = query;
  const { inPlaceOperand = -1, gathersOnOneCore } = definitionOf(op.name);
  checkPreparing(query);
  checkConfiguredShards(query);
  checkIdentity(query);
  const written = query.operands[inPlaceOperand];
  if (written !== undefined && hintId !== undefined && written.layoutId !== hintId) {
    const fault = "the result is the tensor that it writes, which lies elsewhere";
    refuseLayout(query, "collective/in-place", fault, "tt-metal:point-to-point");
  }
  const outputs = op.results.map((result, index): Tensor | undefined => {
    if (result === undefined || hint === undefined) return undefined;
    const { shape } = result;
    if (index === 0 && hintId !== undefined) return { shape, layout: hint, layoutId: hintId };
    if (gathersOnOneCore) return intern(query, shape, onFirstCore(result, query));
    return isSharded(hint) ? undefined : intern(query, shape, respread(hint, { ...result, tile: hint.tile }));
  });
  return { outputs };
}

function onFirstCore({ shape, dataType }: TensorShape, { chip }: ConstraintQuery): TtnnLayout {
  const memory = { bufferType: "l1", memoryLayout: "height_sharded", grid: [1, 1] } as const;
  return makeLayout({ shape, dataType, tile: null, ...memory }, chip.workerGrid);
}

/**
 * A bias is prepared in the format of the weights, which the conv2d config has to state
 * (`ttnn:backend-0-81-1`).
 */
function checkPreparing(query: ConstraintQuery): void {
  const { op, operands: [bias], config } = query;
  if (!isPreparingOp(op.name) || !op.name.endsWith("_bias")) return;
  if (bias !== undefined && !isBiasShape(bias.shape)) {
    refuseConfig(query, "prepare/bias-shape", `takes a bias of 1x1x1xN, not of ${bias.shape.join("x")}`);
  }
  if (convolutionConfigOf(config).weightsDtype === undefined) {
    refuseConfig(query, "prepare/weights-dtype", "needs the weights_dtype in its conv2d_config");
  }
}

/** A program config of a norm is one for shards, of which it reads the spec (`ttnn:backend-0-81-1`). */
function checkConfiguredShards(query: ConstraintQuery): void {
  const { operands: [input], config } = query;
  const isForShards = config?.kind === "norm" && config.programConfig !== undefined;
  if (isForShards && input !== undefined && !isSharded(input.layout)) {
    refuseOperand(query, 0, "norm/shards", "must be sharded as its program_config says");
  }
}

/** A `mesh_shard` of type identity returns its operand, so that its result has the operand's pages, format and memory. */
function checkIdentity(query: ConstraintQuery): void {
  const { op, operands: [input], hint } = query;
  if (op.name !== "ttnn.mesh_shard" || readAttributes(op, MESH_SHARD).shard_type !== "identity") return;
  if (input === undefined || hint === undefined) return;
  const { layout } = input;
  const isKept = pagesOf(layout) === pagesOf(hint) && layout.dataType === hint.dataType &&
    layout.bufferType === hint.bufferType && layout.memoryLayout === hint.memoryLayout;
  if (isKept) return;
  refuseLayout(
    query,
    "mesh-shard/identity",
    `of type identity returns its operand: its result has the pages, format and memory of ${
      describeOperand(query, 0)
    }; a to_layout or to_memory_config behind it changes them`,
    "tt-mlir:mesh-shard",
  );
}

export const OPAQUE_RULES: RulesOf<"fixed" | "opaque"> = { fixed: FIXED_RULE, opaque: FIXED_RULE };
