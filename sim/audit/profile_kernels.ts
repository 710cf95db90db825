// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { MathFidelity, OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { Attribute } from "../../lib/ir/attribute.ts";
import {
  multicastAlongBothAxes,
  multicastAlongOneAxis,
  type MulticastBlocking,
} from "../../lib/programs/multicast_config.ts";
import { chipDescription, type Device, withConstants } from "../devices/device.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { collectiveProgram } from "../../lib/programs/collective_program.ts";
import { moveProgram } from "../../lib/programs/page_copy.ts";
import { permutation, transposeTiles } from "../../lib/programs/permute.ts";
import { shardProgram, tileWork } from "../../lib/programs/eltwise_program.ts";
import type { OpLaunch } from "../../lib/programs/op_launch.ts";
import type { KnownPrograms } from "../../lib/programs/program.ts";
import { isInterleaved, type ProgramTensor } from "../../lib/programs/program_tensor.ts";
import { shardTransfer } from "../../lib/programs/memory_move.ts";
import { relayout } from "../../lib/programs/relayout.ts";
import { reshapeRows, reshapeTiles } from "../../lib/programs/reshape.ts";
import { sliceRows, sliceTiles } from "../../lib/programs/slice.ts";
import { shardConversion, tilizeProgram } from "../../lib/programs/tilize.ts";
import type { KernelCost } from "../kernels/kernel.ts";
import { priceLaunch } from "../kernels/price_launch.ts";
import { priceOp, priceProgram } from "../kernels/price_program.ts";
import { fidelityNamed } from "./matmul_rows.ts";
import { dialectName } from "./measured_ops/eltwise.ts";
import { attributesOf } from "./op_question.ts";
import {
  integer,
  profiledConvolution,
  profiledHalo,
  profiledPool,
  type Timed,
  timed,
} from "./profile_windows.ts";
import type { ProfileTensors } from "./profile_tensor.ts";

/** Device ops whose kernel model is that of a cost class, with the TTNN op that it stands for. */
const BY_CLASS: Readonly<Record<string, readonly [CostClass, string]>> = {
  ConcatDeviceOperation: ["concat", "ttnn.concat"],
  CopyDeviceOperation: ["concat", "ttnn.assign"],
  PadDeviceOperation: ["pad", "ttnn.pad"],
  TypecastDeviceOperation: ["typecast", "ttnn.typecast"],
  LayerNormDeviceOperation: ["norm", "ttnn.layer_norm"],
  SoftmaxDeviceOperation: ["softmax", "ttnn.softmax"],
  RotaryEmbeddingLlamaDeviceOperation: ["rotary", "ttnn.rotary_embedding_llama"],
  NlpCreateHeadsDeviceOperation: ["heads", "ttnn.nlp_create_qkv_heads"],
  NLPConcatHeadsDeviceOperation: ["heads", "ttnn.concatenate_heads"],
  EmbeddingsDeviceOperation: ["embedding", "ttnn.embedding"],
  UpsampleOperation: ["upsample", "ttnn.upsample"],
  MatmulDeviceOperation: ["matmul", "ttnn.matmul"],
  Matmul: ["matmul", "ttnn.matmul"],
};

/** A device op of a profile as its model reads it. */
interface ProfiledKernel {
  readonly kind: string;
  /** What the row says behind the kind: the function of an elementwise op. */
  readonly detail: string;
  /** As the profiler prints them, perhaps cut. */
  readonly attributes: string;
  readonly fidelity: MathFidelity;
  readonly tensors: ProfileTensors;
  readonly inputs: readonly ProgramTensor[];
  /** The first input. */
  readonly input: ProgramTensor;
  readonly output: ProgramTensor;
}

type KernelModel = (op: ProfiledKernel) => Timed | undefined;

const shardMove: KernelModel = ({ input, output }) => timed(() => shardTransfer(input, output));
/** The kernels that were profiled take whole rows of tiles. */
const untilize: KernelModel = ({ input, output }) => (device) =>
  isInterleaved(input) && isInterleaved(output)
    ? priceProgram(tilizeProgram(input, output, chipDescription(device), "plain"), device)
    : priceOp(relayout(input, output, chipDescription(device)), device);

