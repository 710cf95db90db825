// SPDX-License-Identifier: Apache-2.0
import type { OptimizerOverrides } from "../overrides/overrides.ts";

/** Options of the chain architecture; names and defaults follow ttmlir-opt. */
export interface ChainOptions {
  /** `--tensor-l1-usage-cap`: share of L1 that may be used. */
  readonly tensorL1UsageCap: number;
  /** `--max-legal-layouts`: sharded layouts that are considered per op. */
  readonly maxLegalLayouts: number;
  /** `--row-major-enabled`. */
  readonly rowMajorEnabled: boolean;
  /** `--override-output-layout`, `--insert-memreconfig`, `--override-conv2d-config`, `--override-conv3d-config`. */
  readonly overrides: OptimizerOverrides;
  /** `--memreconfig-enabled`: whether operands may be converted. */
  readonly memReconfigEnabled: boolean;
  /**
   * `--l1-interleaved-fallback-analysis-enabled`: whether remaining results move to L1 interleaved where they
   * fit.
   */
  readonly l1InterleavedFallback: boolean;
  /** `--solve-for-optimal-first-op-input`: whether the shard solver picks the layout of a chain's input. */
  readonly solveForOptimalFirstOpInput: boolean;
  /** `--legacy-quirks`: whether bugs of the original that change decisions are reproduced. */
  readonly legacyQuirks: boolean;
}
