// SPDX-License-Identifier: Apache-2.0
import { describeLayoutOr } from "../../../lib/layout/describe.ts";
import type { OpStory } from "../../../pipeline/explain/story.ts";
import type { FunctionReport } from "../../../pipeline/report/report.ts";
import type { RunAudit } from "../../../sim/audit/run/audit_run.ts";
import { isMove } from "../../../sim/timeline/dataflow.ts";
import type { SchedulePoint } from "../../../lib/graph/graph.ts";

import type { StepTimeline } from "../../../sim/timeline/timeline.ts";
import { formatBytes, formatChange, formatMicroseconds, formatPercent } from "../format.ts";
import { measuredSteps, opCode } from "../step_table.ts";
import { operandsText, type StorySection, storySections } from "../story.ts";
import { attributeNumber } from "./html.ts";

/** Data that the client shows for a selected step. */
export interface StepData {
  readonly title: string;
  /** µs from the start of the function. */
  readonly start: number;
  /** µs of the kernel, and of the gap before it. */
  readonly us: number;
  readonly gap: number;
  readonly bound: StepTimeline["bound"];
  /** Bytes of L1 that one core holds while it runs. */
  readonly l1: number;
  readonly op: SchedulePoint;
  /** Whether it only copies a tensor. */
  readonly isMove: boolean;
  /** Ids of the tensors that it reads and makes. */
  readonly reads: readonly number[];
  readonly makes: readonly number[];
  readonly facts: Readonly<Record<string, string>>;
  /** Rows of the candidates, best first: rank, result, operands, µs of the path, comparison with the chosen one. */
  readonly candidates: readonly (readonly string[])[];
  /** Title of the candidates' time: of the path up to the op, or of the op alone with its copies. */
  readonly timeTitle: string;
  /** Rank of the chosen candidate, as in its row; `undefined` if there is none. */
  readonly chosen: string | undefined;
  readonly sections: readonly StorySection[];
}

/** Most candidates and refusals of an op on the page; `explain` lists all. */
const STORY_SHOWN = 6;

/** Data that the client shows for the steps of a function. */
export function stepData(fn: FunctionReport, audit: RunAudit | undefined): readonly StepData[] {
  const measured = measuredSteps(audit, fn.name);
  const rows = new Map(fn.rows.map((row) => [row.id, row]));
  return fn.timeline.steps.map((step): StepData => {
    const row = step.kind === "op" ? rows.get(step.id) : undefined;
    const story = step.kind === "op" ? fn.stories.get(step.op) : undefined;
    const run = measured.get(step.index);
    return {
      title: `op ${step.op} ${opCode(step)}`,
      start: Number(attributeNumber(step.startUs)),
      ...drawnStep(step),
      op: step.op,
      isMove: isMove(step),
      reads: step.reads,
      makes: step.makes,
      facts: {
        Inputs: step.inputLayouts.map(spell).join(", "),
        Outputs: step.outputLayouts.map(spell).join(", "),
        Time: timeText(step),
        ...(run === undefined ? {} : {
          Measured: `${formatMicroseconds(run.measuredUs)} µs, predicted ${
            formatMicroseconds(run.predictedUs)
          } µs (${formatChange(run.error)}); line ${run.line} of the profile, ${run.op}, paired by ${run.by}`,
        }),
        L1: `${formatBytes(step.l1.tensorBytes)} tensors, ${
          formatBytes(step.l1.circularBufferBytes)
        } circular buffers, largest hole ${formatBytes(step.l1.largestFreeBytes)}`,
        ...(row === undefined || row.reasons.length === 0 || story !== undefined
          ? {}
          : { Why: row.reasons.join("; ") }),
        ...(step.location === "" ? {} : { Location: step.location.slice(0, 300) }),
      },
      ...storyData(story),
    };
  });
}

/** Figures by which a step is coloured in a graph. */
export function drawnStep(
  { deviceUs, gapUs, bound, l1 }: StepTimeline,
): Pick<StepData, "us" | "gap" | "bound" | "l1"> {
  return {
    us: Number(attributeNumber(deviceUs)),
    gap: Number(attributeNumber(gapUs)),
    bound,
    l1: l1.peakBytes,
  };
}

function spell(layout: StepTimeline["outputLayouts"][number]): string {
  return describeLayoutOr(layout, "–");
}

/** The time shown in the tables, and its terms. */
function timeText({ deviceUs, gapUs, bound, estimate }: StepTimeline): string {
  if (deviceUs + gapUs === 0) return "none of its own";
  const { read, compute, write } = estimate.terms;
  return `${formatMicroseconds(deviceUs + gapUs)} µs: gap ${formatMicroseconds(gapUs)}, then ${
    formatMicroseconds(deviceUs)
  } on ${estimate.cores} cores, ${bound}; read ${formatMicroseconds(read)}, compute ${
    formatMicroseconds(compute)
  }, write ${formatMicroseconds(write)}; ±${formatPercent(estimate.relativeError)}`;
}

function storyData(
  story: OpStory | undefined,
): Pick<StepData, "candidates" | "timeTitle" | "chosen" | "sections"> {
  if (story === undefined) return { candidates: [], timeTitle: "", chosen: undefined, sections: [] };
  const shown = story.candidates.filter(({ isChosen }, index) => index < STORY_SHOWN || isChosen);
  return {
    candidates: shown.map((candidate) => {
      const { rank, output, microseconds = Infinity, isChosen, against = "" } = candidate;
      return [
        String(rank),
        output,
        operandsText(candidate),
        Number.isFinite(microseconds) ? formatMicroseconds(microseconds) : "",
        isChosen ? "chosen" : against,
      ];
    }),
    timeTitle: story.alone ? "µs, rest of the plan unchanged" : "Path µs",
    chosen: shown.filter(({ isChosen }) => isChosen).map(({ rank }) => String(rank))[0],
    sections: storySections(story, STORY_SHOWN, (text) => text),
  };
}
