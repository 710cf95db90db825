// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { type CoreRange, walkCores } from "../../lib/layout/core_range.ts";
import type { LayoutTable } from "../../lib/layout/layout_table.ts";
import { isSharded, type TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { OpConstraints, ValidConstraints } from "../../lib/opmodel/op_model.ts";
import type { LaunchEvent } from "../../lib/programs/launch_sequence.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import { circularBufferBytes } from "../../lib/programs/circular_buffer.ts";
import type { RecordedAcceptance, RecordedEvent, RecordedResult, RecordedRow } from "./recorded_answer.ts";

/**
 * Figures compared between rule book and backend, for queries that both accept, bytes per core: `buffers`: peak of circular
 * buffers; `programs`: circular buffers of each program; `tensors`: peak of tensors that the op allocates in L1; `peak`: both together; `layout`: of the
 * results; `events`: allocations and programs in order.
 */
export const FIGURES = ["buffers", "programs", "tensors", "peak", "layout", "events"] as const;

export type Figure = (typeof FIGURES)[number];

export function byFigure<Value>(of: (figure: Figure) => Value): Readonly<Record<Figure, Value>> {
  const [buffers, programs, tensors, peak, layout, events] = FIGURES;
  return {
    buffers: of(buffers),
    programs: of(programs),
    tensors: of(tensors),
    peak: of(peak),
    layout: of(layout),
    events: of(events),
  };
}

/** One figure of a query: the backend's and the rule book's value, as text, equal or not. */
export interface Compared {
  readonly figure: Figure;
  readonly backend: string;
  readonly ours: string;
}

/** Comparison of the rule book's answer with the backend's. */
export interface Comparison {
  /** Whether the backend runs the op within the L1 that the compiler may use. */
  readonly backendAccepts: boolean;
  /** Whether the rule book accepts. */
  readonly oursAccepts: boolean;
  /** Why one of them refuses: the backend's message if it does, otherwise the rule book's. */
  readonly reason: string | undefined;
  /** Only if both accept, and only recorded figures. */
  readonly compared: readonly Compared[];
}

/**
 * Compares an answer of the rule book with the recorded one.
 *
 * @param ours answer to the question with the budget of the recording; an error text where it could not be read
 */
export function compareAnswer(
  { question, answer }: RecordedRow,
  ours: OpConstraints | string,
  layouts: LayoutTable,
  chip: ChipDescription,
): Comparison {
  const backendAccepts = answer.ok && answer.totalPeak <= question.usableL1;
  const valid = typeof ours !== "string" && ours.status === "valid" ? ours : undefined;
  const backendReason = answer.ok ? `${answer.totalPeak} B of L1` : answer.reason;
  const oursReason = typeof ours === "string"
    ? ours
    : ours.status === "invalid"
    ? `${ours.message} [${ours.rule}]`
    : "";
  return {
    backendAccepts,
    oursAccepts: valid !== undefined,
    reason: backendAccepts ? (valid === undefined ? oursReason : undefined) : backendReason,
    compared: backendAccepts && answer.ok && valid !== undefined
      ? compare(answer, valid, layouts, question.results.length, chip)
      : [],
  };
}

function compare(
  answer: RecordedAcceptance,
  ours: ValidConstraints,
  layouts: LayoutTable,
  results: number,
  chip: ChipDescription,
): readonly Compared[] {
  const compared: Compared[] = [
    { figure: "buffers", backend: String(answer.cbPeak), ours: String(ours.cbPeakBytes) },
    { figure: "tensors", backend: String(answer.tensorPeak), ours: String(ours.tensorL1PeakBytes) },
    { figure: "peak", backend: String(answer.totalPeak), ours: String(ours.l1PeakBytes) },
  ];
  if (answer.programs !== undefined) {
    const backend = answer.programs.map(({ buffers }) =>
      buffers.reduce((sum, { bytes, backed }) => backed ? sum : sum + bytes, 0)
    );
    compared.push({
      figure: "programs",
      backend: perProgram(backend),
      ours: perProgram(ours.programs.map(circularBufferBytes)),
    });
  }
  if (answer.events !== undefined) {
    compared.push({
      figure: "events",
      backend: recordedSteps(answer.events),
      ours: ourSteps(ours.events, ours.programs),
    });
  }
  // Ops that write into an operand return it; the dialect gives them no result.
  if (results > 0) {
    const made = ours.outputLayouts.map((id) => id === undefined ? undefined : layouts.get(id));
    compared.push({
      figure: "layout",
      backend: describeResults(answer.results.slice(0, results), chip),
      ours: describeLayouts(made, chip),
    });
  }
  return compared;
}

/** Programs without buffers of their own are left out, because some recordings lack them. */
function perProgram(bytes: readonly number[]): string {
  return bytes.filter((sum) => sum > 0).join(" ");
}

/** L1 steps; frees after the last program mark the end of the op and are not written. */
function recordedSteps(events: readonly RecordedEvent[]): string {
  const inL1 = new Set<number>();
  let tensors = 0;
  const steps: string[] = [];
  for (const event of events) {
    if (event.kind === "run") steps.push("run");
    else if (event.kind === "free" && event.tensor === undefined) steps.push("free operand");
    else if (event.kind === "free" && event.tensor !== undefined && inL1.has(event.tensor)) {
      steps.push(`free ${nameAmong(inL1, event.tensor)}`);
    } else if (event.kind === "allocate") {
      if (event.memory === "l1") {
        inL1.add(tensors);
        steps.push(`+${event.bytesPerBank}`);
      }
      tensors++;
    }
  }
  return untilLastRun(steps);
}

function ourSteps(events: readonly LaunchEvent[], programs: readonly DeviceProgram[]): string {
  const inL1 = new Set<number>();
  const steps: string[] = [];
  for (const event of events) {
    switch (event.kind) {
      case "run": {
        const program = programs[event.program];
        if (program?.kind !== "resident" || program.isUntraced !== true) steps.push("run");
        break;
      }
      case "free_operand":
        steps.push("free operand");
        break;
      case "free":
        if (inL1.has(event.tensor)) steps.push(`free ${nameAmong(inL1, event.tensor)}`);
        break;
      case "allocate":
        // Graph traces call L1_SMALL L1.
        if (event.allocated.memory === "dram") break;
        inL1.add(event.tensor);
        steps.push(`+${event.allocated.bytesPerBank}`);
        break;
    }
  }
  return untilLastRun(steps);
}

/** A tensor by its index among those allocated in L1. */
function nameAmong(inL1: ReadonlySet<number>, tensor: number): number {
  return [...inL1].indexOf(tensor);
}

function untilLastRun(steps: readonly string[]): string {
  let end = steps.length;
  while (end > 0 && steps[end - 1]?.startsWith("free")) end--;
  return steps.slice(0, end).join(", ");
}

/** Result layouts as the backend reports them, spelled as in {@linkcode describeLayouts}. */
export function describeResults(results: readonly RecordedResult[], chip: ChipDescription): string {
  return results.map((result) => describeResult(result, chip)).join(" | ");
}

/** Result layouts as text, equal for equal cores. */
export function describeLayouts(layouts: readonly (TtnnLayout | undefined)[], chip: ChipDescription): string {
  return layouts.map((layout) => layout === undefined ? "-" : describeLayout(layout, chip)).join(" | ");
}

function describeLayout(layout: TtnnLayout, chip: ChipDescription): string {
  const unit = layout.tile === undefined ? [1, 1] : [layout.tile.height, layout.tile.width];
  return describeResult({
    bufferType: layout.bufferType,
    memoryLayout: layout.memoryLayout ?? "-",
    dataType: layout.dataType,
    tiled: layout.tile !== undefined,
    shards: isSharded(layout)
      ? {
        extent: layout.shardShape.map((extent, dim) => extent * (unit[dim] ?? 1)),
        cores: layout.coreRanges,
      }
      : undefined,
  }, chip);
}

function describeResult(
  { bufferType, memoryLayout, dataType, tiled, shards }: RecordedResult,
  chip: ChipDescription,
): string {
  const words = [bufferType, memoryLayout, tiled ? "tile" : "row-major", dataType];
  if (shards !== undefined) words.push(shards.extent.join("x"), coreNames(shards.cores, chip));
  return words.join(" ");
}

/**
 * Equal text for equal cores, regardless of their division into ranges: runs of cores numbered row by row.
 */
function coreNames(ranges: readonly CoreRange[], { workerGrid: { columns } }: ChipDescription): string {
  const numbers = new Set(walkCores(ranges).map(({ x, y }) => y * columns + x));
  const sorted = [...numbers].toSorted((a, b) => a - b);
  const ends = sorted.filter((number) => !numbers.has(number + 1));
  const runs = sorted.filter((number) => !numbers.has(number - 1)).map((first, index) =>
    `${first}-${ends[index]}`
  );
  return `cores ${runs.join("+")}`;
}
