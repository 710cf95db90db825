// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { POWER } from "../../ops/attributes/elementwise.ts";
import { WHOLE_NUMBERS } from "../../ops/operand_formats.ts";
import { isWholePower } from "../../programs/eltwise/eltwise_buffers.ts";
import { coreCount, sameCoreRanges } from "../../layout/core_range.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { broadcastShape } from "../../layout/extents.ts";
import { DEFAULT_TILE, isSharded, pagesOf, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { EltwisePart } from "../../ops/eltwise_parts.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { sameButLeadingOnes } from "../../ops/shapes.ts";
import { eltwisePartPrograms, eltwiseParts } from "../../programs/eltwise/eltwise.ts";
import { NO_PROGRAMS } from "../../programs/program.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import {
  inShards,
  type PagedTensor,
  scaledShard,
  shardMisfit,
  shardsOverDevice,
} from "../../programs/shard_spec.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  acceptOne,
  eachOrRefusal,
  isRefusal,
  type OrRefusal,
  refuse,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { lacksSpec, operandAt } from "./program.ts";

/**
 * The operand layout as eltwise kernels read it. Tiles read by address may be on any cores. Shards on the
 * result's cores may be processed in place, so their whole layout matters, as does that of row-major
 * operands, which are tilized first.
 */
function readsOfOperand(operand: TtnnLayout, hint: TtnnLayout): string | undefined {
  const { tile, dataType, bufferType } = operand;
  if (tile === undefined || operand.ignorePhysicalLayout || hint.ignorePhysicalLayout) return undefined;
  const sharded = isSharded(operand);
  if (sharded && isSharded(hint) && sameCoreRanges(operand.coreRanges, hint.coreRanges)) return undefined;
  return `${dataType} ${tile.height}x${tile.width} ${bufferType} ${sharded}`;
}

/** Refuses operand formats that the op's kernel does not support, alone or together. */
function checkFormats({ op, operands, hint }: ConstraintQuery): InvalidConstraints | undefined {
  const formats = operands.filter((operand) => operand !== undefined).map(({ layout }) => layout.dataType);
  const { family, takesFormats } = definitionOf(op.name);
  const [first] = formats;
  const result = hint?.dataType ?? op.results[0]?.dataType;
  if (first === undefined) return undefined;
  // A scalar next to one tensor has the tensor's format.
  if (takesFormats(formats.length === 1 && family === "binary" ? [first, first] : formats, result)) {
    return undefined;
  }
  const fault = formats.every((format) => format === first)
    ? `does not take ${first}${result === undefined || result === first ? "" : ` to make ${result}`}`
    : `cannot mix ${formats.join(", ")}`;
  return refuseLayout(op, "eltwise/format", fault);
}

/**
 * The memory of a sharded hint without shard spec: the hint's memory layout with the shards of another
 * layout.
 */
function ofKind({ memoryLayout, bufferType }: TtnnLayout, shards: TtnnLayout): TtnnLayout {
  return memoryLayout === undefined ? shards : { ...shards, memoryLayout, bufferType };
}

/**
 * Numbers that do not go with a tensor of whole numbers (`ttnn:backend-0-81-1`): a fraction or a negative number as
 * exponent, and bounds that are floats, which make an f32 result.
 */
function checkNumbers(
  { op }: ConstraintQuery,
  { layout: { dataType } }: Tensor,
): InvalidConstraints | undefined {
  if (!WHOLE_NUMBERS.includes(dataType)) return undefined;
  const { rhs } = readAttributes(op, POWER);
  if (rhs !== undefined && (rhs < 0 || !Number.isInteger(rhs))) {
    return refuseConfig(op, "eltwise/exponent", `${dataType} to the power of ${rhs} is no whole number`);
  }
  const isFloat = (name: string) => op.attributes.get(name)?.kind === "float";
  return isFloat("min") || isFloat("max")
    ? refuseConfig(op, "eltwise/bounds", `of ${dataType} between bounds that are floats is f32`)
    : undefined;
}

