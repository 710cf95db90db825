// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { type DataType, elementBytes } from "../../layout/data_type.ts";
import { fillsTiles, rowCount, withLeadingOnes } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { permutationKeepsPages, permutationOf } from "../../ops/view_shapes.ts";
import { copyProgram, moveSteps, permuteSharesBuffer } from "./memory_move.ts";
import {
  type DimensionExchange,
  EXCHANGED,
  exchangedOrder,
  exchangeProgram,
  permutation,
} from "./permute.ts";
import { typecastProgram } from "../eltwise/eltwise_program.ts";
import { type ChainStep, chainStep, endOf, freeing, launchChain } from "../launch_sequence.ts";
import { emptyRoom, type LaunchContext, type UnaryLaunch } from "../op_launch.ts";
import { NO_PROGRAMS, type OpPrograms, unknownPrograms } from "../program.ts";
import { interleavedMemory, layoutOf, type ProgramTensor, programTensor } from "../program_tensor.ts";
import {
  derivedShards,
  fillsShards,
  type PagedTensor,
  scaledShards,
  type ShapedLayout,
  shardExtent,
} from "../shard_spec.ts";

/** The action of one step of a `permute` or `transpose`. */
type PermuteAction = DimensionExchange | "move" | "clone" | "cast" | "permute";

/** A step with its result, which has at least four dimensions. */
export interface PermuteStage extends ShapedLayout {
  readonly action: PermuteAction;
  /** For action `permute`: the operand's dimensions in the order of the result's. */
  readonly order: readonly number[];
  /**
   * Number of directly preceding steps whose results nothing reads after this step; they are freed after it.
   */
  readonly frees: number;
}

export interface PermuteRequest {
  readonly operand: ShapedLayout;
  /** The operand's dimensions in the order of the result's. */
  readonly order: readonly number[];
  /** Whether the op is a `transpose`, which copies and casts where a `permute` moves. */
  readonly isTranspose: boolean;
}

/**
 * The steps of a `permute` or `transpose`, each with its result's layout: swaps of two dimensions if there
 * are such programs (for shards up to three in a row), otherwise one `Permute`; most of them, up
 * to four dimensions, are surrounded by casts of `bfp_bf8` to bf16 and back (`ttnn:backend-0-81-1`).
 *
 * @param asked memory of the result; `undefined` or without shard spec if the backend derives it
 */
export function permuteStages(
  { operand, order, isTranspose }: PermuteRequest,
  asked: TtnnLayout | undefined,
  chip: ChipDescription,
): readonly PermuteStage[] {
  if (permutationKeepsPages(operand.shape, order, operand.layout.tile !== undefined)) {
    const action = isTranspose ? "clone" : "move";
    return [{ ...operand, layout: asked ?? operand.layout, action, order, frees: 0 }];
  }
  const shape = withLeadingOnes(operand.shape, 4);
  const dims = liftedOrder(order);
  const exchanges = exchangesOf(operand, dims);
  const isPacked = operand.layout.dataType === "bfp_bf8";
  const castsAround = isPacked && dims.length <= 4 && !castsWithin(dims, isTranspose, operand.layout);
  const stages: PermuteStage[] = [];
  let now: ShapedLayout = { shape, layout: operand.layout };
  const step = (
    action: PermuteAction,
    next: ShapedLayout,
    { frees = 0, dataType = now.layout.dataType, order = dims }: Partial<PermuteStage & PagedTensor> = {},
  ): void => {
    now = { ...next, layout: { ...next.layout, dataType } };
    stages.push({ ...now, action, order, frees });
  };
  const gather = (): void => {
    if (isGatheredFirst(now)) {
      step("move", { ...now, layout: interleavedMemory("l1", now.layout.dataType, undefined) });
    }
  };
  const cast = (dataType: DataType, frees: number = 0): void => step("cast", now, { frees, dataType });
  if (castsAround) cast("bf16");
  for (const [index, exchange] of exchanges.entries()) {
    const isLast = index === exchanges.length - 1;
    const memory = isLast ? asked : undefined;
    gather();
    const isRows = now.layout.tile === undefined;
    if (isRows && (!isSharded(now.layout) || (exchange === "wh" && exceedsL1(now, chip)))) {
      const order = exchangedOrder(4, EXCHANGED[exchange]);
      step("permute", exchanged(now, exchange, memory, chip), { order });
      continue;
    }
    const casts = exchange === "hc" && now.layout.dataType === "bfp_bf8";
    if (casts) cast("bf16");
    // Tensors between two casts are freed after the second cast, those between swaps after the last swap.
    step(exchange, exchanged(now, exchange, memory, chip), { frees: isLast && castsAround ? index : 0 });
    if (casts) cast("bfp_bf8", 2);
  }
  if (exchanges.length === 0) {
    gather();
    step("permute", permuted(now, dims, asked, chip));
  }
  if (castsAround) cast("bfp_bf8");
  return stages;
}

