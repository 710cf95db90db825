// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { readNumber } from "../dialect/attribute_values.ts";
import { broadcastShape } from "../layout/extents.ts";
import type { VectorFunction } from "../ops/definition.ts";
import { definitionOf } from "../ops/op_book.ts";
import { type Activations, activationsOf } from "./activations.ts";
import {
  binaryBuffers,
  type EltwiseBuffers,
  isLogical,
  numberBuffers,
  runsOnMatrixUnit,
  streamedBuffers,
  ternaryBuffers,
  unaryBuffers,
} from "./eltwise_buffers.ts";
import { eltwiseProgram, shardProgram, tileWork } from "./eltwise_program.ts";
import { LaunchSequence } from "./launch_sequence.ts";
import { type EltwisePart, eltwiseParts } from "./eltwise_parts.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";
import {
  type DeviceProgram,
  inOrder,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  type TileWork,
  unknownPrograms,
} from "./program.ts";
import type { ProgramRules } from "./program_rules.ts";
import {
  bytesPerTile,
  inPages,
  isInShards,
  isPresent,
  memoryOf,
  type ProgramTensor,
  withShape,
} from "./program_tensor.ts";
import { relayout } from "./relayout.ts";

/** How the backend revision runs elementwise programs. */
type EltwiseRules = Pick<ProgramRules, "binaryStrides" | "vectorProducts">;

/** What builds one elementwise program beside its tensors. */
interface Step {
  readonly name: string;
  readonly vectorFunction: VectorFunction;
  readonly activations: Activations;
  /** Whether a number is its second operand. */
  readonly withNumber: boolean;
}

const NO_ACTIVATIONS: Activations = { ofOperands: [], ofResult: [], unknown: undefined };

/**
 * Elementwise ops of any number of operands. Shards are worked on where they lie if operands and result have them alike;
 * anything else goes through reader and writer, page by page (`ttnn-0.81.1`). A `scalar` among the properties is a number
 * that stands for the second operand.
 */
export function eltwisePrograms(op: OpLaunch, chip: ChipDescription, rules: EltwiseRules): OpPrograms {
  const { vectorFunction } = definitionOf(op.name);
  const output = op.outputs.find(isPresent);
  if (output === undefined || memoryOf(output) === "host") return NO_PROGRAMS;
  if (vectorFunction === undefined) {
    return unknownPrograms(op.name, "what it computes per element is not known");
  }
  const activations = activationsOf(op.attributes);
  if (activations.unknown !== undefined) {
    return unknownPrograms(op.name, `the activation ${activations.unknown} is not known`);
  }
  const operands = op.inputs.filter(isPresent);
  const withNumber = readNumber(op.attributes, "scalar") !== undefined;
  const builder = new EltwiseBuilder(chip, rules);
  const step = { name: op.name, vectorFunction, activations, withNumber };
  const parts = eltwiseParts(op.name, operands);
  if (parts !== undefined) {
    return builder.inParts(parts, operands, output, intermediatesLike(output, parts, operands));
  }
  if (operands.length === 1 && !withNumber) return inOrder(builder.program(step, operands, output));
  return builder.inTiles(step, operands, output);
}

/** Builds the programs of elementwise ops on one chip. */
class EltwiseBuilder {
  readonly #chip: ChipDescription;
  readonly #rules: EltwiseRules;

  constructor(chip: ChipDescription, rules: EltwiseRules) {
    this.#chip = chip;
    this.#rules = rules;
  }

