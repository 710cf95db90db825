// SPDX-License-Identifier: Apache-2.0
import { workerCores } from "../../device/chip_description.ts";
import { axisIndexOf, axisOf, type Mesh, type MeshAxis } from "../../device/mesh.ts";
import { rowCount } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { COLLECTIVE_AXIS, POINT_TO_POINT, REDUCE_SCATTER } from "../../ops/attributes/collective.ts";
import { makeAttributes } from "../../ops/attributes/print_attributes.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { REDUCE } from "../../ops/attributes/reduction.ts";
import type { ExpertExchange } from "../../ops/definition.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { broadcastAndJoin, broadcastProgram, gathersByBroadcast } from "./broadcast_gather.ts";
import {
  axisOfParts,
  collectiveProgram,
  gatherProgram,
  PACKET_HEADER_BYTES,
  scatterProgram,
  SEMAPHORE,
} from "./collective_program.ts";
import type { ExchangeLeg } from "./exchange.ts";
import { fusedCollective, fusedIntermediate } from "./fused_collective.ts";
import type { CircularBuffer } from "../circular_buffer.ts";
import { type ChainStep, launchChain } from "../launch_sequence.ts";
import { normPrograms } from "../normalization/normalization.ts";
import { type LaunchContext, type OpLaunch, partLaunch, type UnaryLaunch } from "../op_launch.ts";
import {
  type CollectiveProgram,
  type DeviceProgram,
  inOrder,
  type KnownPrograms,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import { deviceMemory, interleavedCopy, type ProgramTensor, programTensor } from "../program_tensor.ts";
import { reductionPrograms } from "../reduction/reduction_plan.ts";
import { pageBuffer, pageCopy } from "../stream.ts";

/**
 * Collectives between chips. If the mesh leaves the number of chips open, it is the ratio of result and
 * operand bytes (two chips for equal sizes), with one link.
 */
export function collectivePrograms(op: UnaryLaunch, context: LaunchContext): OpPrograms {
  const { chip, mesh } = context;
  const legs = legsOf(op, mesh);
  if (op.name === "ttnn.all_gather" && gathersByBroadcast(op, op.input, chip)) {
    return broadcastAndJoin(op, axisInUse(op, mesh), legs, context);
  }
  const launched = exchangePrograms(op, context);
  if (launched.status === "unknown") return launched;
  const programs = launched.programs.map((program) => ({
    ...program,
    cores: Math.min(program.cores, workerCores(chip)),
    ...(program.kind === "collective" ? { legs } : {}),
  }));
  // The exchanges of an all-reduce are ops of their own: its result is made by the last one.
  const makesResult = definitionOf(op.name).family === "all_reduce" ? programs.length - 1 : 0;
  const made: readonly ChainStep[] = [
    ...op.outputs.map((tensor, result) => ({ tensor, result })),
    { tensor: fusedIntermediate(op), result: undefined },
  ].flatMap(({ tensor, result }) => tensor === undefined ? [] : [{ tensor, result, programs: [] }]);
  return launchChain(
    programs.flatMap((program, index) => [
      ...index === makesResult ? made : [],
      {
        tensor: index < makesResult ? program.writes[0]?.tensor ?? op.output : op.output,
        inPlace: index >= makesResult || program.writes[0] === undefined,
        programs: [program],
        ...exchangeTables(program),
      },
    ]),
    chip,
  );
}

/** Semaphores per core of a program that sums parts (reduce-scatter), gathers parts, or passes one part on (permute). */
const SUMMING_SEMAPHORES = 4;
const GATHERING_SEMAPHORES = 2;
const HANDING_SEMAPHORES = 1;
const SEMAPHORE_BYTES = 4;

/**
 * What a program needs while it runs: semaphores on every core, in L1_SMALL if it gathers, and, if it sums parts, a DRAM
 * buffer of all parts, twice if both directions meet on a line (`ttnn:backend-0-81-1`).
 */
function exchangeTables(program: DeviceProgram): Pick<ChainStep, "tables" | "smallTables"> {
  if (program.kind !== "collective") return {};
  const semaphores = (count: number) => Array.from({ length: count }, () => SEMAPHORE);
  switch (program.exchange) {
    case "reduce_scatter": {
      const sums = program.reads.slice(0, 1).map(({ tensor }) => interleavedCopy(tensor, "dram"));
      const buffers = program.topology === "ring" ? sums : [...sums, ...sums];
      return { tables: [...buffers, ...semaphores(SUMMING_SEMAPHORES)] };
    }
    case "all_gather":
      return { smallTables: Array.from({ length: GATHERING_SEMAPHORES }, () => SEMAPHORE_BYTES) };
    case "permute":
      return { tables: semaphores(HANDING_SEMAPHORES) };
    case "all_to_all":
      return {};
  }
}

function exchangePrograms(op: UnaryLaunch, context: LaunchContext): OpPrograms {
  const { input, output } = op;
  const axis = axisInUse(op, context.mesh);
  const { expertExchange: exchange, family, norm } = definitionOf(op.name);
  if (norm !== undefined) return distributedNorm(op, axis, context);
  if (exchange !== undefined) return inOrder(expertExchange(op, exchange, axis));
  switch (family) {
    case "all_gather":
      return inOrder(gatherProgram(input, output, axis, context.chip));
    case "reduce_scatter":
      return inOrder(scatterProgram(input, output, axis, readAttributes(op, REDUCE_SCATTER).scatter_dim));
    case "all_reduce":
      return allReduce(op, input, output, axis, context);
    case "fused_collective":
      return fusedCollective(op, collectiveAxis(op, context.mesh), context);
  }
  if (op.name === "ttnn.all_to_all") {
    // Every chip sends a different part of its operand to each other chip.
    const bytes = Math.max(input.bytes, output.bytes);
    return inOrder(collectiveProgram("all_to_all", bytes, axis, input, output));
  }
  // One chip sends its operand to another one; all packets use the first link (tt-metal:point-to-point).
  const isDirect = op.name === "ttnn.point_to_point";
  const path = isDirect ? { ...axis, links: 1 } : axis;
  const hops = isDirect ? hopsOf(op, context.mesh) : undefined;
  return inOrder(collectiveProgram("permute", input.bytes, path, input, output, hops));
}

/** The mesh axis of a collective; if the mesh leaves it open, the ratio of result and operand bytes tells its chips. */
function axisInUse(op: UnaryLaunch, mesh: Mesh): MeshAxis {
  const [less, more] = [op.input.bytes, op.output.bytes].sort((a, b) => a - b);
  return collectiveAxis(op, mesh) ?? withLinksOf(op, axisOfParts(more ?? 1, less ?? 1));
}

/** The axes that an op crosses between two chips, in order. */
function legsOf(op: OpLaunch, mesh: Mesh): readonly ExchangeLeg[] {
  if (op.name === "ttnn.point_to_point") {
    const { sender_coord: from, receiver_coord: to } = readAttributes(op, POINT_TO_POINT);
    return [...mesh.keys()].filter((axis) => from[axis] !== to[axis])
      .map((axis) => ({ axis, path: { from: from[axis] ?? 0, to: to[axis] ?? 0 } }));
  }
  const axis = axisIndexOf(mesh, readAttributes(op, COLLECTIVE_AXIS).cluster_axis);
  return axis === undefined ? [] : [{ axis, path: undefined }];
}

/**
 * All-reduce: reduce_scatter along the last dimension whose tiles are divisible by the number of chips, then
 * all_gather; without such a dimension, and in rows, every chip joins and sums what all broadcast (tt-metal:all-reduce,
 * `ttnn:backend-0-81-1`).
 */
function allReduce(
  op: OpLaunch,
  input: ProgramTensor,
  output: ProgramTensor,
  axis: MeshAxis,
  context: LaunchContext,
): OpPrograms {
  if (axis.chips === 1) return inOrder(gatherProgram(input, output, axis, context.chip));
  const dim = scatterDim(input, axis.chips);
  if (dim !== undefined) {
    const shape = input.shape.map((extent, index) => index === dim ? Math.ceil(extent / axis.chips) : extent);
    const part = interleavedCopy({ ...input, shape }, deviceMemory(output));
    return inOrder(scatterProgram(input, part, axis, dim), gatherProgram(part, output, axis, context.chip));
  }
  const gathered = interleavedCopy({ ...input, shape: [axis.chips, ...input.shape] }, "dram");
  const along = makeAttributes(REDUCE, { dim_arg: [0] });
  const sum = reductionPrograms(partLaunch("ttnn.sum", [gathered], output, along), context);
  if (sum.status === "unknown") return unknownPrograms(op.name, sum.reason);
  const circularBuffers = [pageBuffer("in0", 2, gathered)];
  const joined = pageCopy([gathered], [gathered], { circularBuffers }, context.chip);
  return inOrder(broadcastProgram(input, axis, context.chip), joined, ...sum.programs);
}

function scatterDim({ shape, tiled }: ProgramTensor, chips: number): number | undefined {
  if (!tiled) return undefined;
  const parts = shape.map((extent, index) => index >= shape.length - 2 ? extent / 32 : extent);
  const dim = parts.findLastIndex((extent) => Number.isInteger(extent) && extent % chips === 0);
  return dim === -1 ? undefined : dim;
}

/**
 * A norm of rows that are distributed over chips: the passes on each chip's part, plus the exchange of
 * statistics, one tile per tile row and chip (two if the mean is needed; tt-metal:layernorm).
 */
function distributedNorm(op: UnaryLaunch, axis: MeshAxis, context: LaunchContext): OpPrograms {
  const { input } = op;
  const passes = normPrograms(op, context);
  if (passes.status === "unknown") return passes;
  const columns = definitionOf(op.name).norm?.subtractsMean === true ? 64 : 32;
  const rows = Math.ceil(input.extent[0] / 32) * 32;
  const own = programTensor({ shape: [rows, columns], dataType: "bf16" }, undefined);
  const all = programTensor({ shape: [rows, columns * axis.chips], dataType: "bf16" }, undefined);
  const stats: KnownPrograms = inOrder(gatherProgram(own, all, axis, context.chip));
  return inOrder(...passes.programs, ...stats.programs);
}

/** Hops between the two chips of a `point_to_point`, along one axis after the other. */
function hopsOf(op: OpLaunch, mesh: Mesh): number {
  const { sender_coord: from, receiver_coord: to } = readAttributes(op, POINT_TO_POINT);
  const hops = from.map((coordinate, index) => {
    const straight = Math.abs(coordinate - (to[index] ?? coordinate));
    const axis = mesh[index];
    return axis?.topology === "ring" ? Math.min(straight, axis.chips - straight) : straight;
  });
  return Math.max(1, hops.reduce((sum, count) => sum + count, 0));
}

/**
 * The mesh axis of a collective, with the op's `num_links` and `topology`; `undefined` if the mesh does not
 * specify the axis. Links are limited to the existing ones, and a ring requested on a line runs as a line
 * (tt-metal:usable-topology).
 */
export function collectiveAxis(op: Pick<OpLaunch, "attributes">, mesh: Mesh): MeshAxis | undefined {
  const axis = axisOf(mesh, readAttributes(op, COLLECTIVE_AXIS).cluster_axis);
  return axis === undefined ? undefined : withLinksOf(op, axis);
}

/** An axis with the links and topology that an op uses. */
function withLinksOf(op: Pick<OpLaunch, "attributes">, axis: MeshAxis): MeshAxis {
  const { num_links: asked = axis.links, topology } = readAttributes(op, COLLECTIVE_AXIS);
  return {
    chips: axis.chips,
    links: Math.max(1, Math.min(asked, axis.links)),
    topology: topology === "linear" ? "linear" : axis.topology,
  };
}

/** Bytes of the fabric's client interface; a sender keeps two (tt-metal:all-to-all-combine). */
const CLIENT_INTERFACE_BYTES = 3280;

/**
 * `all_to_all_dispatch` (tokens to the chips of their experts) and `all_to_all_combine` (the experts' results
 * back), one core per link. A token is sent at most once per chip, so to at most as many chips as it has
 * experts; in the opposite direction every chip receives the experts' results for its own tokens.
 */
export function expertExchange(
  op: UnaryLaunch,
  { dispatches, mapping }: ExpertExchange,
  axis: MeshAxis,
): CollectiveProgram {
  const { input, output } = op;
  const experts = (dispatches ? op.inputs[1] : op.inputs[1] ?? output)?.shape.at(-1) ?? axis.chips;
  const bytes = dispatches ? input.bytes * Math.min(axis.chips, experts) : output.bytes;
  return {
    ...collectiveProgram("all_to_all", bytes, axis, input, output),
    cores: axis.links,
    circularBuffers: dispatches
      ? dispatchBuffers(op, input, op.inputs[mapping], axis)
      : combineBuffers(op, input, axis),
  };
}

/** Bytes of a row of a row-major tensor, aligned to 32 bytes. */
function rowBytes(tensor: ProgramTensor | undefined): number {
  return tensor === undefined ? 0 : roundUp(tensor.pageBytes, 32);
}

/**
 * Two tokens, the expert indices of all tokens of a core, the whole mapping, and a flag per chip that already
 * received a token.
 */
function dispatchBuffers(
  op: OpLaunch,
  input: ProgramTensor,
  mapping: ProgramTensor | undefined,
  axis: MeshAxis,
): readonly CircularBuffer[] {
  const indices = op.inputs[1];
  const tokens = Math.ceil(rowCount(input.shape) / axis.links);
  return [
    { name: "tokens", bytes: 2 * rowBytes(input) },
    { name: "indices", bytes: tokens * rowBytes(indices) },
    { name: "mapping", bytes: mapping === undefined ? 0 : rowCount(mapping.shape) * rowBytes(mapping) },
    { name: "sent", bytes: axis.chips * tokens },
    // If full packets are sent, the indices of all tokens are collected before they are written.
    { name: "metadata", bytes: rowCount(input.shape) * axis.chips * rowBytes(indices) },
    { name: "headers", bytes: 2 * PACKET_HEADER_BYTES },
  ];
}

/** A row per local expert, a row of mapping and metadata, and the list of local experts. */
function combineBuffers(op: OpLaunch, input: ProgramTensor, axis: MeshAxis): readonly CircularBuffer[] {
  const [, metadata, mapping] = op.inputs;
  const experts = Math.max(1, Math.ceil((mapping?.shape.at(-2) ?? axis.chips) / axis.chips));
  return [
    { name: "results", bytes: experts * rowBytes(input) },
    { name: "mapping", bytes: rowBytes(mapping) },
    { name: "experts", bytes: Math.ceil(2 * experts / 16) * 16 },
    { name: "metadata", bytes: rowBytes(metadata) },
    { name: "fabric", bytes: 2 * CLIENT_INTERFACE_BYTES },
  ];
}
