// SPDX-License-Identifier: Apache-2.0
import { chipDescription } from "../../../sim/devices/device.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { explainFailure } from "../explain_failure.ts";
import { failedCheckOf } from "../failed_check.ts";
import { readRuntimeLog, type RuntimeFailure } from "../runtime_log.ts";

/** Failures that a log has, or the one that a message is by itself. */
export function failuresIn(text: string): readonly RuntimeFailure[] {
  const found = readRuntimeLog(text);
  const alone = failedCheckOf(text);
  return found.length > 0 || alone === undefined ? found : [alone];
}

/** All that is said of a text. */
export function said(text: string): string {
  return failuresIn(text).flatMap((failure) => {
    const { meaning, advice } = explainFailure(failure, chipDescription(getDevice("n150")));
    return [...meaning, ...advice];
  }).join("\n");
}

/** The beginning of a check of an op, up to the path of its file. */
export const AT = "RuntimeError: TT_FATAL @ /x/ttnn/cpp/ttnn/operations";

/** The beginning of an error of MLIR's conversion. */
export const LEGALIZE = "error: failed to legalize operation";
