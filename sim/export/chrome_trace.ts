// SPDX-License-Identifier: Apache-2.0
import { describeOp } from "../../lib/graph/describe_op.ts";
import type { CoreCoord } from "../../lib/layout/core_range.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { WorkerGrid } from "../../lib/layout/make_layout.ts";
import { stepCores } from "../timeline/step_traffic.ts";
import type { FunctionTimeline, StepTimeline, Timeline } from "../timeline/timeline.ts";

/** An event of the Chrome trace event format, as Perfetto imports it. `ts` and `dur` are µs. */
export interface TraceEvent {
  /** Slice, counter, metadata, or the start or end of a flow. */
  readonly ph: "X" | "C" | "M" | "s" | "f";
  /** Process: one per function. */
  readonly pid: number;
  /** Track inside of the process. */
  readonly tid?: number;
  /** Text on the slice. */
  readonly name: string;
  /** Category for filters. */
  readonly cat?: string;
  /** Start, in µs. */
  readonly ts?: number;
  /** Duration of a slice, in µs. */
  readonly dur?: number;
  /** The same at both ends of a flow. */
  readonly id?: number;
  /** A flow ends at the slice that encloses it, not at the next one. */
  readonly bp?: "e";
  /** Details, or the values of a counter. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A Chrome trace in its object form. */
export interface ChromeTrace {
  /** Unit that viewers show. */
  readonly displayTimeUnit: "ns";
  /** The tool that wrote the trace, and a note that nothing was measured. */
  readonly otherData: Readonly<Record<string, string>>;
  /** Events, by process. */
  readonly traceEvents: readonly TraceEvent[];
}

/** A kernel of a measured run, placed on the clock of a function. */
export interface MeasuredSlice {
  /** Function without `@`. */
  readonly functionName: string;
  /** Op of the program, or what the profiler calls an op that nothing predicted. */
  readonly name: string;
  /** µs from the start of the function. */
  readonly startUs: number;
  /** µs of the kernel. */
  readonly durationUs: number;
  /** Its attributes in a viewer. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Options of {@linkcode chromeTrace}. */
export interface ChromeTraceOptions {
  /** Name and version of the tool, for `otherData`. */
  readonly tool: string;
  /** Worker grid of the chip, to place the cores of {@linkcode detail}. */
  readonly grid: WorkerGrid;
  /** Step to draw core by core: reader, compute and writer of each core. */
  readonly detail?: { readonly functionName: string; readonly step: number };
  /** A measured run of the same program, drawn as a second track of its functions. */
  readonly measured?: readonly MeasuredSlice[];
}

const OPS_THREAD = 1;
const CONVERSIONS_THREAD = 2;
const GAPS_THREAD = 3;
const MEASURED_THREAD = 4;
const FLOWS_PER_PROCESS = 1_000_000;
const CORE_THREADS: readonly CoreThread[] = ["reader", "compute", "writer"];

/**
 * A timeline as a Chrome trace: one process per function, those of an inference first, with tracks for ops, inserted
 * conversions and gaps, a flow per tensor from what makes it to what reads it, counters for L1 (tensors and circular
 * buffers, bytes per core) and DRAM (GB/s), a track of a measured run where there is one, and one more process for the
 * step in detail.
 *
 * @example
 * ```ts
 * import { chromeTrace, loadModule, simulateGraph } from "@tilewright/tilewright";
 * import { assert } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
 * const trace = chromeTrace(timeline, { tool: "example", grid: workbench.chip.workerGrid });
 * assert(trace.traceEvents.some(({ ph, name }) => ph === "X" && name.includes("relu")));
 * ```
 */
export function chromeTrace(timeline: Timeline, options: ChromeTraceOptions): ChromeTrace {
  const traceEvents: TraceEvent[] = [];
  const isOnce = (fn: FunctionTimeline): number => fn.role === "inference" ? 0 : 1;
  const functions = timeline.functions.filter((fn) => fn.steps.length > 0)
    .sort((a, b) => isOnce(a) - isOnce(b));
  functions.forEach((fn, index) => {
    traceEvents.push(...functionEvents(fn, index + 1), ...flowEvents(fn, index + 1));
    const measured = options.measured?.filter(({ functionName }) => functionName === fn.name) ?? [];
    if (measured.length > 0) traceEvents.push(...measuredEvents(measured, index + 1));
  });
  if (options.detail !== undefined) {
    const { functionName, step } = options.detail;
    const fn = timeline.functions.find((candidate) => candidate.name === functionName);
    const found = fn?.steps[step];
    if (found !== undefined) {
      traceEvents.push(...detailEvents(found, functions.length + 1, options.grid));
    }
  }
  return {
    displayTimeUnit: "ns",
    otherData: {
      kind: options.measured === undefined
        ? "SIMULATED: predicted times, nothing was measured"
        : "SIMULATED: predicted times, but for the tracks called measured",
      tool: options.tool,
      device: timeline.device,
      gaps: timeline.traced ? "traced" : "untraced",
      network: timeline.network,
    },
    traceEvents,
  };
}

function functionEvents(fn: FunctionTimeline, pid: number): TraceEvent[] {
  const events: TraceEvent[] = [
    named("process_name", pid, 0, `@${fn.name} (${fn.kind})`),
    { ph: "M", pid, tid: 0, name: "process_sort_index", args: { sort_index: pid } },
    named("thread_name", pid, OPS_THREAD, "ops"),
    named("thread_name", pid, CONVERSIONS_THREAD, "conversions"),
    named("thread_name", pid, GAPS_THREAD, "gaps"),
  ];
  for (const step of fn.steps) {
    if (step.gapUs > 0) {
      const name = step.estimate.terms.launch >= step.gapUs ? "launch" : "waits for dispatcher or host";
      events.push(slice(pid, GAPS_THREAD, name, "gap", step.startUs - step.gapUs, step.gapUs));
    }
    if (step.deviceUs > 0) {
      const { name, costClass, startUs, deviceUs } = step;
      events.push({
        ...slice(pid, threadOf(step), name, costClass, startUs, deviceUs),
        args: stepArguments(step),
      });
    }
    events.push({
      ph: "C",
      pid,
      name: "L1 per core [bytes]",
      ts: toNanosecond(step.startUs),
      args: { tensors: step.l1.tensorBytes, "circular buffers": step.l1.circularBufferBytes },
    });
    if (step.deviceUs > 0) {
      events.push(
        counter(pid, "DRAM [GB/s]", step.startUs, step.dramBytes / step.deviceUs / 1000),
        counter(pid, "DRAM [GB/s]", step.startUs + step.deviceUs, 0),
      );
    }
  }
  return events;
}

function measuredEvents(slices: readonly MeasuredSlice[], pid: number): TraceEvent[] {
  return [
    named("thread_name", pid, MEASURED_THREAD, "measured"),
    ...slices.map(({ name, startUs, durationUs, args }): TraceEvent => ({
      ...slice(pid, MEASURED_THREAD, name, "measured", startUs, durationUs),
      args,
    })),
  ];
}

function threadOf({ kind }: StepTimeline): number {
  return kind === "op" ? OPS_THREAD : CONVERSIONS_THREAD;
}

/** One flow per step and each step whose results it reads; what takes no time (views) is passed through. */
function flowEvents(fn: FunctionTimeline, pid: number): TraceEvent[] {
  const events: TraceEvent[] = [];
  const makerOf = new Map<number, StepTimeline>();
  let flows = 0;
  for (const step of fn.steps) {
    const makers = step.reads.map((instance) => makerOf.get(instance));
    const maker = step.deviceUs > 0 ? step : makers[0];
    if (maker !== undefined) { for (const instance of step.makes) makerOf.set(instance, maker); }
    if (step.deviceUs === 0) continue;
    for (const from of new Set(makers)) {
      if (from === undefined) continue;
      // Ids are shared by all processes of a trace.
      const flow = { pid, name: "tensor", cat: "tensor", id: pid * FLOWS_PER_PROCESS + flows++ };
      const { ts, dur } = span(from.startUs, from.deviceUs);
      events.push(
        { ph: "s", ...flow, tid: threadOf(from), ts: toNanosecond(ts + dur / 2) },
        { ph: "f", bp: "e", ...flow, tid: threadOf(step), ts: toNanosecond(step.startUs) },
      );
    }
  }
  return events;
}

function stepArguments(step: StepTimeline): Record<string, unknown> {
  const spell = (layouts: StepTimeline["inputLayouts"]) =>
    layouts.map((layout) => layout === undefined ? "" : describeLayout(layout)).filter((text) => text !== "")
      .join(", ");
  return {
    id: step.id,
    shape: step.shape,
    bound: step.bound,
    dominant: step.estimate.dominant,
    cores: step.estimate.cores,
    inputs: spell(step.inputLayouts),
    outputs: spell(step.outputLayouts),
    "relative error": step.estimate.relativeError,
    ...(step.reason === undefined ? {} : { reason: step.reason }),
    ...(step.location === "" ? {} : { location: step.location }),
  };
}

function detailEvents(step: StepTimeline, pid: number, grid: WorkerGrid): TraceEvent[] {
  const events: TraceEvent[] = [named("process_name", pid, 0, `cores of ${describeOp(step.name, step.op)}`)];
  const seen = new Set<number>();
  for (const { core, thread, startUs, durationUs } of coreActivity(step, grid)) {
    const tid = (core.y * grid.columns + core.x) * CORE_THREADS.length + CORE_THREADS.indexOf(thread) + 1;
    if (!seen.has(tid)) {
      seen.add(tid);
      events.push(named("thread_name", pid, tid, `core (${core.x},${core.y}) ${thread}`));
    }
    events.push(slice(pid, tid, thread, step.costClass, startUs, durationUs));
  }
  return events;
}

function named(what: "process_name" | "thread_name", pid: number, tid: number, name: string): TraceEvent {
  return { ph: "M", pid, tid, name: what, args: { name } };
}

function counter(pid: number, name: string, ts: number, value: number): TraceEvent {
  return { ph: "C", pid, name, ts: toNanosecond(ts), args: { value: Math.round(value * 1000) / 1000 } };
}

function slice(
  pid: number,
  tid: number,
  name: string,
  cat: string,
  startUs: number,
  durationUs: number,
): TraceEvent {
  return { ph: "X", pid, tid, name, cat, ...span(startUs, durationUs) };
}

/** Start and duration of a slice: rounded so that slices that touch still do, and never overlap. */
function span(startUs: number, durationUs: number): { readonly ts: number; readonly dur: number } {
  const ts = toNanosecond(startUs);
  return { ts, dur: toNanosecond(toNanosecond(startUs + durationUs) - ts) };
}

/** µs rounded to whole nanoseconds: more digits would only make the file larger. */
function toNanosecond(microseconds: number): number {
  return Math.round(microseconds * 1000) / 1000;
}

/** The three threads of a core's program. */
export type CoreThread = "reader" | "compute" | "writer";

/** A span in which one thread of one core is busy with an op, in µs of the function's clock. */
export interface CoreActivity {
  /** The core. */
  readonly core: CoreCoord;
  /** The thread. */
  readonly thread: CoreThread;
  /** Start of the span. */
  readonly startUs: number;
  /** Its length. */
  readonly durationUs: number;
}

/**
 * Busy spans of a step's cores, in core order. The cost model times the slowest core, and every core of the
 * op is drawn like it. A reader starts with the kernel, a writer ends with it, and compute lies midway, at the end
 * if nothing is written, so the overlaps show which thread is the bottleneck.
 */
export function coreActivity(step: StepTimeline, grid: WorkerGrid): readonly CoreActivity[] {
  const { read, compute, write } = step.estimate.terms;
  const clip = (microseconds: number) => Math.min(microseconds, step.deviceUs);
  const spans: { thread: CoreThread; startUs: number; durationUs: number }[] = [];
  const end = step.startUs + step.deviceUs;
  if (read > 0) spans.push({ thread: "reader", startUs: step.startUs, durationUs: clip(read) });
  if (compute > 0) {
    const latest = end - clip(compute);
    const startUs = read > 0 && write > 0 ? (step.startUs + latest) / 2 : read > 0 ? latest : step.startUs;
    spans.push({ thread: "compute", startUs, durationUs: clip(compute) });
  }
  if (write > 0) spans.push({ thread: "writer", startUs: end - clip(write), durationUs: clip(write) });
  return stepCores(step, grid).flatMap((core) => spans.map((span) => ({ core, ...span })));
}