/** Device ops with a model of their own. */
const BY_KIND: Readonly<Record<string, KernelModel>> = {
  UnaryDeviceOperation: profiledEltwise,
  BinaryDeviceOperation: profiledEltwise,
  BinaryNgDeviceOperation: profiledEltwise,
  InterleavedToShardedDeviceOperation: shardMove,
  ShardedToInterleavedDeviceOperation: shardMove,
  ReshardDeviceOperation: shardMove,
  Reshard: shardMove,
  ReduceDeviceOperation: profiledSum,
  FastReduceNCDeviceOperation: profiledSum,
  MoveDeviceOperation: ({ input, output }) => timed((chip) => moveProgram(input, output, chip)),
  TilizeWithValPaddingDeviceOperation: ({ input, output }) => (device) =>
    priceOp(waitingPerRow(input, relayout(input, output, chipDescription(device))), waitingPerTile(device)),
  TilizeDeviceOperation: ({ input, output }) => (device) =>
    priceOp(relayout(input, output, chipDescription(device)), waitingPerTile(device)),
  UntilizeDeviceOperation: untilize,
  UntilizeWithUnpaddingDeviceOperation: untilize,
  SliceDeviceOperation: ({ input, output }) =>
    timed((chip) => input.tiled ? sliceTiles(input, output, chip) : sliceRows(input, output, 0, chip)),
  PaddedSliceDeviceOperation: ({ input, output }) => (device) => paddedSlice(input, output, device),
  TransposeDeviceOperation: profiledTransposition,
  ReshapeDeviceOperation: profiledReshape,
  ReshapeViewDeviceOperation: profiledReshape,
  PermuteDeviceOperation: ({ attributes, input, output }) =>
    timed((chip) => permutation(input, output, printedOrder(attributes, input), chip)),
  HaloDeviceOperation: ({ attributes, tensors, input, output }) =>
    profiledHalo(attributes, tensors, input, output),
  Conv2dDeviceOperation: windowed,
  OptimizedConvNew: windowed,
  Pool2D: ({ attributes, tensors, output }) => profiledPool(attributes, tensors, output),
  AllGatherAsyncDeviceOperation: collective,
  ReduceScatterMinimalAsyncDeviceOperation: collective,
};

/** The model of a profiled device op; `undefined` when there is none. */
export function profiledKernel(
  op: string,
  attributes: string,
  fidelityName: string,
  tensors: ProfileTensors,
): Timed | undefined {
  const [kind = "", detail = ""] = op.split(":");
  const { inputs, output } = tensors;
  const [input] = inputs;
  if (input === undefined || output === undefined) return undefined;
  const fidelity = fidelityNamed(fidelityName) ?? "hifi2";
  const model = BY_CLASS[kind] === undefined ? BY_KIND[kind] : pricedByClass;
  return model?.({ kind, detail, attributes, fidelity, tensors, inputs, input, output });
}

function pricedByClass({ kind, attributes, fidelity, inputs, output }: ProfiledKernel): Timed | undefined {
  const known = BY_CLASS[kind];
  if (known === undefined) return undefined;
  const [costClass, name] = known;
  const product = costClass === "matmul";
  const config = product ? matmulConfig(attributes, fidelity, inputs, output) : undefined;
  const priced = pricedOp(name, product ? inputs.map(asFusedBias) : inputs, output, config);
  return (device) => priceLaunch(costClass, priced, device);
}

/** A sum over the dimensions that the result lost. */
function profiledSum({ input, output }: ProfiledKernel): Timed {
  const lost = input.shape.flatMap((extent, dim) => extent === output.shape[dim] ? [] : [dim]);
  const priced = {
    ...pricedOp("ttnn.sum", [input], output, undefined),
    attributes: attributesOf({ dim_arg: lost }),
  };
  return (device) => priceLaunch("reduction", priced, device);
}

/** A view would not have run; extents are those of the buffers, so that one does not see it. */
function profiledReshape({ input, output }: ProfiledKernel): Timed {
  return input.tiled || output.tiled
    ? timed((chip) => reshapeTiles(input, output, chip))
    : timed((chip) => reshapeRows(input, output, chip));
}

