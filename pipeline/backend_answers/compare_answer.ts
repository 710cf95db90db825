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
 * Figures compared between rule book and backend, for queries that both accept, bytes per core. `buffers`: peak of
 * circular buffers; `programs`: circular buffers of each program; `tensors`: peak of tensors that the op allocates in
 * L1, `outputs` of them the results; `peak`: buffers and tensors together; `layout`: of the results; `events`:
 * allocations and programs in order.
 */
export const FIGURES = ["buffers", "programs", "tensors", "outputs", "peak", "layout", "events"] as const;

export type Figure = (typeof FIGURES)[number];

export function byFigure<Value>(of: (figure: Figure) => Value): Readonly<Record<Figure, Value>> {
  const [buffers, programs, tensors, outputs, peak, layout, events] = FIGURES;
  return {
    buffers: of(buffers),
    programs: of(programs),
    tensors: of(tensors),
    outputs: of(outputs),
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
  /** {@linkcode isAccepted}. */
  readonly backendAccepts: boolean;
  /** Whether the rule book accepts. */
  readonly oursAccepts: boolean;
  /** Why one of them refuses: the backend's message if it does, otherwise the rule book's. */
  readonly reason: string | undefined;
  /** Only if both accept, and only recorded figures. */
  readonly compared: readonly Compared[];
}

/** Whether the backend runs the op within the L1 that the compiler may use. */
export function isAccepted({ question, answer }: Pick<RecordedRow, "question" | "answer">): boolean {
  return answer.ok && (answer.totalPeak ?? 0) <= question.usableL1;
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
  const backendAccepts = isAccepted({ question, answer });
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
  const bytes = [
    ["buffers", answer.cbPeak, ours.cbPeakBytes],
    ["tensors", answer.tensorPeak, ours.tensorL1PeakBytes],
    ["outputs", answer.outputBytes, ours.outputL1Bytes],
    ["peak", answer.totalPeak, ours.l1PeakBytes],
  ] as const;
  const compared = bytes.flatMap(([figure, backend, own]): readonly Compared[] =>
    backend === undefined ? [] : [{ figure, backend: String(backend), ours: String(own) }]
  );
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
  if (results > 0 && answer.results !== undefined) {
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

/** An event in L1: a program, a tensor that is allocated or freed, or a freed operand. */
type L1Happening = "run" | "free operand" | { readonly tensor: number; readonly bytes?: number };

/** Events in words, tensors by their order; frees after the last program mark the end of the op and are left out. */
function stepsText(happenings: readonly L1Happening[]): string {
  const inL1: number[] = [];
  const steps = happenings.flatMap((each): readonly string[] => {
    if (typeof each === "string") return [each];
    if (each.bytes === undefined) {
      return inL1.includes(each.tensor) ? [`free ${inL1.indexOf(each.tensor)}`] : [];
    }
    inL1.push(each.tensor);
    return [`+${each.bytes}`];
  });
  return steps.slice(0, steps.findLastIndex((step) => !step.startsWith("free")) + 1).join(", ");
}

function recordedSteps(events: readonly RecordedEvent[]): string {
  let tensors = 0;
  return stepsText(events.flatMap((event): readonly L1Happening[] => {
    switch (event.kind) {
      case "run":
        return ["run"];
      case "free":
        return event.tensor === undefined ? ["free operand"] : [{ tensor: event.tensor }];
      case "allocate": {
        const tensor = tensors++;
        return event.memory === "l1" ? [{ tensor, bytes: event.bytesPerBank }] : [];
      }
    }
  }));
}

function ourSteps(events: readonly LaunchEvent[], programs: readonly DeviceProgram[]): string {
  return stepsText(events.flatMap((event): readonly L1Happening[] => {
    switch (event.kind) {
      case "run": {
        const program = programs[event.program];
        return program?.kind !== "resident" || program.isUntraced !== true ? ["run"] : [];
      }
      case "free_operand":
        return ["free operand"];
      case "free":
        return [{ tensor: event.tensor }];
      case "allocate": {
        const { memory, bytesPerBank } = event.allocated;
        // Graph traces call L1_SMALL L1.
        return memory === "dram" ? [] : [{ tensor: event.tensor, bytes: bytesPerBank }];
      }
    }
  }));
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
