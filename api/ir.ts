// SPDX-License-Identifier: Apache-2.0

/**
 * Reading, checking and patching MLIR text: what a module says, without what it means for a chip.
 *
 * @module
 */

export {
  type Diagnostic,
  DiagnosticError,
  errorAt,
  locate,
  type Severity,
  type SourceLocation,
} from "../lib/diagnostics/diagnostic.ts";

export * from "../lib/ir/mod.ts";
export { createdLayouts, verifyModule, type VerifyOptions } from "../lib/verify/verify_module.ts";
export { keptOps, type LoweringOptions, lowerModule, needsLowering } from "../lib/lowering/mod.ts";
export {
  detectProfile,
  getProfile,
  HEAD_PROFILE,
  type ProfileName,
  TTNN_PROFILES,
  type TtnnProfile,
} from "../lib/dialect/ttnn_profile.ts";
export type { LayoutGeneration } from "../lib/dialect/ttnn_layout.ts";
