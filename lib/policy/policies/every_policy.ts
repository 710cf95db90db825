// SPDX-License-Identifier: Apache-2.0
// Written by `deno task policies`; do not edit.
import type { Policy } from "../policy.ts";
import { policy as auto } from "./auto.ts";
import { policy as beam } from "./beam.ts";
import { policy as beamCost } from "./beam_cost.ts";
import { policy as bfInterleaved } from "./bf_interleaved.ts";
import { policy as dfSharding } from "./df_sharding.ts";
import { policy as dfSharding2 } from "./df_sharding_2.ts";
import { policy as dram } from "./dram.ts";
import { policy as greedy } from "./greedy.ts";
import { policy as greedyL1Interleaved } from "./greedy_l1_interleaved.ts";
import { policy as l1Interleaved } from "./l1_interleaved.ts";
import { policy as optimal } from "./optimal.ts";

/** Every policy of this folder, as lists name them. */
export const EVERY_POLICY: readonly Policy[] = [
  auto,
  dram,
  l1Interleaved,
  greedy,
  beam,
  beamCost,
  optimal,
  dfSharding,
  dfSharding2,
  greedyL1Interleaved,
  bfInterleaved,
];
