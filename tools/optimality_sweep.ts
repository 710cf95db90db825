// SPDX-License-Identifier: Apache-2.0

/**
 * Decides every file of the shared corpus on every chip with `auto`, and says where another policy has the cheaper plan,
 * where the plan does not fit, and how far it lies above its bound. Takes hours: each run is a line of a table of tabs,
 * and what is in the table is not run again. Files of more than 20 ops come first, in an order that is not theirs, so
 * that a table that is not finished is a sample.
 *
 * Usage: `deno task optimality:sweep TABLE [SHARE] [CHIP,…]`: `SHARE` of 5 compares the other policies on every fifth of
 * the files of up to 20 ops; files of more are always compared, on one chip each. `SHARE` of 0 compares none.
 *
 * @module
 */

import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { parseModule, splitInput } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import type { Policy } from "../lib/policy/policy.ts";
import type { MemoryVerdict } from "../lib/memory/memory_verdict.ts";
import { prepareModule } from "../pipeline/load_module.ts";
import { readModule } from "../pipeline/read_module.ts";
import { decidePlan, optimizeModule } from "../pipeline/optimize.ts";
import { gapOfPlan, type PlanGap } from "../pipeline/plan_gap.ts";
import { createWorkbench, type Workbench } from "../pipeline/load.ts";
import { hash } from "../sim/calibrate/calibrate.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { corpusFiles, corpusName } from "../testing/corpus.ts";
import { COLUMNS, parseSweep, sweepDocument, sweepLine, type SweepRow } from "./sweep_table.ts";

/** Files of up to so many ops are about single ops. */
const MODEL_OPS = 20;
/** Heap at which a process ends, for another one to go on: memory of ops is kept as long as a process runs. */
const MOST_BYTES = 2.2e9;
/** Exit code of a process that leaves runs to the next one. */
const UNFINISHED = 75;

/** One module of the corpus. */
interface SweptInput {
  readonly text: string;
  /** Path below `corpus/`, with the number of the module where the file has several. */
  readonly name: string;
  readonly ops: number;
  /** Same for every run of the tool, and unrelated to the name's order. */
  readonly order: number;
}

/** 32 bits of a name, mixed so that similar names are far apart. */
function orderOf(name: string): number {
  const value = hash(name);
  const mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** The modules of a file: several where `// -----` lines cut it. */
function inputsOf(path: string): readonly SweptInput[] {
  const pieces = splitInput(Deno.readTextFileSync(path)).map(({ text }) => text).filter((text) =>
    /\btt(?:nn|ir)\./.test(text)
  );
  return pieces.map((text, index): SweptInput => {
    const name = `${corpusName(path)}${pieces.length > 1 ? ` ${index + 1}` : ""}`;
    const ops = text.match(/"?\btt(?:nn|ir)\.[a-z0-9_]+"?\s*\(/g)?.length ?? 0;
    return { text, name, ops, order: orderOf(name) };
  });
}

function workbenchOf({ text, name }: SweptInput, chip: string): Workbench {
  return prepareModule(readModule(text, name).module, getDevice(chip), { passes: DEFAULT_PASS_OPTIONS });
}

/** Whether a program fits, and the first reason if it does not or if it is unknown. */
function fitOf(
  { status, refusedOps, misfits, uncheckedOps }: MemoryVerdict,
): Pick<SweepRow, "status" | "why"> {
  const [refused] = refusedOps;
  if (refused !== undefined) return { status, why: `${refused.name}: ${refused.rule}` };
  const misfit = misfits[0];
  if (misfit !== undefined) {
    return {
      status,
      why: `${misfit.name} lacks ${misfit.shortBytes} bytes of ${misfit.memory} (${misfit.kind})`,
    };
  }
  const unchecked = uncheckedOps[0];
  return { status, why: unchecked === undefined ? "" : `${unchecked.name}: ${unchecked.rule}` };
}

interface SweptDecision {
  readonly timeline: Timeline;
  readonly gap: PlanGap;
  readonly verdict: MemoryVerdict;
  /** Predicted µs of the text that was written, read back. */
  readonly writtenUs?: number;
}

/** `auto` is carried out as on the command line; of the others only the plan is needed. */
function decide(workbench: Workbench, policy: Policy): SweptDecision {
  if (policy.name !== "auto") {
    const plan = decidePlan(workbench, policy, DEFAULT_POLICY_OPTIONS);
    const timeline = simulateGraph(workbench.binding.graph, plan, workbench);
    return { timeline, gap: gapOfPlan(plan, timeline), verdict: timeline.verdict };
  }
  const { plan, timeline, memory, text } = optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS);
  const written = createWorkbench(parseModule(text, "written.mlir"), workbench.device);
  const { inference } = simulateGraph(written.binding.graph, undefined, written);
  return { timeline, gap: gapOfPlan(plan, timeline), verdict: memory.verdict, writtenUs: inference.totalUs };
}

/** One run; refusals and failures are rows as well. */
function run(input: SweptInput, chip: string, policy: Policy): SweepRow {
  const row = { file: input.name, chip, policy: policy.name, ops: input.ops };
  const nothing = { predictedUs: 0, writtenUs: NaN, boundUs: NaN, certificate: "none", elapsedMs: 0 };
  let isRead = false;
  try {
    const workbench = workbenchOf(input, chip);
    isRead = true;
    const started = performance.now();
    const { timeline, gap, verdict, writtenUs = NaN } = decide(workbench, policy);
    return {
      ...row,
      ...fitOf(verdict),
      predictedUs: timeline.inference.totalUs,
      writtenUs,
      boundUs: gap.lowerBoundUs ?? NaN,
      certificate: gap.certificate ?? "none",
      elapsedMs: Math.round(performance.now() - started),
    };
  } catch (error) {
    const isRefused = error instanceof DiagnosticError && !isRead;
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { ...row, ...nothing, status: isRefused ? "refused" : "error", why };
  }
}

const [table = "sweep.tsv", share = "5", chips = "n150,p150"] = Deno.args;
const known = await Deno.readTextFile(table).catch(() => `${COLUMNS.join("\t")}\n`);
const rows = [...parseSweep(known)];
const done = new Set(rows.map(({ file, chip, policy }) => `${file} ${chip} ${policy}`));
await Deno.writeTextFile(table, `${[COLUMNS.join("\t"), ...rows.map(sweepLine)].join("\n")}\n`);

const inputs = corpusFiles().flatMap(inputsOf).toSorted((a, b) =>
  Number(a.ops <= MODEL_OPS) - Number(b.ops <= MODEL_OPS) || a.order - b.order
);
for (const input of inputs) {
  const names = chips.split(",");
  const isCompared = Number(share) > 0 && (input.ops > MODEL_OPS || input.order % Number(share) === 0);
  const compared = isCompared ? names[Math.floor(input.order / Number(share)) % names.length] : undefined;
  for (const chip of names) {
    for (const policy of chip === compared ? policies : [getPolicy("auto")]) {
      if (done.has(`${input.name} ${chip} ${policy.name}`)) continue;
      if (Deno.memoryUsage().rss > MOST_BYTES) Deno.exit(UNFINISHED);
      const row = run(input, chip, policy);
      await Deno.writeTextFile(table, `${sweepLine(row)}\n`, { append: true });
      rows.push(row);
    }
  }
}
console.log(sweepDocument(rows));
