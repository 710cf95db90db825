// SPDX-License-Identifier: Apache-2.0
import type { MeasuredSlice } from "../../export/chrome_trace.ts";
import { deviceOperation } from "../../export/perf_csv.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { pairRun, predictedSteps } from "./pair_run.ts";
import type { MeasuredStep } from "./profiler_csv.ts";

/**
 * A measured run on the clock of its prediction, one track per function: kernels in the profile's order, each
 * behind its measured gap (0 if the profile has none). A function begins with the first op paired with one of
 * its steps; ops without a prediction stay at their place in the profile.
 */
export function measuredSlices(
  timeline: Timeline,
  measured: readonly MeasuredStep[],
): readonly MeasuredSlice[] {
  const pairs = new Map(
    pairRun(measured, predictedSteps(timeline)).pairs.map((pair) => [pair.measured, pair]),
  );
  const clocks = new Map<string, number>();
  const first = [...pairs.values()].reduce((a, b) => a.measured.line <= b.measured.line ? a : b, {
    measured: { line: Infinity },
    predicted: { function: "" },
  });
  let functionName = first.predicted.function;
  return measured.flatMap((step): MeasuredSlice[] => {
    const pair = pairs.get(step);
    functionName = pair?.predicted.function ?? functionName;
    if (functionName === "") return [];
    const clock = clocks.get(functionName);
    const startUs = clock === undefined ? 0 : clock + (step.gapUs ?? 0);
    clocks.set(functionName, startUs + step.us);
    return [{
      functionName,
      name: pair?.predicted.step.name ?? step.opCode,
      startUs,
      durationUs: step.us,
      args: {
        line: step.line,
        "op code": step.opCode,
        ...(pair === undefined ? { paired: "with nothing: measured, but not predicted" } : {
          paired: `by ${pair.by}`,
          id: pair.predicted.step.id,
          predicted: `${deviceOperation(pair.predicted.step)}, ${pair.predicted.step.deviceUs} µs`,
        }),
      },
    }];
  });
}
