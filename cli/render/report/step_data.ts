// SPDX-License-Identifier: Apache-2.0
import { describeLayout } from "../../../lib/layout/describe.ts";
import type { FunctionReport } from "../../../pipeline/report/report.ts";
import type { RunAudit } from "../../../sim/audit/run/audit_run.ts";
import type { StepTimeline } from "../../../sim/timeline/timeline.ts";
import { formatBytes, formatChange, formatMicroseconds, formatPercent } from "../format.ts";
import { measuredSteps, opCode } from "../step_table.ts";
import { attributeNumber } from "./html.ts";

/** What the client shows of a chosen step. */
export interface StepData {
  readonly title: string;
  /** µs from the start of the function. */
  readonly start: number;
  /** µs of the kernel. */
  readonly us: number;
  /** Texts by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** What the client shows of the steps of a function. */
export function stepData(fn: FunctionReport, audit: RunAudit | undefined): readonly StepData[] {
  const measured = measuredSteps(audit, fn.name);
  const rows = new Map(fn.rows.map((row) => [row.id, row]));
  return fn.timeline.steps.map((step): StepData => {
    const row = step.kind === "op" ? rows.get(step.id) : undefined;
    const run = measured.get(step.index);
    const { launch, read, compute, write } = step.estimate.terms;
    return {
      title: `op ${step.op} ${opCode(step)}`,
      start: Number(attributeNumber(step.startUs)),
      us: Number(attributeNumber(step.deviceUs)),
      facts: {
        Inputs: step.inputLayouts.map(spell).join(", "),
        Outputs: step.outputLayouts.map(spell).join(", "),
        Time: `${
          formatMicroseconds(step.deviceUs)
        } µs on ${step.estimate.cores} cores, ${step.bound}; launch ${formatMicroseconds(launch)}, read ${
          formatMicroseconds(read)
        }, compute ${formatMicroseconds(compute)}, write ${formatMicroseconds(write)}; ±${
          formatPercent(step.estimate.relativeError)
        }`,
        ...(run === undefined ? {} : {
          Measured: `${formatMicroseconds(run.measuredUs)} µs, predicted ${
            formatMicroseconds(run.predictedUs)
          } µs (${formatChange(run.error)}); line ${run.line} of the profile, ${run.op}, paired by ${run.by}`,
        }),
        L1: `${formatBytes(step.l1.tensorBytes)} tensors, ${
          formatBytes(step.l1.circularBufferBytes)
        } circular buffers, largest hole ${formatBytes(step.l1.largestFreeBytes)}`,
        ...(row === undefined || row.reasons.length === 0 ? {} : { Why: row.reasons.join("; ") }),
        ...(step.location === "" ? {} : { Location: step.location.slice(0, 300) }),
      },
    };
  });
}

function spell(layout: StepTimeline["outputLayouts"][number]): string {
  return layout === undefined ? "–" : describeLayout(layout);
}