function evaluateUnary(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const input = operandAt(query, 0);
  const refusal = checkFormats(query) ?? checkNumbers(query, input);
  if (refusal !== undefined) return refusal;
  if (isWholePower(op.name, input.layout)) {
    // Its program takes tiles only, and the hint must state the shards.
    if (input.layout.tile === undefined) return refuseOperand(op, "eltwise/tile", 0, input, "must be tiled");
    if (lacksSpec(hint)) return refuseLayout(op, "eltwise/no-spec", "a sharded result needs its shards");
  }
  const output = placeOutput(query, context, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
    // The input's shards for any requested sharding; they may not fit.
    withoutSpec: (hint, tensor) =>
      isSharded(input.layout) ? ofKind(hint, input.layout) : shardsOverDevice(context.chip, tensor, hint),
  });
  if (isRefusal(output)) return output;
  const isLine = input.shape.length < 2 && input.layout.tile === undefined;
  return isLine && isSharded(input.layout) && isSharded(output.layout)
    ? refuseOperand(op, "eltwise/line", 0, input, "needs two dimensions to go from shards to shards in rows")
    : accept({ outputs: [output] }, context);
}

/** Rule of `dropout`, whose kernel copies tile by tile from and to one kind of memory. */
function evaluateDropout(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = operandAt(query, 0);
  const refusal = checkFormats(query);
  if (refusal !== undefined) return refusal;
  const output = placeOutput(query, context, { whenNull: input.layout, page: pagesOf(input.layout) });
  if (isRefusal(output)) return output;
  return input.layout.memoryLayout === output.layout.memoryLayout
    ? accept({ outputs: [output] }, context)
    : refuseOperand(query.op, "dropout/sharding", 0, input, "and the output must be sharded alike");
}

/** The operand in tiles; a row-major operand is tilized in its memory if its shards are whole tiles. */
function inTiles(query: ConstraintQuery, index: number, tensor: Tensor): OrRefusal<Tensor> {
  if (tensor.layout.tile !== undefined) return tensor;
  const { dataType } = tensor.layout;
  const layout = isSharded(tensor.layout)
    ? inShards(tensor.layout, { dataType, tile: DEFAULT_TILE })
    : { ...tensor.layout, tile: DEFAULT_TILE };
  const misfit = isSharded(layout) ? shardMisfit(layout, tensor.shape, DEFAULT_TILE) : undefined;
  return misfit === undefined
    ? { ...tensor, layout }
    : refuseOperand(query.op, "eltwise/tilize", index, tensor, `cannot be tilized: ${misfit}`);
}

/** Least height and width of a shard after scaling, in elements. */
const LEAST_SHARD = 32;

/** The shards of a tensor scaled to a larger shape. */
function scaledTo(tensor: Tensor, shape: readonly number[]): TtnnLayout {
  const [rows, columns] = scaledShard(tensor, shape)
    .map((extent) => Math.max(Math.floor(extent), LEAST_SHARD));
  return inShards(tensor.layout, tensor.layout, [rows ?? LEAST_SHARD, columns ?? LEAST_SHARD]);
}

function coresOf({ layout }: Tensor): number {
  return coreCount(layout.coreRanges);
}

/**
 * Memory of a binary op's result without hint (`ttnn:backend-0-81-1`): that of operand a, with shards scaled
 * to the result; that of b if only b is sharded and a is in DRAM, or if both are sharded and b has more
 * cores.
 */
function binaryMemory(a: Tensor, b: Tensor, shape: readonly number[]): TtnnLayout {
  const takesB = isSharded(b.layout) &&
    (isSharded(a.layout) ? coresOf(b) > coresOf(a) : a.layout.bufferType === "dram");
  const from = takesB ? b : a;
  return isSharded(from.layout) ? scaledTo(from, shape) : from.layout;
}

