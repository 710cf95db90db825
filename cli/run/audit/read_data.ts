// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../../../lib/diagnostics/diagnostic.ts";
import { readJson } from "../../../lib/diagnostics/read_json.ts";
import {
  joinRows,
  profiledRows,
  readMeasurements,
  type SplitRows,
} from "../../../sim/audit/audit_cost_model.ts";
import { replaceSection } from "../../../sim/audit/markdown_section.ts";
import type { NamedProfile } from "../../../sim/audit/profiles/audit_layers.ts";
import { parseProfile } from "../../../sim/audit/readers/profile_lines.ts";
import { type CommandContext, UsageError } from "../../command.ts";
import type { Host } from "../../host.ts";

/** File names of profiles in a folder. */
const PROFILE = /\.jsonl$/;

/**
 * Reads all files of measurements of `--data`; anything but `.json` is a profile or a folder of profiles.
 *
 * @throws {UsageError} if it names none, or a folder without profiles
 * @throws {DiagnosticError} if one cannot be read
 */
export async function readData(host: Host, files: readonly string[]): Promise<SplitRows> {
  if (files.length === 0) throw new UsageError("Option --data FILE is needed: it names the measurements");
  const parts: SplitRows[] = [];
  for (const file of files) {
    parts.push(
      file.endsWith(".json")
        ? readMeasurements(file, parseJsonFile(file, await host.readText(file)))
        : profiledRows(await readProfiles(host, file)),
    );
  }
  return joinRows(parts);
}

/**
 * Reads one profile, or all of a folder; named by their files.
 *
 * @throws {UsageError} if a folder contains none
 * @throws {DiagnosticError} if one cannot be read
 */
export async function readProfiles(host: Host, path: string): Promise<readonly NamedProfile[]> {
  const files = PROFILE.test(path)
    ? [path]
    : (await host.listFiles(path)).filter((name) => PROFILE.test(name)).map((name) => `${path}/${name}`);
  if (files.length === 0) throw new UsageError(`Cannot find profiles in ${path}: it holds no *.jsonl`);
  const profiles: NamedProfile[] = [];
  for (const file of files) {
    const name = file.replace(/^.*\//, "").replace(PROFILE, "");
    profiles.push({ name, ops: parseProfile(file, await host.readText(file)) });
  }
  return profiles;
}

/**
 * Parses the JSON of a data file.
 *
 * @throws {DiagnosticError} if it is not JSON
 */
export function parseJsonFile(file: string, text: string): unknown {
  return readJson(text, (reason) => inputError("audit/json", `Cannot read ${file}: ${reason}`));
}

/** Replaces a section of the page of accuracy in the folder of `--report`. */
export async function writeSection(
  { host, options }: CommandContext,
  heading: string,
  section: readonly string[],
): Promise<void> {
  const folder = options.text("report");
  if (folder === undefined) return;
  const path = `${folder}/accuracy.md`;
  await host.writeText(path, replaceSection(await host.readText(path), heading, section));
}
