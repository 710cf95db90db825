// SPDX-License-Identifier: Apache-2.0
import { joinRows, readMeasurements, type SplitRows } from "../../../sim/audit/audit_cost_model.ts";
import { UsageError } from "../../command.ts";
import type { Host } from "../../host.ts";
import { parseJsonFile } from "./parse_json_file.ts";

/**
 * Reads the files of measurements that `--data` names, together.
 *
 * @throws {UsageError} when it names none
 * @throws {DiagnosticError} when one is not readable
 */
export async function readData(host: Host, files: readonly string[]): Promise<SplitRows> {
  if (files.length === 0) throw new UsageError("Option --data FILE is needed: it names the measurements");
  const parts: SplitRows[] = [];
  for (const file of files) {
    parts.push(readMeasurements(file, parseJsonFile(file, await host.readText(file))));
  }
  return joinRows(parts);
}