/** Memory of a binary op's result for a sharded hint without spec: that of its first sharded operand, scaled. */
function binaryWithoutSpec(
  context: RuleContext,
  operands: readonly Tensor[],
  tensor: PagedTensor,
  hint: TtnnLayout,
): TtnnLayout {
  const sharded = operands.find(({ layout }) => isSharded(layout));
  return sharded === undefined
    ? shardsOverDevice(context.chip, { ...tensor, tile: DEFAULT_TILE }, hint)
    : scaledTo(sharded, tensor.shape);
}

/** The broadcast shape of the operands; a refusal if it is not the result's. */
function checkBroadcast(
  { op }: ConstraintQuery,
  operands: readonly Tensor[],
): OrRefusal<readonly number[]> {
  const shape = broadcastShape(operands.map((operand) => operand.shape));
  const result = op.results[0]?.shape;
  if (shape !== undefined && result !== undefined && sameButLeadingOnes(shape, result)) return shape;
  const shapes = operands.map((operand) => operand.shape.join("x")).join(", ");
  const fault = `shapes ${shapes} do not broadcast to ${result?.join("x") ?? "nothing"}`;
  return refuseConfig(op, "eltwise/broadcast", fault);
}

function evaluateBinary(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const given = query.operands.filter((operand) => operand !== undefined);
  const operands = eachOrRefusal(given, (operand, index) => inTiles(query, index, operand));
  if (isRefusal(operands)) return operands;
  const [a, b] = operands;
  if (a === undefined) return accept({ outputs: [] }, context);
  const refusal = checkFormats(query);
  if (refusal !== undefined) return refusal;
  const shape = checkBroadcast(query, given);
  if (isRefusal(shape)) return shape;
  // A row-major result is untilized, or written row-major by a program that treats it as tiles.
  const output = placeOutput(query, context, {
    whenNull: b === undefined ? a.layout : binaryMemory(a, b, shape),
    nullShards: "kept",
    page: given.every(({ layout }) => layout.tile === undefined) ? "row_major" : "tile",
    withoutSpec: (hint, tensor) => {
      const shards = binaryWithoutSpec(context, operands, tensor, hint);
      // With a scalar operand, the requested sharding applies, as in a unary op.
      return b === undefined ? ofKind(hint, shards) : shards;
    },
  });
  return acceptOne(output, context);
}

/** Rule of `gelu_bw`, whose kernel takes a gradient and an input of one shape (`ttnn:backend-0-81-1`). */
function evaluateGradient(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const [gradient, input] = [operandAt(query, 0), operandAt(query, 1)];
  if (!sameButLeadingOnes(gradient.shape, input.shape)) {
    return refuseConfig(query.op, "gelu_bw/shapes", "gradient and input must have one shape");
  }
  const refusal = checkFormats(query);
  if (refusal !== undefined) return refusal;
  const output = placeOutput(query, context, { whenNull: input.layout });
  return acceptOne(output, context);
}

function evaluateTernary(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const operands = query.operands.filter((operand) => operand !== undefined);
  const first = operandAt(query, 0);
  // Bounds that are numbers.
  if (operands.length === 1) return evaluateUnary(query, context);
  for (const [index, operand] of operands.entries()) {
    if (operand.layout.tile !== undefined) continue;
    // The backend checks only an interleaved first operand; it reads other row-major operands as if they were
    // tiled.
    const rule = index === 0 && !isSharded(operand.layout) ? "ternary/tile" : "ternary/rows";
    return refuseOperand(query.op, rule, index, operand, "must be tiled");
  }
  const refusal = checkFormats(query) ?? checkDivision(query, operands);
  if (refusal !== undefined) return refusal;
  const shape = checkBroadcast(query, operands);
  if (isRefusal(shape)) return shape;
  const asPrograms = operands.map(asProgramTensor);
  const parts = eltwiseParts(query.op.name, asPrograms);
  if (parts !== undefined) return evaluateParts(query, context, parts, operands);
  const output = placeOutput(query, context, {
    whenNull: query.op.name === "ttnn.lerp" ? first.layout : ternaryMemory(operands, shape),
    nullShards: "kept",
    withoutSpec: (hint, tensor) => {
      const sharded = operands.find(({ layout }) => isSharded(layout));
      return sharded === undefined
        ? shardsOverDevice(context.chip, tensor, hint)
        : ofKind(hint, scaledTo(sharded, shape));
    },
  });
  return acceptOne(output, context);
}

