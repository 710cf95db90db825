// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Mesh } from "../device/mesh.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { computeConfigInUse, type ComputeDefaults } from "../op_config/default_compute_config.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { COMMON } from "../ops/attributes/common.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { type OpPrograms, unknownPrograms } from "./program.ts";
import { isPresent, type ProgramTensor } from "./program_tensor.ts";

/** An op with its layouts and config, which determine its device programs. */
export interface OpLaunch {
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  /** The op's properties. */
  readonly attributes: AttributeMap;
  /** One entry per operand; `undefined` for operands that are not tensors. */
  readonly inputs: readonly (ProgramTensor | undefined)[];
  /** One entry per result, likewise. */
  readonly outputs: readonly (ProgramTensor | undefined)[];
  /** Config that the op runs with; `undefined` leaves it to the backend. */
  readonly config: OpSpecificAttributes | undefined;
}

/** An op that has operand 0 and result 0, and possibly more. */
export interface UnaryLaunch extends OpLaunch {
  /** Operand 0. */
  readonly input: ProgramTensor;
  /** Result 0. */
  readonly output: ProgramTensor;
}

/** Restricts a launcher to ops with operand 0 and result 0; the programs of others are unknown. */
export function unary<Context>(
  launcher: (op: UnaryLaunch, context: Context) => OpPrograms,
): (op: OpLaunch, context: Context) => OpPrograms {
  return (op, context) => {
    const { inputs: [input], outputs: [output] } = op;
    return input === undefined || output === undefined
      ? unknownPrograms(op.name, "needs an input and a result")
      : launcher({ ...op, input, output }, context);
  };
}

/** An op without a config that runs as a part of another one. */
export function partLaunch(
  name: string,
  inputs: readonly [ProgramTensor, ...(ProgramTensor | undefined)[]],
  output: ProgramTensor,
  attributes: AttributeMap = new Map(),
): UnaryLaunch {
  return { name, attributes, inputs, outputs: [output], input: inputs[0], output, config: undefined };
}

/** Free L1 beside the live tensors, bytes per core. */
export interface L1Room {
  /** From the unreserved base to the lowest tensor, before the op allocates anything: its operands are live. */
  readonly beforeResults: number;
  /** The same after the op has allocated its results. */
  readonly besideResults: number;
  /**
   * All free bytes before the op allocates anything, holes between tensors included; the backend chooses slices of windows
   * by them (`ttnn:backend-0-81-1`).
   */
  readonly freeBytes: number;
}

/** The free L1, asked for only where the choice of programs depends on it. */
export type Room = () => L1Room;

/**
 * The room that upstream's op model assumes: nothing allocated, L1_SMALL reserved (`ttnn:backend-0-81-1`).
 */
export function emptyRoom({ l1Size, l1UnreservedBase, l1SmallSize }: ChipDescription): L1Room {
  const bytes = l1Size - l1UnreservedBase - l1SmallSize;
  return { beforeResults: bytes, besideResults: bytes, freeBytes: bytes };
}

/** The inputs of the choice of programs besides the op. */
export interface LaunchContext {
  /** The chip to launch on. */
  readonly chip: ChipDescription;
  /**
   * Free L1 beside the live tensors. The backend's own choices (automatic program configs, norm kernel,
   * slices of a convolution, blocks of a tilize) read it; an answer that has read it holds only for that room. A cache of such
   * choices has to read it too.
   */
  readonly room: Room;
  /** Axes of the mesh that the chip belongs to; `[]` for one chip without a mesh. */
  readonly mesh: Mesh;
  /**
   * Whether the op is one device operation, as profilers time them: a reduction neither fills padding before nor divides
   * tall inputs, and a product adds every bias itself. Default: it is whatever ttnn makes of a call.
   */
  readonly isDeviceOperation?: boolean;
  /** Facts about a run that no graph states. */
  readonly assumed: RunAssumptions;
}

/** Facts about a run that times depend on but no graph states; every figure reports them. */
export interface RunAssumptions {
  /** Fill level of caches when decoding reads them up to each user's position. */
  readonly cacheFill: CacheFill;
  /** Active users of a batch; attention skips the others. `undefined`: all. */
  readonly activeUsers: number | undefined;
  /** Experts to which each batch of rows is sent. `undefined`: all. */
  readonly activeExperts: number | undefined;
}

/** Share of the positions per user that a cache holds, or their number. */
export type CacheFill =
  | { readonly kind: "share"; readonly share: number }
  | { readonly kind: "positions"; readonly positions: number };

/** Caches are full, all users and all experts active: the longest run. */
export const FULL_RUN: RunAssumptions = {
  cacheFill: { kind: "share", share: 1 },
  activeUsers: undefined,
  activeExperts: undefined,
};

/** Positions that decoding reads, for a cache of `capacity` positions per user; at least 1, at most all. */
export function filledPositions({ cacheFill }: RunAssumptions, capacity: number): number {
  const filled = cacheFill.kind === "share" ? Math.ceil(cacheFill.share * capacity) : cacheFill.positions;
  return Math.max(1, Math.min(capacity, filled));
}

/** Users of a batch that attention processes; at least 1. */
export function usersAtWork({ activeUsers }: RunAssumptions, users: number): number {
  return Math.max(1, Math.min(users, activeUsers ?? users));
}

/** Experts, out of `experts`, to which a batch of rows is sent; at least 1. */
export function expertsAtWork({ activeExperts }: RunAssumptions, experts: number): number {
  return Math.max(1, Math.min(experts, activeExperts ?? experts));
}

/** The compute config of an op: its own, or TTNN's default for its formats; `undefined` if unknown. */
export function computeConfigOf(
  op: OpLaunch,
  { architecture }: ChipDescription,
): ComputeDefaults | undefined {
  const [result] = op.outputs;
  return result === undefined ? undefined : computeConfigInUse(op.config?.computeConfig, {
    op: op.name,
    operands: op.inputs.filter(isPresent).map(({ dataType }) => dataType),
    result: result.dataType,
    architecture,
  });
}

/** Whether the destination register accumulates in f32, so that intermediates are f32 as well. */
export function accumulatesInF32(op: OpLaunch, chip: ChipDescription): boolean {
  return computeConfigOf(op, chip)?.fp32DestAccEn === true;
}

/**
 * The first operand of a group, for ops with optional operands; without groups every operand is its own group.
 * `undefined` for an empty group.
 */
export function operandIn(
  op: Pick<OpLaunch, "attributes" | "inputs">,
  group: number,
): ProgramTensor | undefined {
  const { operandSegmentSizes: sizes } = readAttributes(op, COMMON);
  if (sizes === undefined) return op.inputs[group];
  const start = sizes.slice(0, group).reduce((sum, size) => sum + size, 0);
  return (sizes[group] ?? 0) > 0 ? op.inputs[start] : undefined;
}