function windowed({ attributes, fidelity, tensors, output }: ProfiledKernel): Timed | undefined {
  return profiledConvolution(attributes, fidelity, tensors, output);
}

/** Within tiles (WH), of whole pages (CN), or of rows with the dimensions outside of them (HC). */
function profiledTransposition({ attributes, input, output }: ProfiledKernel): Timed {
  if (attributes.includes("TransposeOpDim::WH")) {
    return timed((chip) => transposeTiles(input, output, [], chip));
  }
  return attributes.includes("TransposeOpDim::CN")
    ? (device) => priceLaunch("concat", pricedOp("ttnn.concat", [input], output, undefined), device)
    : timed((chip) => permutation(input, output, swappedRows(input), chip));
}

/** A unary or binary function; `undefined` where its name is none of the dialect's. */
function profiledEltwise({ kind, detail, attributes, inputs, output }: ProfiledKernel): Timed | undefined {
  const name = dialectName(/BinaryOpType::(\w+)/.exec(attributes)?.[1] ?? detail);
  if (name === undefined) return undefined;
  const { vectorFunction } = definitionOf(name);
  if (vectorFunction === undefined) return undefined;
  // The older device operations work on shards even where the last one is not full.
  const onShards = kind !== "BinaryNgDeviceOperation" &&
    [...inputs, output].every((tensor) => tensor.placement === "l1_sharded");
  if (onShards) return timed(() => shardProgram(output, tileWork(vectorFunction, [])));
  const isUnary = kind === "UnaryDeviceOperation";
  const operands = inputs.slice(0, isUnary ? 1 : 2);
  const scalar = kind === "BinaryNgDeviceOperation" && operands.length === 1 ? 1 : undefined;
  const priced = { ...pricedOp(name, operands, output, undefined), attributes: attributesOf({ scalar }) };
  return (device) => priceLaunch(isUnary ? "eltwise_unary" : "eltwise_binary", priced, device);
}

/** The third operand of a profiled matmul is the row that its program adds; the profile shows it padded to a tile. */
function asFusedBias(tensor: ProgramTensor, index: number): ProgramTensor {
  return index < 2 ? tensor : { ...tensor, shape: [tensor.shape.at(-1) ?? 1] };
}

/** `padded_slice`: a part of an interleaved tensor into shards, untilized on the way where it is tiled. */
function paddedSlice(input: ProgramTensor, output: ProgramTensor, device: Device): KernelCost {
  const part = { ...input, bytes: output.bytes, tiles: output.tiles, extent: output.extent };
  return input.tiled
    ? priceProgram(shardConversion(part, output, []), device)
    : priceProgram(shardTransfer(part, output, false), device);
}

function pricedOp(
  name: string,
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  config: OpSpecificAttributes | undefined,
): OpLaunch {
  return { name, attributes: new Map<string, Attribute>(), inputs, outputs: [output], config };
}

/** Dimensions with the third-last and second-last swapped. */
function swappedRows({ shape }: ProgramTensor): readonly number[] {
  const rank = shape.length;
  return shape.map((_, dim) => dim === rank - 2 ? rank - 3 : dim === rank - 3 ? rank - 2 : dim);
}

/**
 * Programs of these profiles, which are of 2025, that wait for every row of elements before they fill up its end; later
 * ones wait once per row of tiles (published:ops-2; here 488 us for 25,281 rows of 256 elements).
 */
function waitingPerRow(input: ProgramTensor, { status, programs }: KnownPrograms): KnownPrograms {
  return {
    status,
    programs: programs.map((program) =>
      program.kind === "stream" ? { ...program, readBarriers: input.extent[0] / program.units } : program
    ),
  };
}

/**
 * The device as these profiles had it, whose tilize waits until each tile has arrived; later ones wait until it has left
 * (tt-metal:tilize-untilize; here 426 cycles per tile of p150, rows of 8 tiles on 20 cores).
 */
