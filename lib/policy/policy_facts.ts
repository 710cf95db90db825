// SPDX-License-Identifier: Apache-2.0
// deno-fmt-ignore-file
// Written by `deno task policies`; do not edit.
import type { PolicyFacts } from "./policy.ts";

/** Facts about every policy that do not need its code. */
export const POLICY_FACTS: readonly PolicyFacts[] = [
  {"name":"auto","freedom":"confirmed","free":["layouts","configs"],"tellsGap":true},
  {"name":"dram","freedom":"hinted"},
  {"name":"l1-interleaved","freedom":"hinted"},
  {"name":"greedy","freedom":"hinted"},
  {"name":"beam","freedom":"hinted"},
  {"name":"beam-cost","freedom":"hinted"},
  {"name":"optimal","freedom":"hinted","free":["layouts","configs"],"tellsGap":true},
  {"name":"df-sharding","freedom":"confirmed"},
  {"name":"df-sharding-2","freedom":"confirmed"},
  {"name":"greedy-l1-interleaved","freedom":"confirmed"},
  {"name":"bf-interleaved","freedom":"confirmed"},
];
