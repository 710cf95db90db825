// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { type UpstreamNetwork, upstreamSection } from "./upstream_quality.ts";

const NETWORK: UpstreamNetwork = {
  name: "small",
  device: "n150",
  ops: { ours: 3, upstream: 4 },
  upstreamUs: [undefined, 30, 20],
  oursUs: 5,
  seconds: 0.25,
  runs: { ours: true, upstream: false },
  agreement: { results: 2, ops: 3 },
};

Deno.test("a section has the geometric mean of the ratios and a row per network and board", () => {
  const networks: readonly UpstreamNetwork[] = [NETWORK, { ...NETWORK, oursUs: 20 }, {
    ...NETWORK,
    device: "p150",
  }];
  const section = upstreamSection(networks, "auto").join("\n");
  assert(section.includes("n150: 0.50 over 2 networks, worst 1.00; p150: 0.25 over 1 networks, worst 0.25"));
  assert(section.includes("3 of our 3 plans and 0 of upstream's level 2"));
  assert(section.includes("| `small` | n150 | 4 | 3 | – | 30 | 20 | 5 | 0.25 | 2 of 3 |"));
});
