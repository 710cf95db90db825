// SPDX-License-Identifier: Apache-2.0

/** The chain of programs that a reduction is, with the layouts in between (`ttnn-0.81.1`). */

import type { ChipDescription } from "../device/chip_description.ts";
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { fillPadding } from "./fill_pad.ts";
import type { LaunchContext } from "./op_launch.ts";
import type { ProgramRules } from "./program_rules.ts";
import type { KnownPrograms } from "./program.ts";
import {
  negatedRowsBytes,
  negates,
  reduceColumns,
  reduceOuter,
  reduceRows,
  reduceSlices,
  type ReductionKind,
  rowSlices,
  sliceFormat,
} from "./reduce_programs.ts";
import { fitting, movedLayout, reducedLayout, StepFault } from "./reduced_layout.ts";
import { dropDimensions } from "./reduction_reshape.ts";
import { copySlice, exchangeRows, negation, typecast } from "./reduction_moves.ts";
import type { ShapedLayout } from "./shard_spec.ts";
import { asProgramTensor, StepChain, type StepTensor } from "./step_chain.ts";

/** A reduction of a tensor of tiles. */
export interface Reduction {
  /** Full name: `ttnn.sum`, `ttnn.mean`, `ttnn.max` or `ttnn.min`. */
  readonly name: string;
  readonly operand: ShapedLayout;
  /** Dimensions in ascending order, none negative. */
  readonly dims: readonly number[];
  /** Shape of the result, with ones in place of the dimensions or without them. */
  readonly shape: readonly number[];
  /** Memory of the result: of a sharded one grid and kind count, with or without shard spec. */
  readonly asked: TtnnLayout;
}

/** What a reduction depends on besides its tensors. */
export interface ReductionContext extends Pick<LaunchContext, "chip" | "room"> {
  readonly ruleSet: Pick<ProgramRules, "fillsPadding">;
}

/** What a reduction does. */
export interface ReductionPlan {
  readonly result: ShapedLayout;
  readonly launched: KnownPrograms;
}

/** Why a reduction cannot run: stable name of the rule without its family, and a sentence. */
export interface ReductionFault {
  readonly rule: string;
  readonly fault: string;
}

/**
 * The steps of a reduction: padding filled, sums over dimensions in front of the tile, rows and columns of tiles, other
 * dimensions through transposes, and the dimensions dropped that are not kept. Every step makes its tensor and frees the
 * one before.
 */
