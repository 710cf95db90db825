// SPDX-License-Identifier: Apache-2.0
import { workerCores } from "../device/chip_description.ts";
import { axisOf, type Mesh, type MeshAxis } from "../device/mesh.ts";
import { readInteger, readIntegers } from "../dialect/attribute_values.ts";
import { normPrograms } from "./normalization.ts";
import {
  type CircularBuffer,
  type CollectiveProgram,
  inOrder,
  type KnownPrograms,
  type LaunchContext,
  type OpLaunch,
  type OpPrograms,
  type PageStream,
  unknownPrograms,
} from "./program.ts";
import { isPresent, type ProgramTensor, programTensor } from "./program_tensor.ts";
import { reductionPrograms } from "./reduction.ts";
import { wholeTensor } from "./stream.ts";

/** What chips of an axis do with each other's data. */
export type Exchange = "all_gather" | "reduce_scatter" | "all_to_all" | "permute";

/**
 * What the links of an axis carry when its chips exchange data.
 *
 * - `all_gather`: every chip sends its part to all others; `bytes` is the result of one chip.
 * - `reduce_scatter`: partial sums of every chip's part travel to it; `bytes` is the operand of one chip.
 * - `all_to_all`: every chip has another part for each; `bytes` is the operand of one chip.
 * - `permute`: every chip hands all `bytes` to one `distance` chips away.
 *
 * On a ring both ways around carry half each. On a line the first and the last link carry what all other chips send,
 * the middle one what one half has for the other (derived:collectives).
 *
 * @returns `linkBytes`: bytes that the busiest of the links carries one way; `steps`: hops that wait for each other
 */
export function exchange(
  kind: Exchange,
  bytes: number,
  { chips, links, topology }: MeshAxis,
  distance: number = 1,
): Pick<CollectiveProgram, "linkBytes" | "steps" | "bothWays"> {
  const closed = topology === "ring" && chips > 2;
  const each = bytes / Math.max(1, links);
  if (kind === "permute") return { linkBytes: each, steps: distance, bothWays: false };
  if (kind === "all_to_all") {
    const nearer = Math.floor(chips / 2);
    const parts = closed ? (chips * chips - chips % 2) / 8 : nearer * (chips - nearer);
    return { linkBytes: each * parts / chips, steps: closed ? nearer : chips - 1, bothWays: true };
  }
  const others = each * (chips - 1) / chips;
  return { linkBytes: closed ? others / 2 : others, steps: chips - 1, bothWays: closed };
}

/** Bytes of a packet of the fabric (tt-metal `get_tt_fabric_channel_buffer_size_bytes`). */
const PACKET_BYTES = 4352;

/**
 * Circular buffers of a worker, three times what it sends at once: up to four pages of a packet when it gathers; eight
 * pages (four for pages that fill a packet) when it reduces, of its own part, the arriving one and their sum, twice
 * (tt-metal:all-gather, tt-metal:reduce-scatter). Those of other exchanges are not known.
 */
function buffersOf(kind: Exchange, input: ProgramTensor | undefined): readonly CircularBuffer[] {
  if (input === undefined) return [];
  const pages = Math.max(1, Math.floor(PACKET_BYTES / input.pageBytes));
  const buffer = (name: string, count: number) => ({ name, bytes: 3 * count * input.pageBytes });
  if (kind === "all_gather") return [buffer("in0", Math.min(4, pages))];
  if (kind !== "reduce_scatter") return [];
  return ["in0", "intermediate", "reader_out", "out"].map((name) => buffer(name, 4 * Math.min(2, pages)));
}

/** Data exchanged between the chips of an axis. */
export function collectiveProgram(
  kind: Exchange,
  bytes: number,
  axis: MeshAxis,
  streams: { readonly reads: readonly PageStream[]; readonly writes: readonly PageStream[] },
  distance?: number,
): CollectiveProgram {
  return {
    kind: "collective",
    // Each way over each link has a worker.
    cores: 2 * axis.links,
    circularBuffers: buffersOf(kind, streams.reads[0]?.tensor),
    flops: 0,
    launches: 1,
    ...streams,
    ...axis,
    ...exchange(kind, bytes, axis, distance),
  };
}

/**
 * Collectives between chips. Where the mesh does not say how many take part, the bytes of operand and result do: their
 * ratio, and two for a result as large as the operand; one link joins these.
 */
export function collectivePrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const launched = exchangePrograms(op, context);
  if (launched.status === "unknown") return launched;
  const most = workerCores(context.chip);
  return inOrder(
    ...launched.programs.map((program) => ({ ...program, cores: Math.min(program.cores, most) })),
  );
}

function exchangePrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const [input] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const axis = axisOf(context.mesh, readInteger(op.attributes, "cluster_axis")) ?? axisByBytes(input, output);
  const name = op.name.slice(op.name.indexOf(".") + 1);
  switch (name) {
    case "all_gather":
      return inOrder(gather(input, output, axis));
    case "reduce_scatter":
      return inOrder(scatter(input, output, axis));
    case "all_reduce":
      return allReduce(op, input, output, axis, context);
    case "distributed_rms_norm":
    case "distributed_layer_norm":
      return distributedNorm(op, input, axis, context);
    case "all_to_all_dispatch":
    case "all_to_all_combine":
      return inOrder(moved("all_to_all", op, Math.max(input.bytes, output.bytes), axis));
    case "point_to_point":
      return inOrder(moved("permute", op, input.bytes, axis, hopsOf(op, context.mesh)));
    default:
      return inOrder(moved("permute", op, input.bytes, axis));
  }
}