/** A composite op: each step is placed like a binary op of its own, or all in one memory. */
function evaluateParts(
  query: ConstraintQuery,
  context: RuleContext,
  parts: readonly EltwisePart[],
  operands: readonly Tensor[],
): RuleAnswer {
  const [first] = operands;
  const wanted = query.hint ??
    (definitionOf(query.op.name).parts?.inOneMemory === true ? first?.layout : undefined);
  const made: Tensor[] = [];
  for (const part of parts) {
    const read = part.operands.map((operand) =>
      operand.from === "number" ? undefined : (operand.from === "part" ? made : operands)[operand.index]
    ).filter((tensor) => tensor !== undefined);
    const [a, b] = read;
    const shape = broadcastShape(read.map((tensor) => tensor.shape));
    if (a === undefined || shape === undefined) {
      return refuseConfig(query.op, "eltwise/broadcast", "the parts do not broadcast");
    }
    const tensor = { shape, dataType: a.layout.dataType, tile: DEFAULT_TILE };
    const memory = wanted === undefined
      ? b === undefined ? a.layout : binaryMemory(a, b, shape)
      : isSharded(wanted) && wanted.ignorePhysicalLayout
      ? binaryWithoutSpec(context, read, tensor, wanted)
      : wanted;
    const placed = placeIn(query.op, context, tensor, memory);
    if (isRefusal(placed)) return placed;
    made.push(placed);
  }
  const output = made.at(-1);
  const intermediates = made.slice(0, -1).map(asProgramTensor);
  return accept({
    outputs: [output],
    launched: () =>
      output === undefined ? NO_PROGRAMS : eltwisePartPrograms(
        parts,
        operands.map(asProgramTensor),
        asProgramTensor(output),
        intermediates,
        context,
      ),
  }, context);
}

/**
 * Memory of a ternary op's result without hint (`ttnn:backend-0-81-1`): the shards of the operand with the
 * most cores, scaled to the result; that of the first operand if none is sharded.
 */
function ternaryMemory(operands: readonly Tensor[], shape: readonly number[]): TtnnLayout {
  const [first] = operands;
  const sharded = operands.filter(({ layout }) => isSharded(layout));
  const most = sharded.reduce<Tensor | undefined>(
    (best, operand) => best === undefined || coresOf(operand) > coresOf(best) ? operand : best,
    undefined,
  );
  if (first === undefined) return DRAM_INTERLEAVED;
  return most === undefined ? first.layout : scaledTo(most, shape);
}

/** A block-float division runs in nine programs, which are not modelled. */
function checkDivision({ op }: ConstraintQuery, operands: readonly Tensor[]): InvalidConstraints | undefined {
  return op.name === "ttnn.addcdiv" && operands.some(({ layout }) => isBlockFloat(layout.dataType))
    ? refuse("not_implemented", "ternary/parts", `${op.name} of block floats runs in parts`)
    : undefined;
}

const UNARY = defineRule({ evaluate: evaluateUnary, readsOfOperand });

export const ELTWISE_RULES: RulesOf<"unary" | "logit" | "dropout" | "binary" | "gelu_bw" | "ternary"> = {
  unary: UNARY,
  logit: UNARY,
  dropout: defineRule({ evaluate: evaluateDropout }),
  binary: defineRule({ evaluate: evaluateBinary, readsOfOperand }),
  gelu_bw: defineRule({ evaluate: evaluateGradient, readsOfOperand }),
  ternary: defineRule({ strategy: { hints: "null" }, evaluate: evaluateTernary, readsOfOperand }),
};
