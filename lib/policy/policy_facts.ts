// SPDX-License-Identifier: Apache-2.0
// deno-fmt-ignore-file
// Written by `deno task policies`; do not edit.
import type { PolicyFacts } from "./policy.ts";

/** Facts about every policy that do not need its code. */
export const POLICY_FACTS: readonly PolicyFacts[] = [
  {"name":"auto","planKind":"confirmed","free":["layouts","configs"],"tellsGap":true},
  {"name":"dram","planKind":"hinted"},
  {"name":"l1-interleaved","planKind":"hinted"},
  {"name":"greedy","planKind":"hinted"},
  {"name":"beam","planKind":"hinted"},
  {"name":"beam-cost","planKind":"hinted"},
  {"name":"optimal","planKind":"hinted","free":["layouts","configs"],"tellsGap":true},
  {"name":"df-sharding","planKind":"confirmed"},
  {"name":"df-sharding-2","planKind":"confirmed"},
  {"name":"greedy-l1-interleaved","planKind":"confirmed"},
  {"name":"bf-interleaved","planKind":"confirmed"},
];
