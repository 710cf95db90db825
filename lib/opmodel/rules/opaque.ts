// SPDX-License-Identifier: Apache-2.0
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext, type RulesOf } from "../rule.ts";
import { MESH_SHARD } from "../../ops/attributes/collective.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { isPreparingOp } from "../../ops/preparing_ops.ts";
import { convolutionConfigOf } from "../../programs/conv/convolution.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { intern, respread } from "../place_output.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { Tensor } from "../tensor.ts";
import { isBiasShape } from "./conv2d.ts";
import { accept, describeTensor, refuse, refuseConfig, refuseLayout, type RuleAnswer } from "../verdict.ts";

/**
 * Rule of an op that runs as in the input: the result has the hint's layout; circular buffers are unknown.
 * Used for undescribed ops and for ops that no policy moves (CCL, host transfers, traces). Interleaved
 * operands may be in any memory; sharded operands only as in the input, because their handling is unknown.
 */
function fixedRule(): OpRule {
  return defineRule({
    strategy: { hints: "null", inputs: ["not_sharded"], exploresReshards: false },
    evaluate: asTheInputHasIt,
  });
}

function asTheInputHasIt(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { hint, op } = query;
  const fault = preparingFault(query) ?? shardsFault(query) ?? identityFault(query);
  if (fault !== undefined) return fault;
  const written = query.operands[definitionOf(op.name).inPlaceOperand ?? -1];
  if (written !== undefined && query.hintId !== undefined && written.layoutId !== query.hintId) {
    return refuse(
      "unsupported_layout",
      "collective/in-place",
      `${op.name}: the result is the tensor that it writes, which lies elsewhere`,
      "tt-metal:point-to-point",
    );
  }
  const outputs = op.results.map((result, index): Tensor | undefined => {
    if (result === undefined || hint === undefined) return undefined;
    if (index === 0 && query.hintId !== undefined) {
      return { shape: result.shape, layout: hint, layoutId: query.hintId };
    }
    if (definitionOf(op.name).gathersOnOneCore) {
      return intern(result.shape, onFirstCore(result, context), context);
    }
    if (isSharded(hint)) return undefined;
    return intern(result.shape, respread(hint, { ...result, tile: hint.tile }), context);
  });
  return accept({ outputs }, context);
}

function onFirstCore({ shape, dataType }: TensorShape, { chip }: RuleContext): TtnnLayout {
  return makeLayout(
    {
      shape,
      dataType,
      tile: null,
      bufferType: "l1",
      memoryLayout: "height_sharded",
      grid: [1, 1],
    },
    chip.workerGrid,
  );
}

/**
 * A bias is prepared in the format of the weights, which the conv2d config has to state
 * (`ttnn:backend-0-81-1`).
 */
function preparingFault({ op, operands: [bias], config }: ConstraintQuery): InvalidConstraints | undefined {
  if (!isPreparingOp(op.name) || !op.name.endsWith("_bias")) return undefined;
  if (bias !== undefined && !isBiasShape(bias.shape)) {
    return refuseConfig(op, "prepare/bias-shape", `takes a bias of 1x1x1xN, not of ${bias.shape.join("x")}`);
  }
  return convolutionConfigOf(config).weightsDtype === undefined
    ? refuseConfig(op, "prepare/weights-dtype", "needs the weights_dtype in its conv2d_config")
    : undefined;
}

/** A program config of a norm is one for shards, of which it reads the spec (`ttnn:backend-0-81-1`). */
function shardsFault({ op, operands: [input], config }: ConstraintQuery): InvalidConstraints | undefined {
  return config?.kind === "norm" && config.programConfig !== undefined && input !== undefined &&
      !isSharded(input.layout)
    ? refuseLayout(
      op,
      "norm/shards",
      `${describeTensor(0, input)} must be sharded as its program_config says`,
    )
    : undefined;
}

/** A `mesh_shard` of type identity returns its operand, so that its result has the operand's pages, format and memory. */
function identityFault({ op, operands: [input], hint }: ConstraintQuery): InvalidConstraints | undefined {
  if (op.name !== "ttnn.mesh_shard" || readAttributes(op, MESH_SHARD).shard_type !== "identity") {
    return undefined;
  }
  if (input === undefined || hint === undefined) return undefined;
  const { layout } = input;
  const isKept = pagesOf(layout) === pagesOf(hint) && layout.dataType === hint.dataType &&
    layout.bufferType === hint.bufferType && layout.memoryLayout === hint.memoryLayout;
  return isKept ? undefined : refuseLayout(
    op,
    "mesh-shard/identity",
    `of type identity returns its operand: its result has the pages, format and memory of ${
      describeTensor(0, input)
    }; a to_layout or to_memory_config behind it changes them`,
    "tt-mlir:mesh-shard",
  );
}

export const OPAQUE_RULES: RulesOf<"fixed" | "opaque"> = {
  fixed: fixedRule(),
  opaque: fixedRule(),
};
