// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { rowElementBytes } from "../../layout/data_type.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { POOL2D } from "../../ops/attributes/window.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { windowOf } from "../../ops/op_windows.ts";
import { indexFormat } from "../../ops/sliding_window.ts";
import { moveSteps, shardTransfer } from "../data_movement/memory_move.ts";
import { reshaping } from "../data_movement/reshape.ts";
import { chainStep, freeing, intoResult, jointSteps, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch, UnaryLaunch } from "../op_launch.ts";
import { globalMeanPrograms, meanPrograms } from "./image_mean.ts";
import {
  automaticConfig,
  dropsShards,
  isMean,
  kernelBytes,
  type MeanPool,
  planPool,
  type PoolKind,
  type PoolRequest,
  shardsOf,
  type WindowPool,
} from "./pool_plan.ts";
import { type KnownPrograms, type OpPrograms, type PoolProgram, unknownPrograms } from "../program.ts";
import {
  type ProgramTensor,
  programTensor,
  rowMajorTensor,
  sameShards,
  withShape,
} from "../program_tensor.ts";
import { elementShard, shardedTensor } from "../shard_spec.ts";
import { gatherSteps, poolOf } from "../sliding_window/halo.ts";
import { paddedSlice } from "../sliding_window/padded_slice.ts";
import { coresOfConfig } from "../sliding_window/parallel_config.ts";
import { automaticSlices, partsOf, type Slicing, type WindowPart } from "../sliding_window/sliced_window.ts";
import {
  type ConvolutionRefusal,
  coreBounds,
  haloSticks,
  inputPixels,
  isRefused,
  outputPixels,
  refused,
} from "../sliding_window/sliding_window.ts";

/** Reads a pool; `undefined` if attributes are missing or the window does not fit. */
export function poolRequest(
  op: Pick<OpLaunch, "name" | "attributes">,
  input: ProgramTensor,
  chip: ChipDescription,
): PoolRequest | undefined {
  const window = windowOf(op);
  const pool = readAttributes(op, POOL2D);
  return window === undefined ? undefined : {
    window,
    kind: kindOf(op),
    countsPadding: pool.count_include_pad,
    input,
    tablesInDram: pool.config_tensors_in_dram,
    reallocatesHalo: pool.reallocate_halo_output,
    chip,
  };
}

function kindOf({ name }: Pick<OpLaunch, "name">): PoolKind {
  const { family } = definitionOf(name);
  return family === "avg_pool" ? "average" : family === "max_pool_with_indices" ? "indexed_max" : "max";
}

/** `max_pool2d`, `avg_pool2d`: shards, halo, reduction of windows; a pool over the whole image is a mean. */
export function poolPrograms(op: UnaryLaunch, context: LaunchContext): OpPrograms {
  const { chip } = context;
  const { input, output, outputs: [, indices] } = op;
  if (definitionOf(op.name).family === "global_pool") return globalMeanPrograms(input, output, chip);
  const request = poolRequest(op, input, chip);
  if (request === undefined) {
    return unknownPrograms(op.name, "batch, image, channels or kernel are missing or do not fit");
  }
  const plan = routePool(request, () => context.room().freeBytes);
  if (isRefused(plan)) return unknownPrograms(op.name, plan.reason);
  return launchPool(plan, [output, indices]);
}

/**
 * The programs of a pool in the backend's order. @param outputs the result, and the indices if the pool has
 * them
 */
export function launchPool(
  plan: PoolRoute,
  outputs: readonly [ProgramTensor, ProgramTensor | undefined],
): KnownPrograms {
  switch (plan.kind) {
    case "mean":
      return meanPrograms(plan, outputs[0]);
    case "sliced":
      return slicePrograms(plan, outputs[0]);
    case "windows":
      return windowPrograms(plan, outputs);
  }
}

function windowPrograms(
  plan: WindowPool,
  [output, indices]: readonly [ProgramTensor, ProgramTensor | undefined],
): KnownPrograms {
  const { request, halo, shards, result } = plan;
  const { chip } = request;
  const staged = shards === undefined ? [] : moveSteps(request.input, shards, chip);
  const drops = dropsShards(plan) ? shards : undefined;
  const dataType = indexFormat(request.window);
  const counted = programTensor({ shape: result.shape, dataType }, { ...plan.resultLayout, dataType });
  const made = [[result, output] as const, ...indices === undefined ? [] : [[counted, indices] as const]]
    .map(([own, wanted]) => ({ own, wanted, isWanted: !wanted.tiled && sameShards(own, wanted) }));
  const steps = [
    ...staged,
    ...gatherSteps(halo, request.reallocatesHalo, drops),
    ...jointSteps(
      made.map(({ own, wanted, isWanted }) => isWanted ? wanted : own),
      poolProgram(plan),
      (index) => made[index]?.isWanted === true,
      { smallTables: plan.tablesInL1Small },
    ),
    ...made.flatMap(({ own, wanted, isWanted }, index) =>
      isWanted ? [] : intoResult(freeing(moveSteps(own, wanted, chip), own), index)
    ),
  ];
  const kept = shards === undefined || drops !== undefined ? [] : [shards];
  return launchChain(freeing(steps, halo.output, ...kept), chip);
}

