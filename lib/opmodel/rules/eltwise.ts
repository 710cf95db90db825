// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { OpConstraints, OpSignature } from "../op_model.ts";
import { placeOutput } from "../place_output.ts";
import {
  type ConstraintQuery,
  DEFAULT_STRATEGY,
  defineRule,
  type OpRule,
  type RuleContext,
} from "../rule.ts";
import { splitWorkToCores } from "../split_work.ts";
import { holdingCores, pages, reportedL1Bytes, type Tensor, tileSize, tileVolume } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse } from "../verdict.ts";

const UNARY = "specs 03 §B1 unary";
const BINARY = "specs 03 §B1 binary_ng";

/** Extra circular-buffer tiles of a unary op, by name (specs 03 §B1: logit keeps two more input tiles). */
interface UnaryTraits {
  /** Tiles of the input format beside two in and two out. */
  readonly extraInputTiles?: number;
  /** Several programs in a row: circular buffers are those of a binary step, mixes are never native. */
  readonly composite?: boolean;
}

/** Rule of an element-wise op with one operand. */
export function unaryRule(traits: UnaryTraits = {}): OpRule {
  return defineRule({
    costClass: "eltwise_unary",
    evaluate: (query, context) => evaluateUnary(query, context, traits),
  });
}

function evaluateUnary(query: ConstraintQuery, context: RuleContext, traits: UnaryTraits): OpConstraints {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: input.layout.tile === undefined ? "row_major" : "tile",
  });
  if (isRefusal(output)) return output;
  const mixes = isSharded(input.layout) !== isSharded(output.layout);
  if (mixes && !context.ruleSet.unaryMixesInterleavedAndSharded) {
    return refuse(
      "unsupported_layout",
      "unary/mixed-sharding",
      `${query.op.name}: ${describeTensor(0, input)} and the output must both be sharded or both interleaved`,
      UNARY,
    );
  }
  const inputPage = circularBufferPage(input);
  const outputPage = circularBufferPage(output);
  const native = !traits.composite && runsOnShards(input, output);
  const cbBytes = native
    ? 0
    : traits.composite
    ? 4 * inputPage + 2 * outputPage
    : (2 + (traits.extraInputTiles ?? 0)) * inputPage + 2 * outputPage;
  return accept({ outputs: [output], cbBytes, cores: programCores(native, output, context) }, context);
}

/** How a binary op differs from a plain one. */
interface BinaryTraits {
  /** Each operand passes through a pre-activation (logical ops), which keeps one tile of it. */
  readonly preActivations?: boolean;
  readonly composite?: "remainder" | "atan2" | "gelu_bw";
}

/** Rule of an element-wise op with two operands that broadcast. */
export function binaryRule(traits: BinaryTraits = {}): OpRule {
  return defineRule({
    costClass: "eltwise_binary",
    roles: ["activation", "activation"],
    minOperands: 2,
    evaluate: (query, context) => evaluateBinary(query, context, traits),
  });
}

function evaluateBinary(query: ConstraintQuery, context: RuleContext, traits: BinaryTraits): OpConstraints {
  const a = query.operands[0];
  const b = query.operands[1];
  if (a === undefined) return missingOperand(query.op, 0);
  if (b === undefined) return missingOperand(query.op, 1);
  for (const [index, operand] of [a, b].entries()) {
    if (operand.layout.tile === undefined) {
      return refuse(
        "unsupported_layout",
        "binary/tile",
        `${query.op.name}: ${describeTensor(index, operand)} must be tiled`,
        BINARY,
      );
    }
  }
  const shape = broadcastShape([a.shape, b.shape]);
  const resultShape = query.op.results[0]?.shape;
  if (shape === undefined || resultShape === undefined || !sameExtents(shape, resultShape)) {
    return refuse(
      "unsupported_config",
      "binary/broadcast",
      `${query.op.name}: shapes ${a.shape.join("x")} and ${b.shape.join("x")} do not broadcast to ${
        resultShape?.join("x") ?? "nothing"
      }`,
      BINARY,
    );
  }
  const output = placeOutput(query, context, { whenNull: nullMemoryOf(a, b, shape) });
  if (isRefusal(output)) return output;
  if (traits.composite !== undefined) return compositeBinary(query, context, traits.composite, a, b, output);
  const native = binaryRunsOnShards(a, b, output);
  const ta = tileSize(a.layout);
  const tb = tileSize(b.layout);
  const to = tileSize(output.layout);
  let cbBytes = 2 * ta + 2 * tb + 2 * to;
  if (native) cbBytes = (isSharded(a.layout) ? 0 : 2 * ta) + (isSharded(b.layout) ? 0 : 2 * tb);
  if (traits.preActivations) cbBytes += ta + tb;
  return accept({ outputs: [output], cbBytes, cores: programCores(native, output, context) }, context);
}

