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
import { DRAM_INTERLEAVED, placeIn, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import {
  inShards,
  type PagedTensor,
  scaledShard,
  shardMisfit,
  shardsOverDevice,
} from "../../programs/shard_spec.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand, refuseUnmodelled, type Verdict } from "../verdict.ts";
import { demand, lacksSpec, operandAt } from "./program.ts";

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
function checkFormats(query: ConstraintQuery): void {
  const { op, operands, hint } = query;
  const formats = operands.filter((operand) => operand !== undefined).map(({ layout }) => layout.dataType);
  const { family, takesFormats } = definitionOf(op.name);
  const [first] = formats;
  const result = hint?.dataType ?? op.results[0]?.dataType;
  if (first === undefined) return;
  // A scalar next to one tensor has the tensor's format.
  if (takesFormats(formats.length === 1 && family === "binary" ? [first, first] : formats, result)) return;
  const fault = formats.every((format) => format === first)
    ? `does not take ${first}${result === undefined || result === first ? "" : ` to make ${result}`}`
    : `cannot mix ${formats.join(", ")}`;
  refuseLayout(query, "eltwise/format", fault);
}

/**
 * The memory of a sharded hint without shard spec: the hint's memory layout with the shards of another
 * layout.
 */
function ofKind({ memoryLayout, bufferType }: TtnnLayout, shards: TtnnLayout): TtnnLayout {
  return memoryLayout === undefined ? shards : { ...shards, memoryLayout, bufferType };
}

/**
 * Refuses numbers that do not go with a tensor of whole numbers (`ttnn:backend-0-81-1`): a fraction or a negative
 * number as exponent, and bounds that are floats, which make an f32 result.
 */
function checkNumbers(query: ConstraintQuery, { layout: { dataType } }: Tensor): void {
  if (!WHOLE_NUMBERS.includes(dataType)) return;
  const isFloat = (name: string) => query.op.attributes.get(name)?.kind === "float";
  const { rhs } = readAttributes(query.op, POWER);
  if (rhs !== undefined && (rhs < 0 || !Number.isInteger(rhs))) {
    refuseConfig(query, "eltwise/exponent", `${dataType} to the power of ${rhs} is no whole number`);
  }
  if (isFloat("min") || isFloat("max")) {
    refuseConfig(query, "eltwise/bounds", `of ${dataType} between bounds that are floats is f32`);
  }
}

function evaluateUnary(query: ConstraintQuery): Verdict {
  const { op, hint, chip } = query;
  const input = operandAt(query, 0);
  checkFormats(query);
  checkNumbers(query, input);
  if (isWholePower(op.name, input.layout)) {
    // Its program takes tiles only, and the hint must state the shards.
    demand(query, 0, "tiled", "eltwise/tile");
    if (lacksSpec(hint)) refuseLayout(query, "eltwise/no-spec", "a sharded result needs its shards");
  }
  const output = placeOutput(query, {
    whenNull: input.layout,
    page: pagesOf(input.layout),
    // The input's shards for any requested sharding; they may not fit.
    withoutSpec: (hint, tensor) =>
      isSharded(input.layout) ? ofKind(hint, input.layout) : shardsOverDevice(chip, tensor, hint),
  });
  const isLine = input.shape.length < 2 && input.layout.tile === undefined;
  if (isLine && isSharded(input.layout) && isSharded(output.layout)) {
    refuseOperand(query, 0, "eltwise/line", "needs two dimensions to go from shards to shards in rows");
  }
  return { outputs: [output] };
}

/** Rule of `dropout`, whose kernel copies tile by tile from and to one kind of memory. */
function evaluateDropout(query: ConstraintQuery): Verdict {
  const { layout } = operandAt(query, 0);
  checkFormats(query);
  const output = placeOutput(query, { whenNull: layout, page: pagesOf(layout) });
  if (layout.memoryLayout !== output.layout.memoryLayout) {
    refuseOperand(query, 0, "dropout/sharding", "and the output must be sharded alike");
  }
  return { outputs: [output] };
}

/** The operand in tiles; a row-major operand is tilized in its memory if its shards are whole tiles. */
function inTiles(query: ConstraintQuery, index: number, tensor: Tensor): Tensor {
  if (tensor.layout.tile !== undefined) return tensor;
  const { dataType } = tensor.layout;
  const layout = isSharded(tensor.layout)
    ? inShards(tensor.layout, { dataType, tile: DEFAULT_TILE })
    : { ...tensor.layout, tile: DEFAULT_TILE };
  const misfit = isSharded(layout) ? shardMisfit(layout, tensor.shape, DEFAULT_TILE) : undefined;
  if (misfit !== undefined) refuseOperand(query, index, "eltwise/tilize", `cannot be tilized: ${misfit}`);
  return { ...tensor, layout };
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
  { chip }: ConstraintQuery,
  operands: readonly Tensor[],
  tensor: PagedTensor,
  hint: TtnnLayout,
): TtnnLayout {
  const sharded = operands.find(({ layout }) => isSharded(layout));
  return sharded === undefined
    ? shardsOverDevice(chip, { ...tensor, tile: DEFAULT_TILE }, hint)
    : scaledTo(sharded, tensor.shape);
}

/** The broadcast shape of the operands. Refuses one that is not the result's. */
function broadcastOf(query: ConstraintQuery, operands: readonly Tensor[]): readonly number[] {
  const shape = broadcastShape(operands.map((operand) => operand.shape));
  const result = query.op.results[0]?.shape;
  if (shape !== undefined && result !== undefined && sameButLeadingOnes(shape, result)) return shape;
  const shapes = operands.map((operand) => operand.shape.join("x")).join(", ");
  const fault = `shapes ${shapes} do not broadcast to ${result?.join("x") ?? "nothing"}`;
  refuseConfig(query, "eltwise/broadcast", fault);
}

function evaluateBinary(query: ConstraintQuery): Verdict {
  const given = query.operands.filter((operand) => operand !== undefined);
  const operands = given.map((operand, index) => inTiles(query, index, operand));
  const [a, b] = operands;
  if (a === undefined) return { outputs: [] };
  checkFormats(query);
  const shape = broadcastOf(query, given);
  // A row-major result is untilized, or written row-major by a program that treats it as tiles.
  const output = placeOutput(query, {
    whenNull: b === undefined ? a.layout : binaryMemory(a, b, shape),
    nullShards: "kept",
    page: given.every(({ layout }) => layout.tile === undefined) ? "row_major" : "tile",
    withoutSpec: (hint, tensor) => {
      const shards = binaryWithoutSpec(query, operands, tensor, hint);
      // With a scalar operand, the requested sharding applies, as in a unary op.
      return b === undefined ? ofKind(hint, shards) : shards;
    },
  });
  return { outputs: [output] };
}

/** Rule of `gelu_bw`, whose kernel takes a gradient and an input of one shape (`ttnn:backend-0-81-1`). */
function evaluateGradient(query: ConstraintQuery): Verdict {
  const [gradient, input] = [operandAt(query, 0), operandAt(query, 1)];
  if (!sameButLeadingOnes(gradient.shape, input.shape)) {
    refuseConfig(query, "gelu_bw/shapes", "gradient and input must have one shape");
  }
  checkFormats(query);
  return { outputs: [placeOutput(query, { whenNull: input.layout })] };
}

function evaluateTernary(query: ConstraintQuery): Verdict {
  const { name } = query.op;
  const operands = query.operands.filter((operand) => operand !== undefined);
  const first = operandAt(query, 0);
  // Bounds that are numbers.
  if (operands.length === 1) return evaluateUnary(query);
  for (const [index, { layout }] of operands.entries()) {
    // The backend checks only an interleaved first operand; it reads other row-major operands as if they were
    // tiled.
    demand(query, index, "tiled", index === 0 && !isSharded(layout) ? "ternary/tile" : "ternary/rows");
  }
  checkFormats(query);
  // A block-float division runs in nine programs.
  if (name === "ttnn.addcdiv" && operands.some(({ layout }) => isBlockFloat(layout.dataType))) {
    refuseUnmodelled("ternary/parts", `${query.op.name} of block floats runs in parts`);
  }
  const shape = broadcastOf(query, operands);
  const parts = eltwiseParts(name, operands.map(asProgramTensor));
  if (parts !== undefined) return evaluateParts(query, parts, operands);
  const output = placeOutput(query, {
    whenNull: name === "ttnn.lerp" ? first.layout : ternaryMemory(operands, shape),
    nullShards: "kept",
    withoutSpec: (hint, tensor) => {
      const sharded = operands.find(({ layout }) => isSharded(layout));
      return sharded === undefined
        ? shardsOverDevice(query.chip, tensor, hint)
        : ofKind(hint, scaledTo(sharded, shape));
    },
  });
  return { outputs: [output] };
}

/** A composite op: each step is placed like a binary op of its own, or all in one memory. */
function evaluateParts(
  query: ConstraintQuery,
  parts: readonly EltwisePart[],
  operands: readonly Tensor[],
): Verdict {
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
      refuseConfig(query, "eltwise/broadcast", "the parts do not broadcast");
    }
    const tensor = { shape, dataType: a.layout.dataType, tile: DEFAULT_TILE };
    const memory = wanted === undefined
      ? b === undefined ? a.layout : binaryMemory(a, b, shape)
      : lacksSpec(wanted)
      ? binaryWithoutSpec(query, read, tensor, wanted)
      : wanted;
    made.push(placeIn(query, tensor, memory));
  }
  const output = made.at(-1);
  const intermediates = made.slice(0, -1).map(asProgramTensor);
  return {
    outputs: [output],
    launched: () =>
      output === undefined ? NO_PROGRAMS : eltwisePartPrograms(
        parts,
        operands.map(asProgramTensor),
        asProgramTensor(output),
        intermediates,
        query,
      ),
  };
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

const UNARY = defineRule({ evaluate: evaluateUnary, readsOfOperand });

export const ELTWISE_RULES: RulesOf<"unary" | "logit" | "dropout" | "binary" | "gelu_bw" | "ternary"> = {
  unary: UNARY,
  logit: UNARY,
  dropout: defineRule({ evaluate: evaluateDropout }),
  binary: defineRule({ evaluate: evaluateBinary, readsOfOperand }),
  gelu_bw: defineRule({ evaluate: evaluateGradient, readsOfOperand }),
  ternary: defineRule({ strategy: { hints: "null" }, evaluate: evaluateTernary, readsOfOperand }),
};
