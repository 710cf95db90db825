// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/opmodel/op_model.ts";

/**
 * Categories of tt-perf-report's summary: arithmetic, data movement between places, tensor manipulation, collectives
 * and host work.
 */
export type StepCategory = "Compute" | "DM" | "TM" | "CCL" | "Host" | "Other";

/** The order in which tt-perf-report lists its categories. */
export const STEP_CATEGORIES: readonly StepCategory[] = ["Compute", "DM", "TM", "CCL", "Host", "Other"];

const CATEGORY_OF: Readonly<Record<CostClass, StepCategory>> = {
  matmul: "Compute",
  conv2d: "Compute",
  conv3d: "Compute",
  pool: "Compute",
  upsample: "Compute",
  eltwise_unary: "Compute",
  eltwise_binary: "Compute",
  eltwise_ternary: "Compute",
  reduction: "Compute",
  softmax: "Compute",
  norm: "Compute",
  sdpa: "Compute",
  sdpa_decode: "Compute",
  rotary: "Compute",
  sort: "Compute",
  typecast: "Compute",
  cache_update: "DM",
  embedding: "DM",
  gather: "DM",
  to_layout: "DM",
  reshard: "DM",
  permute: "TM",
  reshape: "TM",
  concat: "TM",
  slice: "TM",
  pad: "TM",
  repeat: "TM",
  heads: "TM",
  view: "TM",
  creation: "DM",
  ccl: "CCL",
  host_transfer: "Host",
  free: "Other",
  opaque: "Other",
};

/** Category of a cost class. */
export function stepCategory(costClass: CostClass): StepCategory {
  return CATEGORY_OF[costClass];
}