/**
 * Multi-program binary ops. `remainder` computes in f32 and ends in a `where`; `atan2` keeps sixteen full-size
 * tensors and ends in a `where`; `gelu_bw` allocates the gradient product twice (specs 03 §B1 and §C rows).
 */
function compositeBinary(
  query: ConstraintQuery,
  context: RuleContext,
  composite: "remainder" | "atan2" | "gelu_bw",
  a: Tensor,
  b: Tensor,
  output: Tensor,
): OpConstraints {
  const sharded = [a, b, output].filter((tensor) => isSharded(tensor.layout)).length;
  if (sharded % 3 !== 0 && !context.ruleSet.unaryMixesInterleavedAndSharded) {
    return refuse(
      "unsupported_layout",
      "unary/mixed-sharding",
      `${query.op.name}: its unary steps need operands and output all sharded or all interleaved`,
      UNARY,
    );
  }
  const steps = { remainder: 6, atan2: 16, gelu_bw: 3 }[composite];
  const to = tileSize(output.layout);
  const wide = composite === "remainder" ? Math.max(4096, to) : to;
  const bytes = reportedL1Bytes(output.shape, output.layout, context.chip);
  const scaled = bytes * wide / to;
  return accept({
    outputs: [output],
    cbBytes: composite === "gelu_bw" ? 6 * to : 8 * wide,
    tensorL1PeakBytes: steps * scaled,
    cores: programCores(false, output, context),
  }, context);
}

/** Rule of an element-wise op with three operands that broadcast (`where`, `clamp_tensor`). */
export function ternaryRule(): OpRule {
  return defineRule({
    costClass: "eltwise_ternary",
    roles: ["activation", "activation", "activation"],
    minOperands: 3,
    strategy: { ...DEFAULT_STRATEGY, hints: "null" },
    evaluate: evaluateTernary,
  });
}

function evaluateTernary(query: ConstraintQuery, context: RuleContext): OpConstraints {
  const operands: Tensor[] = [];
  for (let index = 0; index < 3; index++) {
    const operand = query.operands[index];
    if (operand === undefined) return missingOperand(query.op, index);
    if (operand.layout.tile === undefined) {
      return refuse(
        "unsupported_layout",
        "ternary/tile",
        `${query.op.name}: ${describeTensor(index, operand)} must be tiled`,
        "specs 03 §B1 where",
      );
    }
    operands.push(operand);
  }
  const shape = broadcastShape(operands.map((operand) => operand.shape));
  const resultShape = query.op.results[0]?.shape;
  if (shape === undefined || resultShape === undefined || !sameExtents(shape, resultShape)) {
    return refuse(
      "unsupported_config",
      "ternary/broadcast",
      `${query.op.name}: shapes ${
        operands.map((operand) => operand.shape.join("x")).join(", ")
      } do not broadcast`,
      "specs 03 §B1 where",
    );
  }
  const value = operands[1];
  const whenNull = value === undefined ? undefined : nullMemoryOf(value, operands[2] ?? value, shape);
  if (whenNull === undefined) return missingOperand(query.op, 1);
  const output = placeOutput(query, context, { whenNull });
  if (isRefusal(output)) return output;
  let cbBytes = 2 * tileSize(output.layout);
  for (const operand of operands) cbBytes += 2 * tileSize(operand.layout);
  return accept({ outputs: [output], cbBytes, cores: programCores(false, output, context) }, context);
}

/** Refusal for an operand that the op needs and does not have. */
export function missingOperand(op: OpSignature, index: number): OpConstraints {
  return refuse(
    "unsupported_config",
    "operand/missing",
    `${op.name} needs a tensor as operand ${index}`,
    "op definition (ttnn dialect)",
  );
}

