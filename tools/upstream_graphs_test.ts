// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { basename } from "@std/path";
import { DEFAULT_L1_CAP } from "../lib/device/chip_description.ts";
import { type ModuleText, parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS, type PassSelection } from "../lib/passes/pass_options.ts";
import { checkMemory } from "../pipeline/check_memory.ts";
import { createWorkbench } from "../pipeline/load.ts";
import { prepareGraph } from "../pipeline/load_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { corpusFiles, corpusTest } from "../testing/corpus.ts";
import { distance, moduleOps, total } from "./op_multiset.ts";
import { upstreamMade } from "./upstream_made.ts";

/** Share of upstream's ops that may differ. */
const MOST = 0.03;

const device = getDevice("n150");

for (
  const [selection, folder] of [
    ["upstream", "upstream-level2/models"],
    ["upstream-level-0", "lowered/models"],
  ] as const
) {
  corpusTest(`with the passes of '${selection}' a graph has the ops that upstream's has`, () => {
    const made = corpusFiles(folder);
    let [apart, ops] = [0, 0];
    const worst: string[] = [];
    for (const path of corpusFiles("models/ttir")) {
      const name = basename(path);
      const input = parseModule(Deno.readTextFileSync(path), name);
      const theirs = upstreamMade(input, path, made);
      // The older backend that upstream asked took rotations by angles of every user, and attention to a single key.
      if (theirs === undefined || isRefused(theirs)) continue;
      const upstream = moduleOps(theirs).forward;
      const own = distance(opsOf(input, selection), upstream);
      apart += own;
      ops += total(upstream);
      if (own > 0) worst.push(`${name}: ${own} of ${total(upstream)}`);
    }
    assert(apart <= MOST * ops, `${apart} of ${ops} differ:\n${worst.join("\n")}`);
  });
}

/** Refusals of ops that upstream's fusion made when the backend still took them. */
const TAKEN_BEFORE: ReadonlySet<string> = new Set(["rotary/angles", "sdpa/key-chunk"]);

function isRefused(made: ModuleText): boolean {
  const { verdict } = checkMemory(createWorkbench(made, device), DEFAULT_L1_CAP);
  return verdict.refusedOps.some(({ rule }) => TAKEN_BEFORE.has(rule));
}

function opsOf(input: ModuleText, selection: PassSelection): ReturnType<typeof moduleOps>["forward"] {
  return moduleOps(prepareGraph(input, device, { ...DEFAULT_PASS_OPTIONS, selection }).module).forward;
}
