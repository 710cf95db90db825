// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { constEvalResidentBytes } from "../../lib/graph/const_eval_residents.ts";
import { type GraphFunction, opAt, valueAt } from "../../lib/graph/graph.ts";
import { roleOf, runsOnDevice } from "../../lib/graph/function_role.ts";
import type { Operation } from "../../lib/ir/mod.ts";
import { roundUp } from "../../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { givenTensors } from "../../lib/memory/given_tensors.ts";
import { l1Region } from "../../lib/memory/l1_schedule.ts";
import { NO_FINDINGS, type Shortage } from "../../lib/memory/memory_verdict.ts";
import { simulateMemory } from "../../lib/memory/plan_memory.ts";
import { LOAD_CACHED } from "../../lib/ops/calls.ts";
import { identityPlan } from "../../lib/plan/steps.ts";
import type { Workbench } from "../load.ts";

/** Our replay's prediction for an op. Bytes are per core. */
export interface Prediction {
  /** Function without `@`, id of the op in its graph. */
  readonly function: string;
  readonly op: number;
  /** Why the op does not run or does not fit; `undefined` if it does. */
  readonly fault: string | undefined;
  /** Why its buffers are unknown; `undefined` if they are known. */
  readonly unchecked: string | undefined;
  /** Circular and dataflow buffers of the largest program, without its scratchpads. */
  readonly circularBuffers: number | undefined;
  /** Most bytes of L1 at any moment of the op, earlier tensors included. */
  readonly peak: number | undefined;
  /** Addresses of results in L1, by index of the result. */
  readonly addresses: ReadonlyMap<number, number>;
  /**
   * Result layouts that ttnn returns by our model (`lib/graph/read_graph.ts`), by index of the result; the text may
   * declare others. `undefined` if a result is no tensor.
   */
  readonly layouts: readonly (TtnnLayout | undefined)[];
  /** Whether nothing but `reshape` reads the results. */
  readonly onlyReshaped: boolean;
}

/** Our replay of a module as written, by op of the text. @param cap `--tensor-l1-usage-cap` */
export function predictOps(
  { binding, opModel, chip }: Workbench,
  cap: number,
): ReadonlyMap<Operation, Prediction> {
  const predictions = new Map<Operation, Prediction>();
  // The L1 that the text reserves for const-eval results (`ttnn.l1_const_eval_usage`) is not allocated when the program runs.
  const resident = constEvalResidentBytes(binding.graph.functions);
  for (const { fn, ops } of binding.functions) {
    const role = roleOf(fn.kind);
    if (!runsOnDevice(role)) continue;
    const besides = role === "once" ? argumentBytes(loaderOf(fn, binding.graph.functions), chip) : 0;
    const constEvalL1Bytes = role === "once" ? besides : resident;
    const memory = simulateMemory(fn, identityPlan(fn), opModel, { cap, constEvalL1Bytes, record: "all" });
    const { base } = l1Region(chip, cap, constEvalL1Bytes);
    for (const [position, step] of memory.execution.steps.entries()) {
      const operation = step.kind === "op" ? ops[step.op] : undefined;
      if (step.kind !== "op" || operation === undefined) continue;
      const usage = memory.timeline.usage[position];
      const { shortage, unchecked, refused } = memory.findings[position] ?? NO_FINDINGS;
      const addresses = new Map<number, number>();
      for (const [index, result] of step.results.entries()) {
        const placement = usage?.placements.find(({ tensor }) => tensor === result);
        if (placement !== undefined) addresses.set(index, placement.address);
      }
      const isKnown = unchecked === undefined && usage !== undefined;
      predictions.set(operation, {
        function: fn.name,
        op: step.op,
        fault: refused?.reason ?? (shortage === undefined ? undefined : faultOf(shortage)),
        unchecked: unchecked?.reason,
        circularBuffers: isKnown ? usage.circularBufferEnd - base : undefined,
        peak: isKnown ? besides + usage.peakBytes : undefined,
        addresses,
        layouts: opAt(fn, step.op).results.map((result) => valueAt(fn, result).layout),
        onlyReshaped: opAt(fn, step.op).results.map((result) => valueAt(fn, result)).every((
          { uses, returned },
        ) => returned === 0 && uses.every((use) => opAt(fn, use.op).name === "ttnn.reshape")),
      });
    }
  }
  return predictions;
}

/** A shortage in words. */
function faultOf({ memory, kind, shortBytes }: Shortage): string {
  return kind === "no_program"
    ? "no program for the L1 that is left"
    : `${memory.toUpperCase()} is ${shortBytes} B short`;
}

/** The function that loads the results of a const-eval function. */
function loaderOf({ name }: GraphFunction, functions: readonly GraphFunction[]): GraphFunction | undefined {
  return functions.find(({ ops }) =>
    ops.some(({ name: op, attributes }) => {
      const callee = attributes.get("callee");
      return op === LOAD_CACHED && callee?.kind === "symbol" && callee.name === name;
    })
  );
}

/** Bytes of L1 per core of a function's arguments, which are there before its const-eval functions run. */
function argumentBytes(fn: GraphFunction | undefined, chip: ChipDescription): number {
  const { alignment } = l1Region(chip, 1, 0);
  const given = fn === undefined ? [] : givenTensors(fn, chip);
  return given.reduce((sum, { l1Bytes }) => sum + roundUp(l1Bytes, alignment), 0);
}
