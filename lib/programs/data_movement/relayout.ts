// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { MESH_SHARD } from "../../ops/attributes/collective.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { copyProgram, keepsPlace, moveSteps } from "./memory_move.ts";
import { tilizeSteps, untilizeSteps } from "./tilize.ts";
import { typecastProgram } from "../eltwise/eltwise_program.ts";
import { type ChainStep, chainStep, launchChain } from "../launch_sequence.ts";
import type { LaunchContext, OpLaunch, Room, UnaryLaunch } from "../op_launch.ts";
import {
  type HostTransfer,
  inOrder,
  type KnownPrograms,
  NO_PROGRAMS,
  type OpPrograms,
  unknownPrograms,
} from "../program.ts";
import { isInShards, isPresent, type ProgramTensor, sameShards } from "../program_tensor.ts";

/**
 * Converts a tensor from one layout to another: memory, pages, format; no programs if nothing changes.
 *
 * @param room free L1 beside the live tensors; default: all
 */
export function relayout(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  room?: Room,
): KnownPrograms {
  if (input.placement === "host" || output.placement === "host") {
    return inOrder(hostTransfer([input, output]));
  }
  return keepsPlace(input, output)
    ? NO_PROGRAMS
    : launchChain(relayoutSteps(input, output, chip, room), chip);
}

/** The programs of {@linkcode relayout} on the device. */
function relayoutSteps(
  input: ProgramTensor,
  output: ProgramTensor,
  chip: ChipDescription,
  room: Room | undefined,
): readonly ChainStep[] {
  if (input.tiled !== output.tiled) {
    return (output.tiled ? tilizeSteps : untilizeSteps)(input, output, chip, room);
  }
  // A move may change the format on its way; without a move, a format change is a cast.
  const staysInPlace = isInShards(input) ? sameShards(input, output) : !isInShards(output);
  return input.dataType !== output.dataType && staysInPlace
    ? [chainStep(output, typecastProgram(input, output, chip))]
    : moveSteps(input, output, chip, room);
}

/** Host transfers over PCIe; they take as long as the largest. */
export function hostTransfer(tensors: readonly ProgramTensor[]): HostTransfer {
  return {
    kind: "host_transfer",
    cores: 0,
    circularBuffers: [],
    reads: [],
    writes: [],
    flops: 0,
    bytes: tensors.reduce((largest, tensor) => Math.max(largest, tensor.bytes), 0),
  };
}

/** Copies the bytes even if nothing changes. */
function copied(input: ProgramTensor, output: ProgramTensor, chip: ChipDescription): KnownPrograms {
  if (input.placement === "host" || output.placement === "host") {
    return inOrder(hostTransfer([input, output]));
  }
  return inOrder(copyProgram(input, output, chip));
}

/** `assign`: always creates a second tensor. */
export function assignPrograms({ input, output }: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  return copied(input, output, chip);
}

/** `copy` into operand 1. */
export function copyPrograms({ name, inputs }: OpLaunch, { chip }: LaunchContext): OpPrograms {
  const [source, target] = inputs;
  return source === undefined || target === undefined
    ? unknownPrograms(name, "needs a source and a target")
    : copied(source, target, chip);
}

/**
 * Ops that transfer tensors between host and device. A `mesh_shard` of type identity returns its operand,
 * which is on its chips already (tt-mlir:mesh-shard).
 */
export function hostTransferPrograms(op: OpLaunch): OpPrograms {
  if (op.name === "ttnn.mesh_shard" && readAttributes(op, MESH_SHARD).shard_type === "identity") {
    return NO_PROGRAMS;
  }
  return inOrder(hostTransfer([...op.inputs, ...op.outputs].filter(isPresent)));
}
