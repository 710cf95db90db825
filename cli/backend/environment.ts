// SPDX-License-Identifier: Apache-2.0
import { BACKEND_REVISION } from "../../lib/opmodel/backend_revision.ts";
import { UsageError } from "../command.ts";
import type { Host } from "../host.ts";
import { NEEDED_PYTHON } from "./backend_ended.ts";
import { BACKEND_FILES } from "./files.ts";

/** The variable that names an environment with ttnn: a folder of `--setup`, a virtual environment, or an interpreter. */
export const ENVIRONMENT_VARIABLE = "TILEWRIGHT_TTNN";

/** Paths of the backend. */
export interface BackendPlace {
  /** Interpreter with ttnn. */
  readonly python: string;
  /** Folder with the files of {@linkcode BACKEND_FILES}. */
  readonly scripts: string;
  /** Writable folder for runs. */
  readonly cache: string;
}

/**
 * The folder for all files: `$TILEWRIGHT_CACHE`, else `$XDG_CACHE_HOME/tilewright`, else
 * `~/.cache/tilewright`.
 *
 * @throws {UsageError} if none is known
 */
export function cacheFolder(host: Host): string {
  const own = host.environment("TILEWRIGHT_CACHE");
  if (own !== undefined) return own;
  const xdg = host.environment("XDG_CACHE_HOME");
  if (xdg !== undefined) return `${xdg}/tilewright`;
  const home = host.environment("HOME");
  if (home !== undefined) return `${home}/.cache/tilewright`;
  throw new UsageError("Cannot find a folder for the cache: set TILEWRIGHT_CACHE");
}

/** The folder of the environment that `confirm --setup` creates. */
export function setupFolder(host: Host): string {
  return `${cacheFolder(host)}/${BACKEND_REVISION.replace(" ", "-")}`;
}

/**
 * Writes the scripts into the cache and finds an interpreter with ttnn.
 *
 * @throws {UsageError} if there is none; it lists the requirements
 */
export async function findBackend(host: Host): Promise<BackendPlace> {
  const named = host.environment(ENVIRONMENT_VARIABLE);
  const candidates = named === undefined
    ? [`${setupFolder(host)}/v/bin/python`]
    : [`${named}/v/bin/python`, `${named}/bin/python`, named];
  for (const python of candidates) {
    if (!await host.isFile(python)) continue;
    return { python, scripts: await layScripts(host), cache: cacheFolder(host) };
  }
  throw new UsageError(
    named === undefined
      ? `Cannot ask the backend: it takes ${NEEDED_PYTHON}; 'tilewright confirm --setup' makes that (350 MB), or ${ENVIRONMENT_VARIABLE} names an environment that has it`
      : `Cannot ask the backend: ${ENVIRONMENT_VARIABLE} names ${named}, which is neither an interpreter nor a folder with one`,
  );
}

/** Writes the scripts into a folder of their version. Returns the folder. */
export async function layScripts(host: Host): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(BACKEND_FILES));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const name = [...digest.slice(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const folder = `${cacheFolder(host)}/scripts-${name}`;
  await host.makeFolder(folder);
  for (const [file, text] of Object.entries(BACKEND_FILES)) {
    if (!await host.isFile(`${folder}/${file}`)) await host.writeText(`${folder}/${file}`, text);
  }
  return folder;
}
