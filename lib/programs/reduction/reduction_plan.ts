// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { type DataType, isBlockFloat } from "../../layout/data_type.ts";
import { fillsTiles, normalDim } from "../../layout/extents.ts";
import { DEFAULT_TILE, isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { REDUCE } from "../../ops/attributes/reduction.ts";
import { fillFault, fillSteps } from "../data_movement/pad.ts";
import { exchangedOrder } from "../data_movement/permute.ts";
import { permuteSteps } from "../data_movement/permute_chain.ts";
import { eltwiseProgram, tileWork } from "../eltwise/eltwise_program.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "../op_launch.ts";
import {
  type DeviceProgram,
  inOrder,
  type KnownPrograms,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import { isInShards, layoutOf, type ProgramTensor, programTensor } from "../program_tensor.ts";
import {
  negatedRowsBytes,
  negates,
  reduceColumns,
  reduceOuter,
  reduceRowMajor,
  reduceRows,
  reduceTile,
  type Reduction,
  type ReductionKind,
  reductionKind,
  rowSlices,
  sliceSteps,
} from "./reduce_programs.ts";
import { dropDimensions, fitting, reducedLayout, StepFault } from "./reduced_layout.ts";
import { inShards } from "../shard_spec.ts";
import { pageBuffer, pageCopy } from "../stream.ts";

/** The program chain of a reduction, with intermediate layouts (`ttnn:backend-0-81-1`). */

/** A reduction of a tiled tensor. */
export interface TileReduction {
  readonly kind: ReductionKind;
  readonly operand: ProgramTensor;
  /** Dimensions in ascending order, none negative. */
  readonly dims: readonly number[];
  /** Shape of the result, with or without unit dimensions for the reduced ones. */
  readonly shape: readonly number[];
  /**
   * Requested memory of the result; if sharded, only memory layout and grid matter, with or without shard
   * spec.
   */
  readonly asked: TtnnLayout;
  /** Whether every step keeps the operand's format, as within `batch_norm`; default: no. */
  readonly keepsFormat?: boolean;
}

/** Context of a reduction besides its tensors. */
export type ReductionContext = Pick<LaunchContext, "chip" | "room" | "isDeviceOperation">;

/** The steps of a reduction and its result. */
export interface ReductionPlan {
  readonly result: ProgramTensor;
  readonly launched: KnownPrograms;
}

/** Why a reduction cannot run: rule name without family, and a sentence. */
export interface ReductionFault {
  readonly rule: string;
  readonly fault: string;
}

/**
 * The steps of a reduction: fills padding, sums dimensions before the last two, reduces tile rows and
 * columns, reduces other dimensions via transposes, drops dimensions that are not kept. Every step produces a
 * tensor and frees its predecessor.
 */
export function planReduction(
  reduction: TileReduction,
  context: ReductionContext,
): ReductionPlan | ReductionFault {
  const work = new ReductionWork(reduction, context);
  try {
    return work.plan();
  } catch (error) {
    if (!(error instanceof StepFault)) throw error;
    return { rule: error.rule, fault: error.message };
  }
}

class ReductionWork {
  readonly #steps: ChainStep[] = [];
  /** Intermediates that live until the end. */
  readonly #lasting = new Set<ProgramTensor>();
  readonly #chip: ChipDescription;
  readonly #context: ReductionContext;
  readonly #kind: ReductionKind;
  readonly #format: DataType;
  readonly #reduction: TileReduction;
  /** Whether sums over several dimensions stay f32 until the last one. */
  readonly #staysWide: boolean;

  constructor(reduction: TileReduction, context: ReductionContext) {
    const { kind, operand: { shape, dataType }, dims, keepsFormat = false } = reduction;
    this.#chip = context.chip;
    this.#context = context;
    this.#reduction = { ...reduction, asked: ofTiles(reduction.asked) };
    this.#kind = kind;
    this.#format = dataType;
    this.#staysWide = !keepsFormat && (kind === "sum" || kind === "mean") && dataType === "bf16" &&
      dims.length > 1 && dims.length < shape.length;
  }

  plan(): ReductionPlan {
    const { operand, shape, dims } = this.#reduction;
    const rows = operand.shape.length - 2;
    let tensor = this.#filled(operand);
    let left = dims;
    if (this.#kind === "sum" && (this.#format === "bf16" || isBlockFloat(this.#format))) {
      const outer = dims.filter((dim) => dim < rows);
      left = dims.filter((dim) => dim >= rows);
      tensor = this.#sumOuter(tensor, outer.toReversed(), left.length > 0);
    }
    const dropped = dropDimensions(this.#reduced(tensor, left), shape, this.#chip);
    this.#steps.push(...dropped.steps);
    return { result: dropped.tensor, launched: launchChain(this.#steps, this.#chip) };
  }

  /** Fills padding in place; block floats are converted to another tensor, which lives until the end. */
  #filled(tensor: ProgramTensor): ProgramTensor {
    if (this.#context.isDeviceOperation === true) return tensor;
    const fault = fillFault(tensor);
    if (fault !== undefined) throw new StepFault("padded-shards", fault);
    const steps = fillSteps(tensor, this.#chip);
    this.#steps.push(...steps);
    const filled = endOf(steps, tensor);
    if (filled !== tensor) this.#lasting.add(filled);
    return filled;
  }

  /**
   * Sums dimensions before the last two, one program each, and slices off logical padding afterwards. The
   * result lives until the end, the operand until the last of these programs.
   */
  #sumOuter(operand: ProgramTensor, dims: readonly number[], continues: boolean): ProgramTensor {
    if (dims.length === 0) return operand;
    let tensor = operand;
    for (const [index, dim] of dims.entries()) {
      const isLast = index === dims.length - 1 && !continues;
      const dataType = this.#staysWide && !isLast ? "f32" : this.#format;
      const content = { shape: tensor.shape.with(dim, 1), dataType };
      const sum = programTensor(content, fitting(content, this.#withSpec(this.#reduction.asked, tensor)));
      tensor = this.#made(tensor, sum, reduceOuter(tensor, sum, tensor.shape[dim] ?? 1, this.#chip));
    }
    if (!fillsTiles(tensor.shape)) {
      const cut = { ...tensor };
      tensor = this.#made(tensor, cut, copySlice(tensor, cut, this.#chip));
    }
    this.#free(operand);
    this.#lasting.delete(operand);
    this.#lasting.add(tensor);
    return tensor;
  }

  /** Frees a tensor after the last step. */
  #free(tensor: ProgramTensor): void {
    this.#steps.push(...freeing(this.#steps.splice(-1), tensor));
  }

  /** The requested memory, with the operand's shards if it has no shard spec. */
  #withSpec(asked: TtnnLayout, operand: ProgramTensor): TtnnLayout {
    if (!isSharded(asked) || !asked.ignorePhysicalLayout) return asked;
    if (!isInShards(operand)) throw new StepFault("no-shard-spec", "a sharded result needs a shard spec");
    const { bufferType, memoryLayout } = asked;
    return { ...layoutOf(operand), bufferType, memoryLayout };
  }

  #reduced(operand: ProgramTensor, dims: readonly number[]): ProgramTensor {
    const rank = operand.shape.length;
    const [rows, columns] = [rank - 2, rank - 1];
    const [first, second] = dims;
    if (first === undefined) return operand;
    if (second === undefined && first >= rows) {
      return first === columns ? this.#columns(operand, this.#format) : this.#rows(operand, this.#format);
    }
    if (dims.length === 2 && first === rows && second === columns) {
      if (this.#isOneProgram(operand)) {
        const tile = this.#into(operand, operand.shape.with(-1, 1).with(-2, 1), this.#format);
        return this.#made(operand, tile.output, reduceTile(tile));
      }
      const isWide = this.#kind === "sum" && (this.#format === "bf16" || this.#format === "f32");
      return this.#rows(this.#columns(operand, isWide ? "f32" : this.#format), this.#format, false);
    }
    let tensor = operand;
    for (const dim of dims.toReversed()) {
      const dataType = !this.#staysWide ? tensor.dataType : dim === first ? "bf16" : "f32";
      if (dim === columns) tensor = this.#columns(tensor, dataType);
      else if (dim === rows) tensor = this.#rows(tensor, dataType);
      else tensor = this.#exchanged(this.#rows(this.#exchanged(tensor, dim), dataType), dim);
    }
    return tensor;
  }

  /** Whether both dimensions of a single tile are reduced in one program. */
  #isOneProgram({ tiles, dataType }: ProgramTensor): boolean {
    if (tiles > 1 || dataType === "f32" || dataType === "si32") return false;
    return this.#kind !== "min" || negates(this.#kind, dataType);
  }

  #columns(tensor: ProgramTensor, dataType: DataType): ProgramTensor {
    const reduction = this.#into(tensor, tensor.shape.with(-1, 1), dataType);
    return this.#made(tensor, reduction.output, reduceColumns(reduction));
  }

  /** One program with its result in the requested memory. */
  #into(input: ProgramTensor, shape: readonly number[], dataType: DataType): Reduction {
    const layout = reducedLayout({ shape, dataType }, this.#reduction.asked, layoutOf(input));
    const output = programTensor({ shape, dataType }, { ...layout, dataType });
    return { kind: this.#kind, input, output, chip: this.#chip };
  }

  /** @param maySplit whether two programs may share the work */
  #rows(operand: ProgramTensor, dataType: DataType, maySplit = true): ProgramTensor {
    const reduction = this.#into(operand, operand.shape.with(-2, 1), dataType);
    const { output } = reduction;
    const slices = maySplit && this.#context.isDeviceOperation !== true ? rowSlices(reduction) : 1;
    if (slices > 1) {
      this.#steps.push(...sliceSteps(reduction, slices));
      for (const freed of this.#freed(operand)) this.#free(freed);
      return output;
    }
    const isTooLarge = negates(this.#kind, operand.dataType) &&
      2 * negatedRowsBytes(reduction) > this.#context.room().besideResults;
    return isTooLarge ? this.#negated(operand, output) : this.#made(operand, output, reduceRows(reduction));
  }

  /** A minimum as −max(−x), three programs. */
  #negated(operand: ProgramTensor, result: ProgramTensor): ProgramTensor {
    if (!isBlockFloat(operand.dataType)) {
      throw new StepFault("negated-integers", "a minimum over so many rows would negate integers");
    }
    const negative = { ...operand };
    const largest = { ...result };
    this.#steps.push(chainStep(negative, negation(operand, negative, this.#chip)));
    const maximum = { kind: "max", input: negative, output: largest, chip: this.#chip } as const;
    this.#made(negative, largest, reduceRows(maximum));
    this.#made(largest, result, negation(largest, result, this.#chip));
    for (const freed of this.#freed(operand)) this.#free(freed);
    return result;
  }

  /** Swaps a dimension before the last two with the rows; temporaries are freed with the operand. */
  #exchanged(tensor: ProgramTensor, dim: number): ProgramTensor {
    const { asked } = this.#reduction;
    const { length: rank } = tensor.shape;
    const order = exchangedOrder(rank, [dim, rank - 2]);
    const steps = permuteSteps(tensor, { order, isTranspose: true }, asked, this.#chip);
    const made = endOf(steps, tensor);
    const content = { shape: order.map((from) => tensor.shape[from] ?? 1), dataType: made.dataType };
    const result = programTensor(content, fitting(content, layoutOf(made)));
    const alreadyFreed = new Set(steps.flatMap(({ frees = [] }) => frees));
    const intermediates = steps.map((step) => step.tensor).filter((step) =>
      step !== made && !alreadyFreed.has(step)
    );
    for (const step of freeing(steps, ...intermediates, ...this.#freed(tensor))) {
      this.#steps.push(step.tensor === made ? { ...step, tensor: result } : step);
    }
    return result;
  }

  #freed(tensor: ProgramTensor): readonly ProgramTensor[] {
    return this.#lasting.has(tensor) ? [] : [tensor];
  }

  /** Produces a tensor by one program and frees its source. */
  #made(from: ProgramTensor, to: ProgramTensor, program: DeviceProgram): ProgramTensor {
    this.#steps.push(chainStep(to, program, this.#freed(from)));
    return to;
  }
}

/** The same memory with tiles. */
function ofTiles(asked: TtnnLayout): TtnnLayout {
  if (asked.tile !== undefined) return asked;
  const { dataType, ignorePhysicalLayout } = asked;
  return isSharded(asked) && !ignorePhysicalLayout
    ? inShards(asked, { tile: DEFAULT_TILE, dataType })
    : { ...asked, tile: DEFAULT_TILE };
}

/** A slice that copies whole tiles. */
function copySlice(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const circularBuffers = [
    pageBuffer("in0", 2, input),
    { name: "indices", bytes: 4 * input.shape.length, kind: "scratch" } as const,
  ];
  return pageCopy([input], [output], { circularBuffers }, chip);
}

/** Negates every element; shards in place. */
function negation(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): DeviceProgram {
  const buffers = isInShards(input) ? [] : [pageBuffer("in0", 2, input), pageBuffer("out", 2, output)];
  return eltwiseProgram([input], output, tileWork("simple", []), buffers, chip);
}

/** Sums, means, maxima and minima: the steps of {@linkcode planReduction}. */
export function reductionPrograms(op: UnaryLaunch, context: ReductionContext): OpPrograms {
  const { input: operand, output } = op;
  const dims = reducedDims(op, operand.shape.length);
  if (!operand.tiled) return inOrder(reduceRowMajor(operand, output, dims, context.chip));
  const kind = reductionKind(op.name);
  if (kind === undefined) return unknownPrograms(op.name, "it is no reduction that is known");
  const reduction = { kind, operand, dims, shape: output.shape, asked: layoutOf(output) };
  const plan = planReduction(reduction, context);
  return "fault" in plan ? unknownPrograms(op.name, plan.fault) : plan.launched;
}

/**
 * The reduced dimensions, ascending: the named ones, or all, including unit dimensions
 * (`ttnn:backend-0-81-1`).
 */
export function reducedDims(op: Pick<OpLaunch, "attributes">, rank: number): readonly number[] {
  const all = Array.from({ length: rank }, (_, dim) => dim);
  const named = readAttributes(op, REDUCE).dim_arg?.map((dim) => normalDim(dim, rank)) ?? [];
  return named.length === 0 ? all : all.filter((dim) => named.includes(dim));
}
