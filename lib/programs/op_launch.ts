// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Mesh } from "../device/mesh.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { type OpPrograms, unknownPrograms } from "./program.ts";
import type { ProgramRules } from "./program_rules.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import type { RunAssumptions } from "./run_assumptions.ts";

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