function waitingPerTile(device: Device): Device {
  let waiting = WAITING_PER_TILE.get(device);
  if (waiting === undefined) {
    const stream = { tileDeparture: device.noc.writeLatency };
    waiting = withConstants(device, { stream }, "tt-perf-report:profiles", "measured");
    WAITING_PER_TILE.set(device, waiting);
  }
  return waiting;
}

/** By device as it is now: a fit asks for the same one with every row. */
const WAITING_PER_TILE: WeakMap<Device, Device> = new WeakMap();

/** The order of dimensions that the profiler prints. */
function printedOrder(attributes: string, { shape }: ProgramTensor): readonly number[] {
  const printed = /'dims': 'SmallVector\(\[([\d; ]+)\]\)/.exec(attributes)?.[1];
  return printed === undefined ? shape.map((_, dim) => dim) : printed.split(";").map(Number);
}

/**
 * Program config and compute config of a matmul, as the profiler prints them. The text may be cut; blocks that it no
 * longer shows are those that spread the output evenly over the grid.
 */
function matmulConfig(
  attributes: string,
  mathFidelity: MathFidelity,
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
): OpSpecificAttributes {
  const computeConfig = {
    mathFidelity,
    fp32DestAccEn: /fp32_dest_acc_en=1/.test(attributes),
    packerL1Acc: /packer_l1_acc=1/.test(attributes),
  };
  const kind = /program_config': '(\w+)\(/.exec(attributes)?.[1];
  const grid = /compute_with_storage_grid_size=\(x=(\d+);y=(\d+)\)/.exec(attributes);
  const in0BlockW = integer(attributes, "in0_block_w");
  if (
    grid === null || in0BlockW === undefined || kind?.startsWith("MatmulMultiCoreReuseMultiCast") !== true
  ) {
    return { kind: "matmul", computeConfig };
  }
  const [columns, rows] = [Number(grid[1]), Number(grid[2])];
  const oneDimension = kind.includes("1D");
  const tilesM = Math.ceil((inputs[0]?.shape.at(-2) ?? 1) / 32);
  const tilesN = Math.ceil((output.shape.at(-1) ?? 1) / 32);
  // Without the flag, a 1D program multicasts the operand of the shorter side.
  const mcastIn0 = /mcast_in0=(\w+)/.exec(attributes)?.[1] ?? (tilesN > tilesM ? "1" : "0");
  const tall = oneDimension && !/1|true/.test(mcastIn0);
  const wide = oneDimension && !tall;
  const perCoreM = integer(attributes, "per_core_M") ??
    (wide ? tilesM : Math.ceil(tilesM / (tall ? rows * columns : rows)));
  const perCoreN = integer(attributes, "per_core_N") ??
    (tall ? tilesN : Math.ceil(tilesN / (wide ? rows * columns : columns)));
  const blocking: MulticastBlocking = {
    grid: [columns, rows],
    perCoreM,
    perCoreN,
    block: {
      height: integer(attributes, "out_block_h") ?? perCoreM,
      width: integer(attributes, "out_block_w") ?? perCoreN,
      in0BlockW,
    },
    subblock: [integer(attributes, "out_subblock_h") ?? 1, integer(attributes, "out_subblock_w") ?? 1],
  };
  const fuseBatch = !/fuse_batch=(0|false)/.test(attributes) &&
    (inputs[1]?.shape.slice(0, -2) ?? []).every((n) => n === 1);
  const programConfig = oneDimension
    ? multicastAlongOneAxis(blocking, { mcastIn0: wide, fuseBatch })
    : multicastAlongBothAxes(blocking, { fuseBatch });
  return { kind: "matmul", computeConfig, programConfig };
}

function collective({ kind, attributes, input, output }: ProfiledKernel): Timed {
  const scatters = kind.startsWith("ReduceScatter");
  const chips = integer(attributes, "ring_size") ?? Math.max(2, Math.round(output.bytes / input.bytes));
  const axis = { chips, links: integer(attributes, "num_links") ?? 1, topology: "linear" } as const;
  const bytes = scatters ? input.bytes : output.bytes;
  const exchanged = scatters ? "reduce_scatter" : "all_gather";
  return timed(() => collectiveProgram(exchanged, bytes, { axis }, input, { reads: [], writes: [] }));
}
