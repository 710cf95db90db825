// SPDX-License-Identifier: Apache-2.0
import type { CommandRun } from "./command.ts";

/**
 * Loads the code of a command, `run/NAME.ts`. The address is computed, because Deno reads everything that a literal
 * `import()` names before it starts anything: `--help` would load the whole program. Bundles cannot follow a computed
 * address; they start from `bundled.ts`.
 */
export async function loadRun(name: string): Promise<{ readonly run: CommandRun }> {
  const module: { readonly run: CommandRun } = await import(
    new URL(`./run/${name}.ts`, import.meta.url).href
  );
  return module;
}
