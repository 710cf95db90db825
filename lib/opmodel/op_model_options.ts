// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Mesh } from "../device/mesh.ts";
import type { LayoutTable } from "../layout/layout_table.ts";
import type { RunAssumptions } from "../programs/op_launch.ts";
import type { CandidateFilter } from "./candidate_filter.ts";

/** Settings of an op model. */
export interface OpModelOptions {
  /** Chip of the rules and memory figures. */
  readonly chip: ChipDescription;
  /** Table of all layout ids in queries and answers. */
  readonly layouts: LayoutTable;
  /** Share of L1 that may be used, `--tensor-l1-usage-cap`. */
  readonly usableL1Cap?: number;
  /** Bytes per core that const-eval results hold; default 0. */
  readonly reservedL1Bytes?: number;
  /** Facts about a run that no graph states; default {@linkcode FULL_RUN}. */
  readonly assumed?: RunAssumptions;
  /**
   * Whether to refuse ops that run but whose text upstream's verifier rejects; default true. A compiler as
   * caller has its own verifier.
   */
  readonly checksWrittenText?: boolean;
  /** Axes of the mesh that the chip belongs to; default `[]`, one chip without a mesh. */
  readonly mesh?: Mesh;
  /** Whether the target text supports slice configs of convolutions; default true. */
  readonly writesSliceConfig?: boolean;
  /**
   * Whether queries use the config that a plan writes for the op; default `false`: the op's config as given.
   */
  readonly asWritten?: boolean;
  /** Further legality checks behind the rules; default none. */
  readonly filters?: readonly CandidateFilter[];
  /** Whether ops are single device operations, as measurements are; default `false`. */
  readonly isDeviceOperation?: boolean;
}