export function planReduction(
  reduction: Reduction,
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

const KINDS: Readonly<Record<string, ReductionKind>> = {
  "ttnn.sum": "sum",
  "ttnn.mean": "mean",
  "ttnn.max": "max",
  "ttnn.min": "min",
};

class ReductionWork {
  readonly #chain = new StepChain();
  readonly #chip: ChipDescription;
  readonly #context: ReductionContext;
  readonly #kind: ReductionKind;
  readonly #format: DataType;
  readonly #reduction: Reduction;
  /** Whether sums over several dimensions stay f32 until the last. */
  readonly #staysWide: boolean;

  constructor(reduction: Reduction, context: ReductionContext) {
    this.#chip = context.chip;
    this.#context = context;
    this.#reduction = reduction;
    this.#kind = KINDS[reduction.name] ?? "sum";
    this.#format = reduction.operand.layout.dataType;
    const { operand: { shape }, dims } = reduction;
    this.#staysWide = (this.#kind === "sum" || this.#kind === "mean") && this.#format === "bf16" &&
      dims.length > 1 && dims.length < shape.length;
  }

  plan(): ReductionPlan {
    const { operand, shape, dims } = this.#reduction;
    const rows = operand.shape.length - 2;
    let tensor = this.#filled({ ...operand, buffer: undefined });
    let left = dims;
    if (this.#kind === "sum" && (this.#format === "bf16" || isBlockFloat(this.#format))) {
      const outer = dims.filter((dim) => dim < rows);
      left = dims.filter((dim) => dim >= rows);
      tensor = this.#sumOuter(tensor, outer.toReversed(), left.length > 0);
    }
    tensor = this.#reduced(tensor, left);
    const result = dropDimensions(this.#chain, tensor, shape, this.#chip);
    return { result, launched: this.#chain.launched(result, this.#chip) };
  }

  /** Padding filled in place; block floats take the way over bf16, whose copy lives until the end. */
  #filled(tensor: StepTensor): StepTensor {
    const { shape, layout } = tensor;
    const isWhole = (shape.at(-1) ?? 1) % 32 === 0 && (shape.at(-2) ?? 1) % 32 === 0;
    if (isWhole || !this.#context.ruleSet.fillsPadding) return tensor;
    const matrices = shape.slice(0, -2).reduce((product, extent) => product * extent, 1);
    if (isSharded(layout) && matrices > 1) {
      throw new StepFault(
        "padded-shards",
        `the padding of ${matrices} matrices of ${
          shape.slice(-2).join("x")
        } is not filled in shards; interleaved it is`,
      );
    }
    if (!isBlockFloat(layout.dataType)) {
      for (const program of fillPadding(asProgramTensor(tensor), this.#chip)) this.#chain.run(program);
      return tensor;
    }
    const wide = this.#filled(typecast(this.#chain, tensor, "bf16", this.#chip));
    return typecast(this.#chain, wide, layout.dataType, this.#chip);
  }

  /** Sums over dimensions in front of the tile, one program each; logical padding that they leave is cut off. */
  #sumOuter(operand: StepTensor, dims: readonly number[], goesOn: boolean): StepTensor {
    const { asked } = this.#reduction;
    let tensor = operand;
    for (const [index, dim] of dims.entries()) {
      const isLast = index === dims.length - 1 && !goesOn;
      const dataType = this.#staysWide && !isLast ? "f32" : this.#format;
      const shape = withOne(tensor.shape, dim);
      const memory = asked.ignorePhysicalLayout && isSharded(asked)
        ? { ...tensor.layout, bufferType: asked.bufferType, memoryLayout: asked.memoryLayout }
        : asked;
      if (memory !== asked && !isSharded(tensor.layout)) {
        throw new StepFault("no-shard-spec", "a sharded result needs a shard spec");
      }
      const layout = isSharded(asked)
        ? fitting({ shape, dataType }, memory)
        : reducedLayout({ shape, dataType }, asked, tensor.layout, this.#chip);
      const extent = tensor.shape[dim] ?? 1;
      tensor = this.#step(tensor, { shape, layout }, (from, to) => reduceOuter(from, to, extent, this.#chip));
    }
    const isRagged = tensor.shape.slice(-2).some((extent) => extent % 32 !== 0);
    if (dims.length === 0 || !isRagged) return tensor;
    return this.#step(tensor, tensor, (from, to) => copySlice(from, to, this.#chip));
  }

  #reduced(operand: StepTensor, dims: readonly number[]): StepTensor {
    const rank = operand.shape.length;
    const [rows, columns] = [rank - 2, rank - 1];
    const [first, second] = dims;
    if (first === undefined) return operand;
    if (second === undefined && first >= rows) {
      return first === columns
        ? this.#columns(operand, this.#format)
        : this.#rows(operand, rows, this.#format);
    }
    if (dims.length === 2 && first === rows && second === columns) {
      const { dataType } = operand.layout;
      const isWide = this.#kind === "sum" && (this.#format === "bf16" || this.#format === "f32");
      const narrow = this.#columns(operand, isWide || dataType === "f32" ? "f32" : this.#format);
      return this.#rows(narrow, rows, this.#format, false);
    }
    let tensor = operand;
    for (const dim of dims.toReversed()) {
      const dataType = !this.#staysWide ? tensor.layout.dataType : dim === first ? "bf16" : "f32";
      if (dim === columns) tensor = this.#columns(tensor, dataType);
      else if (dim === rows) tensor = this.#rows(tensor, dim, dataType);
      else {
        const turned = this.#exchanged(tensor, dim);
        const reduced = this.#rows(turned, rows, dataType);
        tensor = this.#exchanged(reduced, dim);
      }
    }
    return tensor;
  }

  #columns(tensor: StepTensor, dataType: DataType): StepTensor {
    const shape = withOne(tensor.shape, tensor.shape.length - 1);
    const layout = reducedLayout({ shape, dataType }, this.#reduction.asked, tensor.layout, this.#chip);
    return this.#step(
      tensor,
      { shape, layout },
      (from, to) => reduceColumns(this.#kind, from, to, this.#chip),
    );
  }

  /** @param maySplit whether two programs may share the work */
  #rows(operand: StepTensor, dim: number, dataType: DataType, maySplit = true): StepTensor {
    const shape = withOne(operand.shape, dim);
    const layout = reducedLayout({ shape, dataType }, this.#reduction.asked, operand.layout, this.#chip);
    const result = { shape, layout };
    const [from, to] = [asProgramTensor(operand), asProgramTensor(result)];
    const slices = maySplit ? rowSlices(this.#kind, from, to, this.#chip) : 1;
    if (slices > 1) return this.#sliced(operand, result, slices);
    if (negates(this.#kind, operand.layout.dataType)) {
      const { besideResults } = this.#context.room();
      if (2 * negatedRowsBytes(from, to, this.#chip) > besideResults) return this.#negated(operand, result);
    }
    return this.#step(operand, result, (a, b) => reduceRows(this.#kind, a, b, this.#chip));
  }

  /** Rows reduced slice by slice into rows of elements, and those in a second program. */
  #sliced(operand: StepTensor, result: ShapedLayout, slices: number): StepTensor {
    const { shape, layout } = result;
    const dataType = sliceFormat(this.#kind, operand.layout.dataType);
    const partial = this.#chain.make({
      shape: [...shape.slice(0, -2), slices, shape.at(-1) ?? 1],
      layout: { ...layout, dataType, tile: undefined },
    });
    const made = { ...result, buffer: undefined };
    const [first, second] = reduceSlices(
      asProgramTensor(operand),
      asProgramTensor(partial),
      asProgramTensor(made),
      slices,
      this.#chip,
    );
    this.#chain.run(first);
    const final = this.#chain.make(result);
    this.#chain.run(second);
    this.#chain.free(partial);
    this.#chain.free(operand);
    return final;
  }

  /** A minimum as the negated maximum of the negated operand, three programs. */
  #negated(operand: StepTensor, result: ShapedLayout): StepTensor {
    const negative = this.#step(operand, operand, (a, b) => negation(a, b, this.#chip));
    const largest = this.#step(negative, result, (a, b) => reduceRows("max", a, b, this.#chip));
    return this.#step(largest, result, (a, b) => negation(a, b, this.#chip));
  }

  /** A dimension in front of the tile exchanged with the rows; block floats take the way over bf16. */
  #exchanged(tensor: StepTensor, dim: number): StepTensor {
    const { dataType } = tensor.layout;
    if (isBlockFloat(dataType)) {
      const wide = typecast(this.#chain, tensor, "bf16", this.#chip);
      const turned = this.#exchanged(wide, dim);
      const narrow = typecast(this.#chain, turned, dataType, this.#chip);
      this.#chain.free(turned);
      this.#chain.free(tensor);
      return narrow;
    }
    const rows = tensor.shape.length - 2;
    const shape = tensor.shape.with(dim, tensor.shape[rows] ?? 1).with(rows, tensor.shape[dim] ?? 1);
    const layout = movedLayout({ shape, dataType }, this.#reduction.asked, tensor.layout, this.#chip);
    return this.#step(tensor, { shape, layout }, (a, b) => exchangeRows(a, b, dim, this.#chip));
  }

  /** Makes a tensor by one program and frees what it was made from. */
  #step(
    from: StepTensor,
    to: ShapedLayout,
    program: (from: ReturnType<typeof asProgramTensor>, to: ReturnType<typeof asProgramTensor>) => Parameters<
      StepChain["run"]
    >[0],
  ): StepTensor {
    const made = this.#chain.make({ shape: to.shape, layout: to.layout });
    this.#chain.run(program(asProgramTensor(from), asProgramTensor(made)));
    this.#chain.free(from);
    return made;
  }
}

function withOne(shape: readonly number[], dim: number): readonly number[] {
  return shape.with(dim, 1);
}