function axisByBytes(input: ProgramTensor, output: ProgramTensor): MeshAxis {
  const [less, more] = input.bytes < output.bytes ? [input.bytes, output.bytes] : [output.bytes, input.bytes];
  return { chips: Math.max(2, Math.round(more / Math.max(1, less))), links: 1, topology: "linear" };
}

function gather(input: ProgramTensor, output: ProgramTensor, axis: MeshAxis): CollectiveProgram {
  return collectiveProgram("all_gather", output.bytes, axis, {
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
  });
}

/** Partial sums pass through a buffer of each chip on their way: written, and read again with the chip's own part. */
function scatter(input: ProgramTensor, output: ProgramTensor, axis: MeshAxis): CollectiveProgram {
  const passing = input.bytes * (axis.chips - 1) / axis.chips;
  return collectiveProgram("reduce_scatter", input.bytes, axis, {
    reads: [{ ...wholeTensor(input), bytes: input.bytes + passing }],
    writes: [wholeTensor(output), { ...wholeTensor(input), bytes: passing }],
  });
}

/**
 * A sum over chips: reduce_scatter along the last dimension whose extent in tiles the chips divide, and all_gather; where
 * there is none, everything is gathered and summed by each chip (tt-metal:all-reduce).
 */
function allReduce(
  op: OpLaunch,
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
  { chip }: LaunchContext,
): OpPrograms {
  if (axis.chips === 1) return inOrder(gather(input, output, axis));
  const dim = scatterDim(input, axis.chips);
  if (dim !== undefined) {
    const shape = input.shape.map((extent, index) => index === dim ? Math.ceil(extent / axis.chips) : extent);
    const part = programTensor({ shape, dataType: input.dataType }, undefined);
    return inOrder(scatter(input, part, axis), gather(part, output, axis));
  }
  const gathered = programTensor(
    { shape: [axis.chips, ...input.shape], dataType: input.dataType },
    undefined,
  );
  const sum = reductionPrograms({
    name: "ttnn.sum",
    attributes: new Map([["dim_arg", { kind: "denseArray", elementType: "i64", values: [0] }]]),
    inputs: [gathered],
    outputs: [output],
    config: undefined,
  }, chip);
  if (sum.status === "unknown") return unknownPrograms(op.name, sum.reason);
  return inOrder(gather(input, gathered, axis), ...sum.programs);
}

function scatterDim({ shape, tiled }: ProgramTensor, chips: number): number | undefined {
  const parts = shape.map((extent, index) => tiled && index >= shape.length - 2 ? extent / 32 : extent);
  const dim = parts.findLastIndex((extent) => Number.isInteger(extent) && extent % chips === 0);
  return dim === -1 ? undefined : dim;
}

/**
 * A norm of a row that is spread over chips: each chip's own passes, and the statistics of the others, a tile per row of
 * tiles (two where the mean is needed as well) from each (tt-metal:layernorm).
 */
function distributedNorm(
  op: OpLaunch,
  input: ProgramTensor,
  axis: MeshAxis,
  context: LaunchContext,
): OpPrograms {
  const passes = normPrograms(op, context);
  if (passes.status === "unknown") return passes;
  const columns = op.name.includes("rms") ? 32 : 64;
  const rows = Math.ceil(input.extent[0] / 32) * 32;
  const own = programTensor({ shape: [rows, columns], dataType: "bf16" }, undefined);
  const all = programTensor({ shape: [rows, columns * axis.chips], dataType: "bf16" }, undefined);
  const stats: KnownPrograms = inOrder(gather(own, all, axis));
  return inOrder(...passes.programs, ...stats.programs);
}

function moved(
  kind: Exchange,
  op: OpLaunch,
  bytes: number,
  axis: MeshAxis,
  distance?: number,
): CollectiveProgram {
  const streams = {
    reads: op.inputs.filter(isPresent).slice(0, 1).map(wholeTensor),
    writes: op.outputs.filter(isPresent).slice(0, 1).map(wholeTensor),
  };
  return collectiveProgram(kind, bytes, axis, streams, distance);
}

/** Hops between the two chips of a `point_to_point`, along one axis after the other. */
function hopsOf(op: OpLaunch, mesh: Mesh): number {
  const [from, to] = ["sender_coord", "receiver_coord"].map((name) => readIntegers(op.attributes, name));
  if (from === undefined || to === undefined) return 1;
  const hops = from.map((coordinate, index) => {
    const straight = Math.abs(coordinate - (to[index] ?? coordinate));
    const axis = mesh[index];
    return axis?.topology === "ring" ? Math.min(straight, axis.chips - straight) : straight;
  });
  return Math.max(1, hops.reduce((sum, count) => sum + count, 0));
}
