// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { COMMON } from "../ops/attributes/common.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import type { Mesh } from "../device/mesh.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { computeConfigInUse, type ComputeDefaults } from "../op_config/default_compute_config.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
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

/** An op with one operand and one result that it needs, whatever there is besides. */
export interface UnaryLaunch extends OpLaunch {
  /** Operand 0. */
  readonly input: ProgramTensor;
  /** Result 0. */
  readonly output: ProgramTensor;
}

/** Launches ops of one operand and one result; of others the programs are not known. */
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

/** L1 from its unreserved base to the lowest live tensor, bytes per core. */
export interface L1Room {
  /** Before the op allocates anything: its operands are live. */
  readonly beforeResults: number;
  /** After it has allocated its results. */
  readonly besideResults: number;
}

/** The room that upstream's op model assumes: nothing is allocated, L1_SMALL is reserved (`ttnn:backend-0-81-1`). */
export function emptyRoom({ l1Size, l1UnreservedBase, l1SmallSize }: ChipDescription): L1Room {
  const bytes = l1Size - l1UnreservedBase - l1SmallSize;
  return { beforeResults: bytes, besideResults: bytes };
}

/** What the choice of programs depends on besides the op. */
export interface LaunchContext {
  /** The chip to launch on. */
  readonly chip: ChipDescription;
  /**
   * L1 that is free beside the live tensors. The backend's own choices (automatic program configs, the kernel of a norm,
   * slices of a convolution) read it; an answer that has read it holds only for that room. Who remembers what was chosen reads it all the same.
   */
  readonly room: () => L1Room;
  /** Axes of the mesh that the chip belongs to; `[]` for one chip without a mesh. */
  readonly mesh: Mesh;
  /** How the programs of the revision that launches differ in time from those of others. */
  readonly programRules: ProgramRules;
  /** Facts about a run that no graph states. */
  readonly assumed: RunAssumptions;
}

/**
 * Differences in the times of device programs between backend revisions, as data: published measurements were made with
 * several. Legality and buffers are those of one revision.
 */
export interface ProgramRules {
  /**
   * Whether ops of several operands compute the strides of each before their first tile, as the kernel that broadcasts
   * any dimension does; its predecessor took operands of one shape (tt-metal:binary-ng).
   */
  readonly binaryStrides: boolean;
  /**
   * Whether products of tensors that are not block floats are computed by the vector unit, which rounds like the other
   * ops; the matrix engine truncates, and computes them in fast mode (tt-metal:binary-ng).
   */
  readonly vectorProducts: boolean;
  /** Whether reductions and `topk` fill the padding of their input in a separate program (tt-metal:fill-pad). */
  readonly fillsPadding: boolean;
  /**
   * Whether both data movement processors of a core look through rows of elements for `argmax`, each through half of the
   * rows, or one through all of them (tt-metal:reduction).
   */
  readonly argmaxHalvesRows: boolean;
  /** Whether a reduction of many rows is cut into slices where it would leave cores idle (`ttnn:backend-0-81-1`). */
  readonly splitsTallRows: boolean;
  /**
   * Whether cores repeat pages in batches, a thread that reads beside one that writes (`ttnn:backend-0-81-1`); the older
   * kernel, which still takes some shards and ranks, reads a page and writes its copies by one thread.
   */
  readonly repeatsInBatches: boolean;
  /** Whether softmax accumulates in f32 without a compute config (`ttnn:backend-0-81-1`). */
  readonly softmaxInF32: boolean;
  /**
   * How a product without program config is cut: as today, or as in 2025, when one row or column of blocks made it
   * one-dimensional wherever the operands were, and the result was cut before K (tt-metal:matmul-auto-config).
   */
  readonly matmulChoice: "0.81.1" | "2025";
  /** Whether the program of a product without program config adds a bias of one row wherever the result goes. */
  readonly fusesEveryBias: boolean;
  /** Blocks of norms: always full ones, or the largest that divide the row, which an older program took. */
  readonly normBlock: "fixed" | "largest_divisor";
}

/** Programs of the revision that the rule book models (`ttnn:backend-0-81-1`). */
export const PROGRAM_RULES: ProgramRules = {
  binaryStrides: true,
  vectorProducts: true,
  fillsPadding: true,
  argmaxHalvesRows: true,
  splitsTallRows: true,
  repeatsInBatches: true,
  softmaxInF32: true,
  matmulChoice: "0.81.1",
  fusesEveryBias: false,
  normBlock: "fixed",
};

/** Programs of the backend revisions that most published measurements were made with. */
export const MEASURED_PROGRAM_RULES: ProgramRules = {
  binaryStrides: true,
  vectorProducts: false,
  fillsPadding: false,
  argmaxHalvesRows: true,
  splitsTallRows: false,
  repeatsInBatches: false,
  softmaxInF32: false,
  matmulChoice: "0.81.1",
  fusesEveryBias: false,
  normBlock: "fixed",
};

/** What a run brings along that no graph says and times depend on; every figure states it. */
export interface RunAssumptions {
  /** How full caches are when decoding reads them up to the position of each user. */
  readonly cacheFill: CacheFill;
  /** Users of a batch that ask for something: attention passes over the others. `undefined`: all. */
  readonly activeUsers: number | undefined;
  /** Experts that each batch of rows is sent to. `undefined`: all. */
  readonly activeExperts: number | undefined;
}

/** A share of the positions that a cache holds per user, or their number. */
export type CacheFill =
  | { readonly kind: "share"; readonly share: number }
  | { readonly kind: "positions"; readonly positions: number };

/** Caches are full, all users and all experts active: the longest run. */
export const FULL_RUN: RunAssumptions = {
  cacheFill: { kind: "share", share: 1 },
  activeUsers: undefined,
  activeExperts: undefined,
};

/** Positions that decoding reads of a cache of so many per user; one at least, all at most. */
export function filledPositions({ cacheFill }: RunAssumptions, capacity: number): number {
  const filled = cacheFill.kind === "share" ? Math.ceil(cacheFill.share * capacity) : cacheFill.positions;
  return Math.max(1, Math.min(capacity, filled));
}

/** Users of a batch that attention works for; one at least. */
export function usersAtWork({ activeUsers }: RunAssumptions, users: number): number {
  return Math.max(1, Math.min(users, activeUsers ?? users));
}

/** Experts of so many that a batch of rows is sent to; one at least. */
export function expertsAtWork({ activeExperts }: RunAssumptions, experts: number): number {
  return Math.max(1, Math.min(experts, activeExperts ?? experts));
}

/** The compute config that an op runs with: its own, or TTNN's default for its formats; `undefined` if not known. */
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

/** Whether the destination register accumulates in f32, so that intermediates are f32 too. */
export function accumulatesInF32(op: OpLaunch, chip: ChipDescription): boolean {
  return computeConfigOf(op, chip)?.fp32DestAccEn === true;
}

/** The operand of a group, of ops whose optional operands may be left out; without groups every operand is its own. */
export function operandIn(
  op: Pick<OpLaunch, "attributes" | "inputs">,
  group: number,
): ProgramTensor | undefined {
  const { operandSegmentSizes: sizes } = readAttributes(op, COMMON);
  if (sizes === undefined) return op.inputs[group];
  const start = sizes.slice(0, group).reduce((sum, size) => sum + size, 0);
  return (sizes[group] ?? 0) > 0 ? op.inputs[start] : undefined;
}
