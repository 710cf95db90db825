// SPDX-License-Identifier: Apache-2.0

/**
 * TTIR in, TTNN out: every op of a TTIR module becomes TTNN ops with DRAM-interleaved layouts, printed as text of the
 * newest generation and then read like any other TTNN module.
 *
 * - `op_writer.ts` writes TTNN ops; `lib/ttnn` holds and prints the functions.
 * - `families/` holds the rules, one file per family of ops; `op_table.ts` joins them.
 * - `lazy_tensor.ts` keeps views, broadcasts and splats as descriptions until an op needs a tensor.
 * - `function_lowering.ts` knows which TTIR value is which TTNN tensor and converts between places.
 *
 * @module
 */

export { hasLowering, type LoweringOptions, lowerModule } from "./lower_module.ts";
export { keptOps, needsLowering } from "./needs_lowering.ts";