  /**
   * A program of several operands takes tiles: rows are tilized before, and if all were rows the result is untilized,
   * unless all rows are interleaved, which the program reads as they are (`ttnn-0.81.1`).
   */
  inTiles(step: Step, operands: readonly ProgramTensor[], output: ProgramTensor): KnownPrograms {
    const rows = operands.filter(({ tiled }) => !tiled);
    const readsRows = rows.length === operands.length && !rows.some(isInShards);
    if (rows.length === 0 || readsRows) return inOrder(this.program(step, operands, output));
    const sequence = new LaunchSequence(this.#chip);
    const tiles = operands.map((operand) => {
      if (operand.tiled) return operand;
      const copy = inPages(operand, "tile");
      sequence.allocate(copy);
      sequence.run(...relayout(operand, copy, this.#chip).programs);
      return copy;
    });
    if (output.tiled) {
      sequence.allocateResult(0, output);
      sequence.run(this.program(step, tiles, output));
      return sequence.launched();
    }
    const made = inPages(output, "tile");
    sequence.allocate(made);
    sequence.run(this.program(step, tiles, made));
    sequence.allocateResult(0, output);
    sequence.run(...relayout(made, output, this.#chip).programs);
    return sequence.launched();
  }

  /**
   * Binary programs, one after the other. Each allocates its result before it runs, and what it was the last to read is
   * freed after that.
   *
   * @param intermediates results of all parts but the last
   */
  inParts(
    parts: readonly EltwisePart[],
    operands: readonly ProgramTensor[],
    output: ProgramTensor,
    intermediates: readonly ProgramTensor[],
  ): KnownPrograms {
    const sequence = new LaunchSequence(this.#chip);
    const names: number[] = [];
    for (const [index, part] of parts.entries()) {
      const result = intermediates[index] ?? output;
      names.push(result === output ? sequence.allocateResult(0, output) : sequence.allocate(result));
      const read = part.operands.map((operand) => {
        if (operand.from === "number") return undefined;
        return (operand.from === "operand" ? operands : intermediates)[operand.index];
      }).filter(isPresent);
      sequence.run(this.program(stepOf(part), read, result));
      const before = names[index - 1];
      if (before !== undefined && parts[index - 1]?.keepsResult !== true) sequence.free(before);
    }
    return sequence.launched();
  }

  /** One program that reads tensors in the pages that they have. */
  program(step: Step, operands: readonly ProgramTensor[], output: ProgramTensor): DeviceProgram {
    const { onShards, buffers } = buffersOf(step, operands, output);
    const perTile = this.#workPerTile(step, operands, output);
    const { binaryStrides } = this.#rules;
    const scalarWords = binaryStrides && step.withNumber ? Math.ceil(bytesPerTile(output) / 4) : 0;
    if (onShards && operands.every(isInShards)) return shardProgram(output, perTile, buffers, scalarWords);
    const program = eltwiseProgram(operands, output, perTile, buffers, this.#chip, onShards);
    return { ...program, leadWords: scalarWords, strided: program.strided && binaryStrides };
  }

  /** What compute does per tile of the result. */
  #workPerTile(
    { name, vectorFunction, activations }: Step,
    operands: readonly ProgramTensor[],
    output: ProgramTensor,
  ): readonly TileWork[] {
    return [
      ...tileWork(this.#onMatrixUnit(name, vectorFunction, operands) ? "none" : vectorFunction, [
        ...operands,
        output,
      ]),
      ...operands.flatMap((operand, index) => [
        ...(isLogical(name) ? tileWork("simple", [operand]) : []),
        ...(activations.ofOperands[index] ?? []).flatMap((activation) => tileWork(activation, [operand])),
      ]),
      ...activations.ofResult.filter((activation) => activation !== "none")
        .map((operation) => ({ operation, count: 1 })),
    ];
  }

  /** Whether a product runs on the matrix unit: all of them in fast mode, else those of formats that say so. */
  #onMatrixUnit(name: string, vectorFunction: VectorFunction, operands: readonly ProgramTensor[]): boolean {
    if (vectorFunction !== "product") return false;
    const [a, b = a] = operands;
    return !this.#rules.vectorProducts || a === undefined || b === undefined ||
      runsOnMatrixUnit(name, a.dataType, b.dataType);
  }
}

/** A binary program of an op in parts. */
function stepOf({ name, operands }: EltwisePart): Step {
  const { vectorFunction = "none" } = definitionOf(name);
  const withNumber = operands.some(({ from }) => from === "number");
  return { name, vectorFunction, activations: NO_ACTIVATIONS, withNumber };
}

/** Results of all parts but the last where nobody says otherwise: in the memory of the op's result. */
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
 * The programs of an op in parts whose intermediates are known.
 *
 * @param intermediates results of all parts but the last
 */
export function eltwisePartPrograms(
  parts: readonly EltwisePart[],
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
  intermediates: readonly ProgramTensor[],
  { chip, ruleSet }: Pick<LaunchContext, "chip" | "ruleSet">,
): KnownPrograms {
  return new EltwiseBuilder(chip, ruleSet).inParts(parts, operands, output, intermediates);
}

function buffersOf(
  { name, activations, withNumber }: Step,
  operands: readonly ProgramTensor[],
  output: ProgramTensor,
): EltwiseBuffers {
  const [a, b] = operands;
  const activates = activations.ofOperands.map((functions) => functions.length > 0);
  const { family } = definitionOf(name);
  if (a === undefined) return { onShards: false, buffers: [] };
  if (family === "dropout") return { onShards: false, buffers: streamedBuffers(operands, output) };
  if (family === "gelu_bw") {
    const { onShards } = unaryBuffers(a, output);
    return { onShards, buffers: onShards ? [] : streamedBuffers(operands, output, "circular") };
  }
  if (family === "ternary" && b !== undefined) return ternaryBuffers(operands, output);
  if (b !== undefined) return binaryBuffers({ name, activates }, a, b, output);
  // A bound by a number is a function of one tensor.
  return withNumber && name !== "ttnn.maximum" && name !== "ttnn.minimum"
    ? numberBuffers({ name, activates }, a, output)
    : unaryBuffers(a, output, family === "logit" ? 2 : 0);
}
