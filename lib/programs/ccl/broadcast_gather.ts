// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import type { MeshAxis } from "../../device/mesh.ts";
import { isBlockFloat } from "../../layout/data_type.ts";
import { normalDim } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { ALL_GATHER } from "../../ops/attributes/collective.ts";
import { CONCAT } from "../../ops/attributes/movement.ts";
import { makeAttributes } from "../../ops/attributes/print_attributes.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import { collectiveProgram, SEMAPHORE } from "./collective_program.ts";
import { type ExchangeLeg, PACKET_BYTES } from "./exchange.ts";
import { concatPrograms } from "../data_movement/concat.ts";
import { movedSteps } from "../data_movement/memory_move.ts";
import { typecastProgram } from "../eltwise/eltwise_program.ts";
import { chainStep, endOf, jointSteps, launchChain, partStep } from "../launch_sequence.ts";
import { type LaunchContext, partLaunch, type UnaryLaunch } from "../op_launch.ts";
import type { CollectiveProgram, OpPrograms } from "../program.ts";
import {
  alignmentOf,
  deviceMemory,
  interleavedCopy,
  interleavedTensor,
  isInShards,
  type ProgramTensor,
  withShape,
} from "../program_tensor.ts";

/** The dimension along which an `all_gather` joins, from 0. */
function gatheredDim(op: Pick<OpSignature, "name" | "attributes">, rank: number): number {
  return normalDim(readAttributes(op, ALL_GATHER).all_gather_dim, rank);
}

/**
 * Whether an `all_gather` is put together from broadcasts: tiles that its dimension does not fill, or rows that are
 * joined end to end and lie unaligned in the operand's memory (`ttnn:backend-0-81-1`).
 */
export function gathersByBroadcast(
  op: Pick<OpSignature, "name" | "attributes">,
  input: ProgramTensor,
  chip: ChipDescription,
): boolean {
  const rank = input.shape.length;
  const dim = gatheredDim(op, rank);
  return input.tiled
    ? dim >= rank - 2 && (input.shape[dim] ?? 1) % 32 !== 0
    : dim === rank - 1 && input.pageBytes % alignmentOf(input, chip) !== 0;
}

/** Most pages of a packet that goes to all chips, and packets that wait. */
const BROADCAST_PAGES = 2;
const WAITING_PACKETS = 3;

/** Every chip sends its part to all others, into a tensor per chip (`ttnn:backend-0-81-1`). */
export function broadcastProgram(
  part: ProgramTensor,
  axis: MeshAxis,
  chip: ChipDescription,
): CollectiveProgram {
  const page = roundUp(part.pageBytes, alignmentOf(part, chip));
  const pages = Math.max(1, Math.min(BROADCAST_PAGES, Math.floor(PACKET_BYTES / page)));
  const all = interleavedCopy({ ...part, shape: [axis.chips, ...part.shape] }, deviceMemory(part));
  const program = collectiveProgram("all_gather", axis.chips * part.bytes, axis, part, all);
  return { ...program, circularBuffers: [{ name: "in0", bytes: WAITING_PACKETS * pages * page }] };
}

/**
 * An `all_gather` as a broadcast of every chip's part and a `concat` of the parts, in DRAM; shards are copied before and
 * after, and block floats that do not fill tiles pass as bf16 (`ttnn:backend-0-81-1`).
 */
export function broadcastAndJoin(
  op: UnaryLaunch,
  axis: MeshAxis,
  legs: readonly ExchangeLeg[],
  context: LaunchContext,
): OpPrograms {
  const { chip } = context;
  const { input, output } = op;
  const memory = isInShards(output) ? "dram" : deviceMemory(output);
  const spread = isInShards(input) ? interleavedCopy(input, memory) : input;
  const isCast = input.tiled && isBlockFloat(input.dataType);
  const part = isCast
    ? interleavedTensor(input.shape, "bf16", deviceMemory(spread), { height: 32, width: 32 })
    : spread;
  const before = [
    ...movedSteps(input, spread, chip),
    ...isCast ? [chainStep(part, typecastProgram(spread, part, chip))] : [],
  ];
  const sent = endOf(before, input);
  const parts = Array.from({ length: axis.chips }, () => withShape(sent, sent.shape));
  const broadcast = jointSteps(parts, { ...broadcastProgram(sent, axis, chip), legs }, () => false, {
    tables: [SEMAPHORE, SEMAPHORE],
  });
  const whole = interleavedCopy({ ...output, dataType: sent.dataType }, "dram");
  const back = isCast ? interleavedCopy(output, "dram") : whole;
  const after = [
    ...isCast ? [chainStep(back, typecastProgram(whole, back, chip))] : [],
    ...movedSteps(back, output, chip),
  ];
  const along = makeAttributes(CONCAT, { dim: gatheredDim(op, input.shape.length) });
  const join = concatPrograms({ ...partLaunch("ttnn.concat", [sent], whole, along), inputs: parts }, context);
  if (join.status === "unknown") return join;
  return launchChain([...before, ...broadcast, partStep(whole, join), ...after], chip);
}