function liftedOrder(order: readonly number[]): readonly number[] {
  const added = Math.max(0, 4 - order.length);
  return [...Array.from({ length: added }, (_, dim) => dim), ...order.map((dim) => dim + added)];
}

/** Permutations that are swaps of two dimensions, as sequences of swaps. */
type Exchanges = Readonly<Record<string, readonly DimensionExchange[]>>;

const EXCHANGES: Exchanges = { "0132": ["wh"], "0213": ["hc"], "1023": ["cn"] };

/** Permutations of shards as sequences of swaps. */
const EXCHANGES_OF_SHARDS: Exchanges = {
  "0231": ["hc", "wh"],
  "0312": ["wh", "hc"],
  "0321": ["wh", "hc", "wh"],
};

/** Whether a dimension order swaps two dimensions with their own program. */
export function isExchange(order: readonly number[]): boolean {
  return EXCHANGES[liftedOrder(order).join("")] !== undefined;
}

/** The swaps of a permutation; none if it is one `Permute`. Row-major tensors have swaps only in shards. */
function exchangesOf({ shape, layout }: ShapedLayout, dims: readonly number[]): readonly DimensionExchange[] {
  if (layout.tile === undefined && (!isSharded(layout) || isGatheredFirst({ shape, layout }))) return [];
  const key = dims.join("");
  return EXCHANGES[key] ?? (isSharded(layout) ? EXCHANGES_OF_SHARDS[key] : undefined) ?? [];
}

/**
 * Whether a row-major tensor is moved to interleaved L1 first: if shards split it and its matrices are not
 * whole tiles.
 */
function isGatheredFirst({ shape, layout }: ShapedLayout): boolean {
  return layout.tile === undefined && isSharded(layout) && layout.memoryLayout !== "height_sharded" &&
    !fillsTiles(shape);
}

/** Whether a matrix in tiles exceeds L1, so that its rows are permuted in blocks. */
function exceedsL1({ shape, layout: { dataType } }: ShapedLayout, chip: ChipDescription): boolean {
  const [rows = 1, columns = 1] = shape.slice(-2).map((extent) => roundUp(extent, 32));
  return (2 * columns + 2 * rows + rows * columns) * elementBytes(dataType) > emptyRoom(chip).beforeResults;
}

/** The shape with the columns that the last shard of a row-major tensor adds. */
function paddedRows({ shape, layout }: ShapedLayout): readonly number[] {
  if (layout.tile !== undefined || !isSharded(layout)) return shape;
  return shape.with(-1, roundUp(shape.at(-1) ?? 1, shardExtent(layout)[1]));
}

/** Whether `bfp_bf8` tiles are permuted without casts around all steps. */
function castsWithin(dims: readonly number[], isTranspose: boolean, layout: TtnnLayout): boolean {
  const key = dims.join("");
  if (isTranspose) return EXCHANGES[key] !== undefined;
  return ["0132", "1023", "1032"].includes(key) || isSharded(layout);
}

function permuted(
  operand: ShapedLayout,
  dims: readonly number[],
  asked: TtnnLayout | undefined,
  chip: ChipDescription,
): ShapedLayout {
  const shape = dims.map((dim) => operand.shape[dim] ?? 1);
  const memory = asked ?? operand.layout;
  const isGiven = !isSharded(memory) || (asked !== undefined && !asked.ignorePhysicalLayout);
  return { shape, layout: isGiven ? memory : derived(operand, shape, memory, chip) };
}

/** The layout of a swap's result. */
function exchanged(
  operand: ShapedLayout,
  exchange: DimensionExchange,
  asked: TtnnLayout | undefined,
  chip: ChipDescription,
): ShapedLayout {
  const { layout } = operand;
  const { dataType, tile } = layout;
  const order = exchangedOrder(4, EXCHANGED[exchange]);
  const isGiven = asked !== undefined && !(isSharded(asked) && asked.ignorePhysicalLayout);
  if (isGiven || !isSharded(layout)) return permuted(operand, order, asked, chip);
  const shape = order.map((dim) => operand.shape[dim] ?? 1);
  const padded = { shape: paddedRows(operand), layout };
  const made = order.map((dim) => padded.shape[dim] ?? 1);
  if (
    !isLine(operand) ||
    (asked !== undefined && (exchange === "cn" || asked.memoryLayout !== layout.memoryLayout))
  ) {
    return { shape, layout: derived(operand, made, asked ?? layout, chip) };
  }
  if (exchange === "cn") return { shape, layout };
  const [batch, channels, , columns = 1] = padded.shape;
  const isWide = roundUp(columns, tile?.width ?? 1) === shardExtent(layout)[1];
  if (exchange === "wh" && asked === undefined && batch === 1 && channels === 1 && isWide) {
    const gridShape = layout.gridShape.toReversed();
    const shardShape = layout.shardShape.toReversed();
    return { shape, layout: { ...layout, memoryLayout: "width_sharded", gridShape, shardShape } };
  }
  const elsewhere = () =>
    asked === undefined ? interleavedMemory("l1", dataType, tile) : derived(operand, made, asked, chip);
  return { shape, layout: scaledShards(padded, { shape: made, dataType, tile }) ?? elsewhere() };
}

