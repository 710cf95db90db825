// SPDX-License-Identifier: Apache-2.0

/** How long the shard solver takes on chains far longer than those of models. */

import { pickOpShardConfigs } from "../lib/chains/solve_chain.ts";
import { longChain } from "../lib/chains/testing/long_chain.ts";

Deno.bench("solve a chain of 500 ops with 64 configs each", () => {
  const solver = longChain(500, 64);
  solver.resolve();
  pickOpShardConfigs(solver);
});
