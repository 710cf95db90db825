// SPDX-License-Identifier: Apache-2.0
import { functionNamed, opId } from "../../lib/graph/graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { Workbench } from "../load.ts";
import type { Optimized } from "../optimize.ts";
import { type PricedImpl, priceImpls } from "../price/price_op.ts";

/**
 * Results that the op model accepts for an op's operands as read, but that no hint of its rule names, so that
 * no policy asks for them; with their cost. A sentence per memory, fastest first.
 *
 * @param told result layouts that the explanation lists already, in words; operands in other layouts may give them
 */
export function beyondHints(
  { device, planning }: Pick<Workbench, "device" | "planning">,
  { graph, timeline }: Pick<Optimized, "graph" | "timeline">,
  functionName: string,
  id: number,
  told: readonly string[],
): readonly string[] {
  const fn = functionNamed(graph, functionName);
  const step = timeline.functions.find(({ name }) => name === functionName)?.steps
    .find(({ kind, id: stepId }) => kind === "op" && stepId === id);
  const op = opSignatures(fn)[opId(fn, id)];
  if (step === undefined || op === undefined) return [];
  const inputs = step.inputLayouts.map((layout) => layout === undefined ? undefined : () => layout);
  const { impls } = priceImpls({ op, inputs, output: undefined }, device, planning());
  const memoryOf = ({ outputs: [made] }: PricedImpl) =>
    made === undefined ? undefined : `${made.bufferType}/${made.memoryLayout ?? "none"}`;
  const asked = new Set<string | undefined>([
    ...impls.filter(({ hinted }) => hinted).map(memoryOf),
    ...told.map((layout) => layout.split("/").slice(0, 2).join("/")),
  ]);
  const fastest = new Map<string, PricedImpl>();
  for (const impl of impls) {
    const memory = memoryOf(impl);
    if (memory === undefined || asked.has(memory) || impl.estimate.unknown !== undefined) continue;
    if (!fastest.has(memory)) fastest.set(memory, impl);
  }
  const now = step.estimate.microseconds;
  return [...fastest.values()].map(({ outputs: [made], estimate: { microseconds } }) =>
    `${made === undefined ? "" : describeLayout(made)}: legal, in ${
      microseconds.toFixed(2)
    } µs for the op alone ` +
    `(${now.toFixed(2)} µs as decided), but no hint of the op's rule names it, so that no policy asks for it`
  );
}
