// SPDX-License-Identifier: Apache-2.0
import type { OptimizerOverrides } from "../overrides/overrides.ts";

/** Options that the chain architecture reads; names and defaults follow ttmlir-opt. */
export interface ChainOptions {
  /** `--tensor-l1-usage-cap`: share of L1 that may be used. */
  readonly tensorL1UsageCap: number;
  /** `--max-legal-layouts`: sharded layouts that are offered per op. */
  readonly maxLegalLayouts: number;
  /** `--row-major-enabled`. */
  readonly rowMajorEnabled: boolean;
  /** `--override-output-layout`, `--insert-memreconfig`, `--override-conv2d-config`, `--override-conv3d-config`. */
  readonly overrides: OptimizerOverrides;
  /** `--memreconfig-enabled`: operands may be converted. */
  readonly memReconfigEnabled: boolean;
  /** `--l1-interleaved-fallback-analysis-enabled`: what is left moves to L1 interleaved where it fits. */
  readonly l1InterleavedFallback: boolean;
  /** `--solve-for-optimal-first-op-input`: the shard solver picks the layout that a chain reads its input in. */
  readonly solveForOptimalFirstOpInput: boolean;
  /** `--legacy-quirks`: the faults of the original are repeated where they change decisions. */
  readonly legacyQuirks: boolean;
}