/**
 * Whether a tensor fills height or width shards; row-major shards must hold as many elements as whole tiles.
 */
function isLine(operand: ShapedLayout): boolean {
  const { shape, layout } = operand;
  if (!isSharded(layout) || layout.memoryLayout === "block_sharded") return false;
  if (layout.tile !== undefined) return fillsShards(operand);
  const [height, width] = shardExtent(layout);
  return rowCount(shape) % height === 0 && height * width % TILE_ELEMENTS === 0;
}

const TILE_ELEMENTS = 1024;

/** @param shape of the result, including the operand's row padding if the program keeps it */
function derived(
  operand: ShapedLayout,
  shape: readonly number[],
  memory: TtnnLayout,
  chip: ChipDescription,
): TtnnLayout {
  const { dataType, tile } = operand.layout;
  const padded = { ...operand, shape: paddedRows(operand) };
  // Row-major shards are also sized in units of tiles.
  return derivedShards(chip, padded, { shape, dataType, tile }, memory, [32, 32]);
}

/** `permute` and `transpose`. */
export function permutePrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const order = permutationOf(op, input.shape.length);
  if (order === undefined) return unknownPrograms(op.name, "its dimensions are not a permutation");
  if (permuteSharesBuffer(input, output, order)) return NO_PROGRAMS;
  const isTranspose = op.name === "ttnn.transpose";
  return launchChain(permuteSteps(input, { order, isTranspose }, layoutOf(output), chip, output), chip);
}

/**
 * The programs of {@linkcode permuteStages}, on tensors of at least four dimensions.
 *
 * @param output the last step's result, if known
 */
export function permuteSteps(
  input: ProgramTensor,
  request: Omit<PermuteRequest, "operand">,
  asked: TtnnLayout | undefined,
  chip: ChipDescription,
  output?: ProgramTensor,
): readonly ChainStep[] {
  const operand = { shape: input.shape, layout: layoutOf(input) };
  const stages = permuteStages({ ...request, operand }, asked, chip);
  const steps: ChainStep[] = [];
  let now = { ...input, shape: withLeadingOnes(input.shape, 4) };
  for (const [index, { action, order, shape, layout, frees }] of stages.entries()) {
    const isLast = index === stages.length - 1;
    const made = isLast && output !== undefined
      ? { ...output, shape: withLeadingOnes(output.shape, 4) }
      : programTensor({ shape, dataType: layout.dataType }, layout);
    const freed = steps.slice(steps.length - frees).map(({ tensor }) => tensor).toReversed();
    steps.push(...freeing(stagePrograms(action, now, made, order, chip), ...freed));
    now = made;
  }
  return steps;
}

/**
 * Adds a permute into a requested layout to a chain; its intermediates are freed by its last step.
 *
 * @returns the permuted tensor
 */
export function addPermute(
  steps: ChainStep[],
  input: ProgramTensor,
  request: Omit<PermuteRequest, "operand">,
  asked: TtnnLayout,
  chip: ChipDescription,
): ProgramTensor {
  const own = permuteSteps(input, request, asked, chip);
  const made = endOf(own, input);
  const frees = own.map(({ tensor }) => tensor).filter((tensor) => tensor !== made).toReversed();
  for (const step of own) steps.push(step.tensor === made ? { ...step, frees } : step);
  return made;
}

function stagePrograms(
  action: PermuteAction,
  input: ProgramTensor,
  output: ProgramTensor,
  order: readonly number[],
  chip: ChipDescription,
): readonly ChainStep[] {
  switch (action) {
    case "move":
      return moveSteps(input, output, chip);
    case "clone":
      return [chainStep(output, copyProgram(input, output, chip))];
    case "cast":
      return [chainStep(output, typecastProgram(input, output, chip))];
    case "permute":
      return [chainStep(output, permutation(input, output, order, chip))];
    default:
      return [chainStep(output, exchangeProgram(action, input, output, chip))];
  }
}
