// SPDX-License-Identifier: Apache-2.0
import type { CommandRun } from "./command.ts";

/**
 * Loads the code of a command, `run/NAME.ts`. The name is computed, because Deno loads the modules of all
 * literal `import()`s before it starts: `--help` would load the whole program. Bundles cannot follow a
 * computed name; they start from `bundled.ts`.
 */
export async function loadRun(name: string): Promise<{ readonly run: CommandRun }> {
  const module: { readonly run: CommandRun } = await import(
    new URL(`./run/${name}.ts`, import.meta.url).href
  );
  return module;
}