/** Reshapes a tiled operand whose image rows do not fill tiles; then writes slice after slice to DRAM. */
function slicePrograms({ request, slices }: SlicedPool, output: ProgramTensor): KnownPrograms {
  const { input, window, chip } = request;
  const image = withShape(input, [window.batch, window.inputHeight, window.inputWidth, window.inChannels]);
  const pooled = [1, 1, outputPixels(window), window.outChannels];
  const isWanted = output.placement === "dram_interleaved";
  const made = isWanted ? output : rowMajorTensor(pooled, "bf16", "dram");
  const part = { ...made, bytes: made.bytes / slices.length };
  return launchChain([
    { tensor: image, programs: reshaping(input, image, chip).programs, inPlace: true },
    { tensor: made, programs: [], result: isWanted ? 0 : undefined },
    ...slices.flatMap((plan) => [
      chainStep(plan.request.input, paddedSlice(image, plan.request.input, chip)),
      ...gatherSteps(plan.halo, true, plan.request.input),
      {
        ...chainStep(plan.result, poolProgram(plan), [plan.halo.output]),
        smallTables: plan.tablesInL1Small,
      },
      { ...chainStep(made, shardTransfer(plan.result, part), [plan.result]), inPlace: true },
    ]),
    ...isWanted ? [] : freeing(moveSteps(made, output, chip), made),
  ], chip);
}

function poolProgram({ request, config, halo, pixels, result, circularBuffers }: WindowPool): PoolProgram {
  const { window } = request;
  const { kernelHeight, kernelWidth } = window;
  const windowPixels = kernelHeight * kernelWidth;
  const channelTiles = Math.max(1, Math.ceil(elementShard(result)[1] / 32));
  return {
    ...poolOf(halo, result, circularBuffers),
    cores: coresOfConfig(config),
    flops: outputPixels(window) * windowPixels * channelTiles * config.columns * 32,
    pixels,
    windowPixels,
    windowReads: poolReads(kernelHeight, kernelWidth),
    channelTiles,
  };
}

/** Pixels of a window per reduction: the rows of a face. */
const PIXELS_AT_ONCE = 16;

/** Reads per window: one per row, or one per pixel if the window needs several reductions. */
export function poolReads(height: number, width: number): number {
  return height * width <= PIXELS_AT_ONCE ? height : height * width;
}

/** A pool that reads and writes DRAM slice by slice. */
export interface SlicedPool {
  readonly kind: "sliced";
  readonly request: PoolRequest;
  /** Each reads its part of the operand. */
  readonly slices: readonly WindowPool[];
}

/** The implementation of a pool. */
export type PoolRoute = WindowPool | MeanPool | SlicedPool;

/**
 * The backend's implementation of a pool: a DRAM operand whose shards do not fit beside the live tensors is
 * sliced (`ttnn:backend-0-81-1`). Pools with indices are not sliced.
 *
 * @param freeBytes L1 per core beside the live tensors; evaluated only for DRAM operands
 */
export function routePool(request: PoolRequest, freeBytes: () => number): PoolRoute | ConvolutionRefusal {
  if (request.input.placement !== "dram_interleaved" || request.kind === "indexed_max" || isMean(request)) {
    return planPool(request);
  }
  const whole = planPool(request);
  if (isRefused(whole) && whole.refused !== "pages") return whole;
  const slicing = automaticSlices<ConvolutionRefusal>(
    { window: request.window, transposed: false },
    "row_major",
    (part) => bytesOfPart(request, part),
    freeBytes(),
  );
  if (slicing === undefined) {
    return refused("dram-slices", `no number of slices fits into ${freeBytes()} B of L1 per core`);
  }
  if (isRefused(slicing)) return slicing;
  return slicing.count === 1 ? whole : planSlices(request, slicing);
}

/** Least bytes of a shard row with which the result counts in addition to the operand. */
const COUNTED_ROW = 32;

/**
 * The backend's estimate of L1 per core for a slice: its shards, or the kernel's buffers and result, in
 * addition to the halo. For stride-1 windows over a single image all of them count at once (observed; reason
 * unknown).
 */
function bytesOfPart(request: PoolRequest, { window }: WindowPart): number {
  const part = { ...request, window };
  const config = automaticConfig(part);
  const [rows, columns] = elementShard(shardsOf(part, config));
  const row = columns * rowElementBytes("bf16");
  const halo = haloSticks(coreBounds({ window, transposed: false }, config.rows, 1)) * row;
  const kernel = kernelBytes(part, config, row);
  const isSum = window.batch === 1 && window.strideHeight === 1 && window.strideWidth === 1 &&
    row >= COUNTED_ROW;
  return halo + (isSum ? rows * row + kernel : Math.max(rows * row, kernel));
}

function planSlices(request: PoolRequest, slicing: Slicing): SlicedPool | ConvolutionRefusal {
  const slices: WindowPool[] = [];
  for (const { window } of partsOf({ window: request.window, transposed: false }, slicing, "row_major")) {
    const part = { ...request, window, reallocatesHalo: true };
    const config = automaticConfig(part);
    const shape = [1, 1, inputPixels(window), window.inChannels];
    const rows = { shape, dataType: "bf16", tiled: false } as const;
    const input = shardedTensor(rows, config, elementShard(shardsOf(part, config)));
    const plan = planPool({ ...part, input });
    if (isRefused(plan)) return plan;
    if (plan.kind === "windows") slices.push(plan);
  }
  return { kind: "sliced", request, slices };
}
