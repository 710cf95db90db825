// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Mesh } from "../device/mesh.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
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

/** What the choice of programs depends on besides the op. */
export interface LaunchContext {
  /** The chip to launch on. */
  readonly chip: ChipDescription;
  /** Bytes of L1 per core that tensors and circular buffers share. */
  readonly usableL1Bytes: number;
  /** Axes of the mesh that the chip belongs to; `[]` for one chip without a mesh. */
  readonly mesh: Mesh;
  /** The backend revision that launches. */
  readonly ruleSet: ProgramRules;
  /** Facts about a run that no graph states. */
  readonly assumed: RunAssumptions;
}
