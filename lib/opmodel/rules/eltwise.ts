// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import { sameCoreRanges } from "../../layout/core_range.ts";
import { isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  DEFAULT_STRATEGY,
  defineRule,
  type OpRule,
  type RuleContext,
  type RulesOf,
} from "../rule.ts";
import { broadcastShape } from "../../layout/extents.ts";
import { sameButLeadingOnes } from "../../ops/shapes.ts";
import { reportedL1Bytes, type Tensor, tileSize } from "../tensor.ts";
import { missingOperand, operandAt } from "./program.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";

const UNARY = "tt-metal:unary";
const BINARY = "tt-metal:binary-ng";

/**
 * Tiles that are read by address may be on any cores. Shards on the same cores as the result's may be processed in
 * place, so their whole layout matters; so does that of rows, which are tiled first.
 */
function readsOfOperand(operand: TtnnLayout, hint: TtnnLayout): string | undefined {
  const { tile, dataType, bufferType } = operand;
  if (tile === undefined || operand.ignorePhysicalLayout || hint.ignorePhysicalLayout) return undefined;
  const sharded = isSharded(operand);
  if (sharded && isSharded(hint) && sameCoreRanges(operand.coreRanges, hint.coreRanges)) return undefined;
  return `${dataType} ${tile.height}x${tile.width} ${bufferType} ${sharded}`;
}

/** Rule of an element-wise op with one operand. */
function unaryRule(): OpRule {
  return defineRule({ evaluate: evaluateUnary, readsOfOperand });
}

function evaluateUnary(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
  });
  if (isRefusal(output)) return output;
  const mixes = isSharded(input.layout) !== isSharded(output.layout);
  if (mixes && !context.ruleSet.unaryMixesInterleavedAndSharded) {
    return refuseLayout(
      query.op,
      "unary/mixed-sharding",
      `${describeTensor(0, input)} and the output must both be sharded or both interleaved`,
      UNARY,
    );
  }
  return accept({ outputs: [output] }, context);
}

/** Binary ops that are several programs in a row. */
type CompositeBinary = "remainder" | "atan2" | "gelu_bw";

/** Rule of an element-wise op with two operands that broadcast. */
function binaryRule(composite?: CompositeBinary): OpRule {
  return defineRule({
    evaluate: (query, context) => evaluateBinary(query, context, composite),
    readsOfOperand,
  });
}

function evaluateBinary(
  query: ConstraintQuery,
  context: RuleContext,
  composite: CompositeBinary | undefined,
): RuleAnswer {
  const a = operandAt(query, 0);
  const b = operandAt(query, 1);

  const shape = broadcastShape([a.shape, b.shape]);
  const resultShape = query.op.results[0]?.shape;
  if (shape === undefined || resultShape === undefined || !sameButLeadingOnes(shape, resultShape)) {
    return refuseConfig(
      query.op,
      "binary/broadcast",
      `shapes ${a.shape.join("x")} and ${b.shape.join("x")} do not broadcast to ${
        resultShape?.join("x") ?? "nothing"
      }`,
      BINARY,
    );
  }
  // Rows of both operands are tiled on the way in and the result is untiled again.
  const page = a.layout.tile === undefined && b.layout.tile === undefined ? "row_major" : "tile";
  const output = placeOutput(query, context, { whenNull: nullMemoryOf(a, b, shape), page });
  if (isRefusal(output)) return output;
  if (composite !== undefined) return compositeBinary(query, context, composite, [a, b], output);
  return accept({ outputs: [output] }, context);
}

/**
 * Multi-program binary ops. `remainder` computes in f32 and ends in a `where`; `atan2` keeps sixteen full-size
 * tensors and ends in a `where`; `gelu_bw` allocates the gradient product twice (tt-mlir:op-model-tests).
 */
function compositeBinary(
  query: ConstraintQuery,
  context: RuleContext,
  composite: CompositeBinary,
  operands: readonly Tensor[],
  output: Tensor,
): RuleAnswer {
  const sharded = [...operands, output].filter((tensor) => isSharded(tensor.layout)).length;
  if (sharded % 3 !== 0 && !context.ruleSet.unaryMixesInterleavedAndSharded) {
    return refuseLayout(
      query.op,
      "unary/mixed-sharding",
      "its unary steps need operands and output all sharded or all interleaved",
      UNARY,
    );
  }
  const steps = { remainder: 6, atan2: 16, gelu_bw: 3 }[composite];
  const tile = tileSize(output.layout);
  const wide = composite === "remainder" ? Math.max(tileBytes("f32"), tile) : tile;
  const bytes = reportedL1Bytes(output, context.chip);
  return accept({ outputs: [output], tensorL1PeakBytes: steps * bytes * wide / tile }, context);
}

function evaluateTernary(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const operands: Tensor[] = [];
  for (let index = 0; index < 3; index++) {
    const operand = query.operands[index];
    if (operand === undefined) return missingOperand(query.op, index);
    if (operand.layout.tile === undefined) {
      return refuseLayout(
        query.op,
        "ternary/tile",
        `${describeTensor(index, operand)} must be tiled`,
        "tt-mlir:op-model-tests where",
      );
    }
    operands.push(operand);
  }
  const shape = broadcastShape(operands.map((operand) => operand.shape));
  const resultShape = query.op.results[0]?.shape;
  if (shape === undefined || resultShape === undefined || !sameButLeadingOnes(shape, resultShape)) {
    return refuseConfig(
      query.op,
      "ternary/broadcast",
      `shapes ${operands.map((operand) => operand.shape.join("x")).join(", ")} do not broadcast`,
      "tt-mlir:op-model-tests where",
    );
  }
  const value = operands[1];
  const whenNull = value === undefined ? undefined : nullMemoryOf(value, operands[2] ?? value, shape);
  if (whenNull === undefined) return missingOperand(query.op, 1);
  const output = placeOutput(query, context, { whenNull });
  if (isRefusal(output)) return output;
  return accept({ outputs: [output] }, context);
}

/**
 * NULL hint of an op over several operands: memory of the first operand; when that one is the smaller side of a
 * broadcast and sharded, its shards are cut anew for the larger result.
 */
function nullMemoryOf(a: Tensor, b: Tensor, shape: readonly number[]): TtnnLayout {
  if (!isSharded(a.layout) || sameButLeadingOnes(a.shape, shape)) return a.layout;
  return isSharded(b.layout) && sameButLeadingOnes(b.shape, shape) ? b.layout : a.layout;
}

/** The rules of elementwise ops. */
export const ELTWISE_RULES: RulesOf<
  | "unary"
  | "logit"
  | "composite_unary"
  | "binary"
  | "logical_binary"
  | "remainder"
  | "atan2"
  | "gelu_bw"
  | "ternary"
> = {
  unary: unaryRule(),
  logit: unaryRule(),
  composite_unary: unaryRule(),
  binary: binaryRule(),
  logical_binary: binaryRule(),
  remainder: binaryRule("remainder"),
  atan2: binaryRule("atan2"),
  gelu_bw: binaryRule("gelu_bw"),
  /** Rule of an element-wise op with three operands that broadcast (`where`, `clamp_tensor`). */
  ternary: defineRule({
    strategy: { ...DEFAULT_STRATEGY, hints: "null" },
    evaluate: evaluateTernary,
    readsOfOperand,
  }),
};
