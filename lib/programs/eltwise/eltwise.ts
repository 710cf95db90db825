// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../../ir/attribute.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { broadcastShape, sameExtents } from "../../layout/extents.ts";
import { APPLIED_FUNCTIONS, BINARY } from "../../ops/attributes/elementwise.ts";
import { type AttributedOp, readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { VectorFunction } from "../../ops/definition.ts";
import type { EltwisePart } from "../../ops/eltwise_parts.ts";
import { definitionOf, isKnownOp } from "../../ops/op_book.ts";
import { operandCasts } from "../../ops/operand_formats.ts";
import { tilizeSteps, untilizeSteps } from "../data_movement/tilize.ts";
import {
  binaryBuffers,
  type EltwiseBuffers,
  isWholePower,
  numberBuffers,
  runsOnMatrixUnit,
  spreadsAlongOneAxis,
  streamedBuffers,
  ternaryBuffers,
  unaryBuffers,
} from "./eltwise_buffers.ts";
import { castStep, eltwiseProgram, shardProgram, tileWork } from "./eltwise_program.ts";
import { type ChainStep, chainStep, endOf, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch } from "../op_launch.ts";
import {
  type DeviceProgram,
  inOrder,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import {
  bytesPerTile,
  inPages,
  isInShards,
  isPresent,
  memoryOf,
  type ProgramTensor,
  withShape,
} from "../program_tensor.ts";
import type { TileWork } from "../program_work.ts";
import { fillingWords } from "../stream.ts";

/** What elementwise programs depend on besides the op. */
type EltwiseContext = Pick<LaunchContext, "chip">;

/** Parameters of one elementwise program besides its tensors. */
interface EltwiseStep {
  readonly name: string;
  readonly vectorFunction: VectorFunction;
  readonly activations: Activations;
  /** Whether the second operand is a scalar. */
  readonly withNumber: boolean;
  /** Whether each core first fills a tile with the scalar, which takes time. */
  readonly fillsNumber: boolean;
}

const NO_ACTIVATIONS: Activations = { ofOperands: [], ofResult: [], onlyClips: false, unknown: undefined };

/**
 * Elementwise ops of any number of operands. Operands and result with equal shards are processed in place;
 * anything else passes through reader and writer page by page (`ttnn:backend-0-81-1`). A missing second
 * operand is a scalar; filling its tile takes time if it is the property `scalar`.
 */
export function eltwisePrograms(op: OpLaunch, context: EltwiseContext): OpPrograms {
  const { vectorFunction, family } = definitionOf(op.name);
  const output = op.outputs.find(isPresent);
  if (output === undefined || memoryOf(output) === "host") return NO_PROGRAMS;
  if (vectorFunction === undefined) {
    return unknownPrograms(op.name, "what it computes per element is not known");
  }
  const activations = activationsOf(op);
  if (activations.unknown !== undefined) {
    return unknownPrograms(op.name, `the activation ${activations.unknown} is not known`);
  }
  const operands = op.inputs.filter(isPresent);
  const withNumber = family === "binary" && operands.length === 1;
  const fillsNumber = readAttributes(op, BINARY).scalar !== undefined;
  const step = { name: op.name, vectorFunction, activations, withNumber, fillsNumber };
  const parts = eltwiseParts(op.name, operands);
  if (parts !== undefined) {
    const intermediates = intermediatesLike(output, parts, operands);
    return eltwisePartPrograms(parts, operands, output, intermediates, context);
  }
  if (operands.length === 1 && !withNumber) return inOrder(programOf(step, operands, output, context));
  return inTiles(step, operands, output, context);
}

/**
 * A program of several operands takes tiles: row-major operands are tilized first, and if all are row-major
 * the result is untilized. Exception: interleaved row-major operands, which the program reads as they are.
 * Some operands are cast first ({@linkcode operandCasts}).
 */
function inTiles(
  step: EltwiseStep,
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
  context: EltwiseContext,
): KnownPrograms {
  const { chip } = context;
  const rows = operands.filter(({ tiled }) => !tiled);
  const casts = operandCasts(
    definitionOf(step.name).castsOperand,
    operands.map(({ dataType }) => dataType),
  );
  const readsRows = rows.length === operands.length && !rows.some(isInShards);
  if (casts.every((to) => to === undefined) && (rows.length === 0 || readsRows)) {
    return inOrder(programOf(step, operands, output, context));
  }
  const steps: ChainStep[] = [];
  const tiles = operands.map((operand, index) => {
    const tiled = operand.tiled ? operand : inPages(operand, "tile");
    if (tiled !== operand) steps.push(...tilizeSteps(operand, tiled, chip));
    const to = casts[index];
    if (to !== undefined) steps.push(castStep(tiled, to, chip));
    return to === undefined ? tiled : endOf(steps, tiled);
  });
  const made = output.tiled ? output : inPages(output, "tile");
  steps.push(chainStep(made, programOf(step, tiles, made, context)));
  if (!output.tiled) steps.push(...untilizeSteps(made, output, chip));
  return launchChain(steps, chip);
}

/** One program that reads tensors in their own pages. */
function programOf(
  step: EltwiseStep,
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
  { chip }: EltwiseContext,
): DeviceProgram {
  const { onShards, buffers } = buffersOf(step, operands, output);
  const perTile = workPerTile(step, operands, output);
  const scalarWords = step.fillsNumber ? Math.ceil(bytesPerTile(output) / 4) : 0;
  if (onShards && operands.every(isInShards)) return shardProgram(output, perTile, buffers, scalarWords);
  const program = eltwiseProgram(operands, output, perTile, buffers, chip, onShards);
  return fillingWords(program, scalarWords);
}

/** The compute work per tile of the result. */
function workPerTile(
  { name, vectorFunction, activations }: EltwiseStep,
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
): readonly TileWork[] {
  const { operandFunction } = definitionOf(name);
  const [a, b = a] = operands;
  const onMatrixUnit = vectorFunction === "product" &&
    (a === undefined || b === undefined || runsOnMatrixUnit(name, a.dataType, b.dataType));
  return [
    ...tileWork(onMatrixUnit ? "none" : vectorFunction, [...operands, output]),
    ...operands.flatMap((operand, index) => [
      ...(operandFunction === undefined ? [] : tileWork(operandFunction, [operand])),
      ...(activations.ofOperands[index] ?? []).flatMap((activation) => tileWork(activation, [operand])),
    ]),
    ...(activations.onlyClips && isWithoutTileBroadcast(operands, output) ? [] : activations.ofResult)
      .filter((activation) => activation !== "none").map((operation) => ({ operation, count: 1 })),
  ];
}

/**
 * The chain of programs of an op without a kernel of its own for these tensors; the last step produces the
 * result.
 *
 * @returns `undefined` if the op is one program
 */
export function eltwiseParts(
  name: string,
  operands: readonly Pick<ProgramTensor, "shape" | "dataType">[],
): readonly EltwisePart[] | undefined {
  const { parts } = definitionOf(name);
  if (parts === undefined) return undefined;
  const isSpread = () =>
    operands.some(({ dataType }) => isBlockFloat(dataType)) && spreadsAlongOneAxis(operands);
  return parts.when === "always" || isSpread() ? parts.of(operands.length) : undefined;
}

/** One elementwise op without activations. */
function stepOf(name: string, withNumber: boolean): EltwiseStep {
  const { vectorFunction = "none" } = definitionOf(name);
  return { name, vectorFunction, activations: NO_ACTIVATIONS, withNumber, fillsNumber: withNumber };
}

/** Default intermediates: results of all steps but the last in the memory of the op's result. */
function intermediatesLike(
  output: ProgramTensor,
  parts: readonly EltwisePart[],
  operands: readonly ProgramTensor[],
): readonly ProgramTensor[] {
  const made: ProgramTensor[] = [];
  for (const part of parts.slice(0, -1)) {
    const shapes = part.operands.map((operand) =>
      operand.from === "number" ? [] : (operand.from === "part" ? made : operands)[operand.index]?.shape ?? []
    );
    made.push(withShape(output, broadcastShape(shapes) ?? output.shape));
  }
  return made;
}

/**
 * The programs of a composite op. Each allocates its result before it runs and frees its predecessor's result afterwards,
 * unless the part keeps that.
 *
 * @param intermediates results of all steps but the last
 */
export function eltwisePartPrograms(
  parts: readonly EltwisePart[],
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
  intermediates: readonly ProgramTensor[],
  context: EltwiseContext,
): KnownPrograms {
  const made = [...intermediates, output];
  const steps = parts.map((part, index): ChainStep => {
    const read = part.operands.map((operand) => {
      if (operand.from === "number") return undefined;
      return (operand.from === "operand" ? operands : made)[operand.index];
    }).filter(isPresent);
    const result = made[index] ?? output;
    const step = stepOf(part.name, part.operands.some(({ from }) => from === "number"));
    const before = parts[index - 1]?.keepsResult === true ? undefined : made[index - 1];
    return chainStep(result, programOf(step, read, result, context), before === undefined ? [] : [before]);
  });
  return launchChain(steps, context.chip);
}

/**
 * The program of one elementwise op without activations, as a step of another op.
 *
 * @param withNumber whether its second operand is a number
 */
export function eltwiseStep(
  name: string,
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
  context: EltwiseContext,
  withNumber: boolean = false,
): DeviceProgram {
  return programOf(stepOf(name, withNumber), operands, output, context);
}

function buffersOf(
  { name, activations, withNumber }: EltwiseStep,
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
): EltwiseBuffers {
  const [a, b] = operands;
  const activates = activations.ofOperands.map((functions) => functions.length > 0);
  const { family } = definitionOf(name);
  if (a === undefined) return { onShards: false, buffers: [] };
  if (family === "dropout" || isWholePower(name, a)) {
    return { onShards: false, buffers: streamedBuffers(operands, output) };
  }
  if (family === "gelu_bw") {
    const { onShards } = unaryBuffers(a, output);
    return { onShards, buffers: onShards ? [] : streamedBuffers(operands, output, "circular") };
  }
  if (family === "ternary" && b !== undefined) return ternaryBuffers(operands, output);
  if (b !== undefined) return binaryBuffers({ name, activates }, a, b, output);
  // A minimum or maximum with a scalar is a unary function.
  return withNumber && name !== "ttnn.maximum" && name !== "ttnn.minimum"
    ? numberBuffers({ name, activates }, a, output)
    : unaryBuffers(a, output, family === "logit" ? 2 : 0);
}

/** Whether an op has several operands and repeats no row, column or element of a tile: the packer is free then. */
function isWithoutTileBroadcast(operands: readonly ProgramTensor[], output: ProgramTensor): boolean {
  const tile = (tensor: ProgramTensor): readonly number[] => tensor.shape.slice(-2);
  return operands.length > 1 && operands.every((operand) => sameExtents(tile(operand), tile(output)));
}

/** The elementwise functions that an op applies in addition to its own. */
export interface Activations {
  /** Per operand, applied before the op; the operand passes through an extra buffer. */
  readonly ofOperands: readonly (readonly VectorFunction[])[];
  /** Functions of the result, applied in the same program. */
  readonly ofResult: readonly VectorFunction[];
  /** Whether it is one relu of the result, which the packer applies (`tt-metal:binary-ng`). */
  readonly onlyClips: boolean;
  /** The first function that is no known op, whose time is unknown. */
  readonly unknown: string | undefined;
}

/** The functions that an op's attributes name. */
export function activationsOf(op: AttributedOp): Activations {
  const applied = readAttributes(op, APPLIED_FUNCTIONS);
  const ofOperands = [applied.input_tensor_a_activations, applied.input_tensor_b_activations].map(
    functionNames,
  );
  const ofResult = [applied.activation, applied.activations, applied.fused_activation].flatMap(functionNames);
  const known = (names: readonly string[]) =>
    names.map(vectorFunctionOf).filter((found) => found !== undefined);
  return {
    ofOperands: ofOperands.map(known),
    ofResult: known(ofResult),
    onlyClips: ofResult.length === 1 && ofResult[0] === "relu" &&
      ofOperands.every(({ length }) => length === 0),
    unknown: [...ofOperands.flat(), ...ofResult].find((name) => vectorFunctionOf(name) === undefined),
  };
}

/**
 * Names of unary functions in a property: `"relu"`, `#ttnn.unary_with_param<op_type = relu>`, or a list of either
 * (tt-mlir:ttnn-fusing).
 */
function functionNames(attribute: Attribute | undefined): readonly string[] {
  switch (attribute?.kind) {
    case "string":
      return attribute.value === "" ? [] : [attribute.value];
    case "array":
      return attribute.elements.flatMap(functionNames);
    case "dialect":
      return [/\bop_type\s*=\s*(?:#[\w.]+)?<?(\w+)/.exec(attribute.body)?.[1] ?? attribute.body.trim()];
    default:
      return [];
  }
}

export function vectorFunctionOf(name: string): VectorFunction | undefined {
  const op = `ttnn.${name}`;
  return isKnownOp(op) ? definitionOf(op).vectorFunction : undefined;
}
