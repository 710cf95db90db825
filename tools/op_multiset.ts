// SPDX-License-Identifier: Apache-2.0
import { attributeOf, functionsOf, type FunctionView, type ModuleText } from "../lib/ir/mod.ts";

/** How often each op occurs. */
export type OpCounts = ReadonlyMap<string, number>;

/** The ops of a TTNN module by when they run. */
export interface ModuleOps {
  /** In every inference, on the device. */
  readonly forward: OpCounts;
  /** Once at load: const-eval functions on the device, and those that upstream hands to the host. */
  readonly load: OpCounts;
}

/** Ops that say where a tensor is and when it dies, not what is computed. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  "func.call",
  "func.return",
  "ttcore.load_cached",
  "ttnn.deallocate",
  "ttnn.from_device",
  "ttnn.get_device",
  "ttnn.to_device",
  "ttnn.to_layout",
  "ttnn.to_memory_config",
  "ttnn.to_tensor_spec",
]);

/** Counts the ops of a module that compute something; TTIR ops of functions on the host count as their TTNN ops. */
export function moduleOps(module: ModuleText): ModuleOps {
  const forward = new Map<string, number>();
  const load = new Map<string, number>();
  for (const view of functionsOf(module)) {
    const into = kindOf(module, view).startsWith("forward_device") ? forward : load;
    for (const operation of view.blocks.flatMap((block) => block.operations)) {
      if (BOOKKEEPING.has(operation.name)) continue;
      const name = operation.name.replace(/^tt(nn|ir)\./, "");
      into.set(name, (into.get(name) ?? 0) + 1);
    }
  }
  return { forward, load };
}

function kindOf(module: ModuleText, view: FunctionView): string {
  const kind = attributeOf(module, view.operation, "tt.function_type");
  return kind?.kind === "string" ? kind.value : "forward_device";
}

/** All occurrences. */
export function total(counts: OpCounts): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}

/** How many more of each op `ours` has than `theirs`; ops that occur equally often are left out. */
export function difference(ours: OpCounts, theirs: OpCounts): OpCounts {
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  const entries = [...names].map((name) => [name, (ours.get(name) ?? 0) - (theirs.get(name) ?? 0)] as const);
  return new Map(entries.filter(([, count]) => count !== 0));
}

/** Ops that one side has and the other has not, of either side. */
export function distance(ours: OpCounts, theirs: OpCounts): number {
  return difference(ours, theirs).values().reduce((sum, count) => sum + Math.abs(count), 0);
}

/** Counts of several modules together. */
export function sumOf(all: readonly OpCounts[]): OpCounts {
  const sum = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of counts) sum.set(name, (sum.get(name) ?? 0) + count);
  }
  return sum;
}