/**
 * NULL hint of an op over several operands: memory of the first operand; when that one is the smaller side of a
 * broadcast and sharded, its shards are cut anew for the larger result.
 */
function nullMemoryOf(a: Tensor, b: Tensor, shape: readonly number[]): TtnnLayout {
  if (!isSharded(a.layout) || sameExtents(a.shape, shape)) return a.layout;
  return isSharded(b.layout) && sameExtents(b.shape, shape) ? b.layout : a.layout;
}

/** Bytes of one page of a circular buffer that streams a tensor. */
export function circularBufferPage(tensor: Tensor): number {
  return tensor.layout.tile === undefined
    ? pages(tensor.shape, tensor.layout).bytes
    : tileSize(tensor.layout);
}

/** Cores of a program: the shard grid when it runs on shards, else output tiles split over the worker grid. */
export function programCores(native: boolean, output: Tensor, context: RuleContext): number {
  if (native) return holdingCores(output.layout, context.chip);
  return splitWorkToCores(context.cores, Math.max(1, tileVolume(output.shape))).cores;
}

/** Whether every shard holds the same number of pages. */
export function hasEvenShards(tensor: Tensor): boolean {
  const { layout, shape } = tensor;
  const [shardRows, shardColumns] = layout.shardShape;
  const [gridRows, gridColumns] = layout.gridShape;
  if (
    shardRows === undefined || shardColumns === undefined || gridRows === undefined ||
    gridColumns === undefined
  ) return false;
  const page = pages(shape, layout).count;
  const unitsPerPage = layout.tile === undefined ? shardColumns : 1;
  return shardRows * shardColumns * gridRows * gridColumns === page * unitsPerPage;
}

/** Whether a unary program reads and writes shards in place: both in L1, same shard grid, even shards. */
export function runsOnShards(input: Tensor, output: Tensor): boolean {
  return isL1Sharded(input) && isL1Sharded(output) && sameShardGrid(input.layout, output.layout) &&
    hasEvenShards(input) && hasEvenShards(output);
}

/** Whether a layout is sharded in L1. */
export function isL1Sharded(tensor: Tensor): boolean {
  return tensor.layout.bufferType === "l1" && isSharded(tensor.layout);
}

/** Whether two layouts place their shards alike: same sharding, same grid, same cores. */
export function sameShardGrid(a: TtnnLayout, b: TtnnLayout): boolean {
  if (a.memoryLayout !== b.memoryLayout || a.gridShape.join("x") !== b.gridShape.join("x")) return false;
  if (a.coreRanges.length !== b.coreRanges.length) return false;
  return a.coreRanges.every((range, index) => {
    const other = b.coreRanges[index];
    return other !== undefined && range.start.x === other.start.x && range.start.y === other.start.y &&
      range.end.x === other.end.x && range.end.y === other.end.y;
  });
}

function binaryRunsOnShards(a: Tensor, b: Tensor, output: Tensor): boolean {
  return sameExtents(a.shape, b.shape) && runsOnShards(a, output) && runsOnShards(b, output);
}

/** Shape that all shapes broadcast to, aligned at the last dimension; `undefined` when they do not. */
export function broadcastShape(shapes: readonly (readonly number[])[]): readonly number[] | undefined {
  const rank = shapes.reduce((most, shape) => Math.max(most, shape.length), 0);
  const result: number[] = new Array<number>(rank).fill(1);
  for (const shape of shapes) {
    const offset = rank - shape.length;
    for (let dim = 0; dim < shape.length; dim++) {
      const extent = shape[dim] ?? 1;
      const known = result[offset + dim] ?? 1;
      if (extent !== 1 && known !== 1 && extent !== known) return undefined;
      if (extent !== 1) result[offset + dim] = extent;
    }
  }
  return result;
}

/** Whether two shapes are equal but for leading ones. */
export function sameExtents(a: readonly number[], b: readonly number[]): boolean {
  const rank = Math.max(a.length, b.length);
  for (let fromEnd = 1; fromEnd <= rank; fromEnd++) {
    if ((a[a.length - fromEnd] ?? 1) !== (b[b.length - fromEnd] ?? 1)) return false;
  }
  return true;
}
