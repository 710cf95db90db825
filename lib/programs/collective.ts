// SPDX-License-Identifier: Apache-2.0
import { workerCores } from "../device/chip_description.ts";
import { axisIndexOf, axisOf, type Mesh, type MeshAxis } from "../device/mesh.ts";
import { readInteger, readIntegers } from "../dialect/attribute_values.ts";
import { type Exchange, exchange, packetBytes, packetPages } from "./exchange.ts";
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
import { type ProgramTensor, programTensor } from "./program_tensor.ts";
import { reductionPrograms } from "./reduction.ts";
import { wholeTensor } from "./stream.ts";

/**
 * Circular buffers of a worker, three times what it sends at once: up to four pages of a packet when it gathers; eight
 * pages (four for pages that fill a packet) when it reduces, of its own part, the arriving one and their sum, twice
 * (tt-metal:all-gather, tt-metal:reduce-scatter). A receiver takes packets apart, three times its pages
 * (tt-metal:point-to-point). Those of other exchanges are not known.
 */
function buffersOf(kind: Exchange, pageBytes: number): readonly CircularBuffer[] {
  const pages = packetPages(kind, pageBytes);
  const buffer = (name: string, count: number) => ({ name, bytes: 3 * count * pageBytes });
  switch (kind) {
    case "all_gather":
      return [buffer("in0", pages)];
    case "reduce_scatter":
      return ["in0", "intermediate", "reader_out", "out"].map((name) => buffer(name, 4 * pages));
    case "permute":
      return [{ name: "packet", bytes: packetBytes(kind, pageBytes) }, buffer("receiver", pages)];
    case "all_to_all":
      return [];
  }
}

/** Data exchanged between the chips of an axis: `input`'s pages, or partial sums of them. */
export function collectiveProgram(
  kind: Exchange,
  bytes: number,
  axis: MeshAxis,
  input: ProgramTensor,
  streams: { readonly reads: readonly PageStream[]; readonly writes: readonly PageStream[] },
  distance?: number,
): CollectiveProgram {
  return {
    kind: "collective",
    // Each way over each link has a worker.
    cores: 2 * axis.links,
    circularBuffers: buffersOf(kind, input.pageBytes),
    flops: 0,
    launches: 1,
    ...streams,
    ...axis,
    exchange: kind,
    bytes,
    axis: undefined,
    path: undefined,
    packetBytes: packetBytes(kind, input.pageBytes),
    dimZero: false,
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
  const way = wayOf(op, context.mesh);
  return inOrder(
    ...launched.programs.map((program) => ({
      ...program,
      cores: Math.min(program.cores, most),
      ...(program.kind === "collective" ? way : {}),
    })),
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
      return inOrder(scatter(input, output, axis, readInteger(op.attributes, "scatter_dim")));
    case "all_reduce":
      return allReduce(op, input, output, axis, context);
    case "distributed_rms_norm":
    case "distributed_layer_norm":
      return distributedNorm(op, input, axis, context);
    case "all_to_all_dispatch":
    case "all_to_all_combine":
      return inOrder(moved("all_to_all", input, output, axis));
    case "point_to_point":
      // All packets take the first link (tt-metal:point-to-point).
      return inOrder(moved("permute", input, output, { ...axis, links: 1 }, hopsOf(op, context.mesh)));
    default:
      return inOrder(moved("permute", input, output, axis));
  }
}

/** The axis that an op uses, and between which of its chips where it is but two. */
function wayOf(op: OpLaunch, mesh: Mesh): Pick<CollectiveProgram, "axis" | "path"> {
  const [from, to] = ["sender_coord", "receiver_coord"].map((name) => readIntegers(op.attributes, name));
  if (from !== undefined && to !== undefined) {
    const [axis, ...others] = mesh.map((_, index) => index).filter((index) => from[index] !== to[index]);
    if (axis === undefined || others.length > 0) return { axis: undefined, path: undefined };
    return { axis, path: { from: from[axis] ?? 0, to: to[axis] ?? 0 } };
  }
  return { axis: axisIndexOf(mesh, readInteger(op.attributes, "cluster_axis")), path: undefined };
}

function axisByBytes(input: ProgramTensor, output: ProgramTensor): MeshAxis {
  const [less, more] = input.bytes < output.bytes ? [input.bytes, output.bytes] : [output.bytes, input.bytes];
  return { chips: Math.max(2, Math.round(more / Math.max(1, less))), links: 1, topology: "linear" };
}

function gather(input: ProgramTensor, output: ProgramTensor, axis: MeshAxis): CollectiveProgram {
  return collectiveProgram("all_gather", output.bytes, axis, input, {
    reads: [wholeTensor(input)],
    writes: [wholeTensor(output)],
  });
}

/** Partial sums pass through a buffer of each chip on their way: written, and read again with the chip's own part. */
function scatter(
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
  dim: number | undefined,
): CollectiveProgram {
  const passing = input.bytes * (axis.chips - 1) / axis.chips;
  const program = collectiveProgram("reduce_scatter", input.bytes, axis, input, {
    reads: [{ ...wholeTensor(input), bytes: input.bytes + passing }],
    writes: [wholeTensor(output), { ...wholeTensor(input), bytes: passing }],
  });
  return { ...program, dimZero: (dim === 0 || dim === -input.shape.length) && input.shape.length > 2 };
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
    return inOrder(scatter(input, part, axis, dim), gather(part, output, axis));
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
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
  distance?: number,
): CollectiveProgram {
  const bytes = kind === "permute" ? input.bytes : Math.max(input.bytes, output.bytes);
  const streams = { reads: [wholeTensor(input)], writes: [wholeTensor(output)] };
  return collectiveProgram(kind, bytes, axis, input, streams, distance);
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
