// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Mesh } from "../device/mesh.ts";
import type { LayoutTable } from "../layout/layout_table.ts";
import type { ProgramRules, RunAssumptions } from "../programs/op_launch.ts";
import type { CandidateFilter } from "./candidate_filter.ts";

/** Settings of an op model. */
export interface OpModelOptions {
  /** Chip that the rules and the memory figures are for. */
  readonly chip: ChipDescription;
  /** Table that all layout ids of queries and answers belong to. */
  readonly layouts: LayoutTable;
  /** Share of L1 that may be used, `--tensor-l1-usage-cap`. */
  readonly usableL1Cap?: number;
  /** Bytes per core that const-eval results hold; default 0. */
  readonly reservedL1Bytes?: number;
  /** Facts about a run that no graph states; default {@linkcode FULL_RUN}. */
  readonly assumed?: RunAssumptions;
  /**
   * Whether ops are refused as well that run but cannot be written, because upstream's verifier refuses their text;
   * default true. A compiler that asks has its own verifier.
   */
  readonly checksWrittenText?: boolean;
  /** Axes of the mesh that the chip belongs to; default `[]`, one chip without a mesh. */
  readonly mesh?: Mesh;
  /** Whether the text that plans are written into knows slice configs of convolutions; default true. */
  readonly writesSliceConfig?: boolean;
  /** Whether questions are about ops with the config that a plan writes for them; default `false`, as they are. */
  readonly asWritten?: boolean;
  /** Judges of what the rules take; default none. */
  readonly filters?: readonly CandidateFilter[];
  /**
   * Whether results are as asked where a rule refuses them; default false. For tests of who else judges plans: with rules
   * that accept everything, whatever runs does so because the backend was asked.
   */
  readonly acceptsAll?: boolean;
  /** Programs of the revision that a measurement was made with; default {@linkcode PROGRAM_RULES}. */
  readonly programRules?: ProgramRules;
}
