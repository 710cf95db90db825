// SPDX-License-Identifier: Apache-2.0
import { ATTENTION_CALLS } from "./calls/attention.ts";
import { COLLECTIVE_CALLS } from "./calls/collective.ts";
import { COMPUTE_CALLS } from "./calls/compute.ts";
import { ELTWISE_CALLS } from "./calls/eltwise.ts";
import { MOVEMENT_CALLS } from "./calls/movement.ts";
import { WINDOW_CALLS } from "./calls/windows.ts";
import type { CallWriters } from "./writers.ts";

/**
 * How the call of every op is written, by its name without the dialect: the arguments that tt-mlir's runtime passes,
 * and none that it leaves out (tt-mlir:runtime-calls). An op that is not in the table cannot be written.
 */
export const CALLS: CallWriters = {
  ...ELTWISE_CALLS,
  ...COMPUTE_CALLS,
  ...MOVEMENT_CALLS,
  ...WINDOW_CALLS,
  ...ATTENTION_CALLS,
  ...COLLECTIVE_CALLS,
};
