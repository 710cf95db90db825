// SPDX-License-Identifier: Apache-2.0
import { type MeasuredStep, parseProfilerCsv } from "../sim/audit/run/profiler_csv.ts";
import type { Host } from "./host.ts";

/**
 * The measured run of a profile; a remark says of which chip, where it has several.
 *
 * @param text what the file holds, if it was read already
 * @throws {DiagnosticError} if the file cannot be read or is no profile
 */
export async function readProfile(
  host: Host,
  path: string,
  text?: string,
): Promise<readonly MeasuredStep[]> {
  const say = (remark: string) => host.stderr.once(`remark: ${remark}\n`);
  return parseProfilerCsv(path, text ?? await host.readText(path), say);
}
