// SPDX-License-Identifier: Apache-2.0
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { createMemoryHost, type MemoryHost, type MemoryHostOptions } from "./memory_host.ts";

/** A memory host that also reads the files of the project, by paths from its root; writes stay in memory. */
export function createProjectHost(options: MemoryHostOptions = {}): MemoryHost {
  const host = createMemoryHost(options);
  return {
    ...host,
    filesBelow: async (folder) => {
      const own = await host.filesBelow(folder);
      if (own !== undefined) return own;
      try {
        const names = [...Deno.readDirSync(join(PROJECT_ROOT, folder))].filter(({ isFile }) => isFile);
        return names.map(({ name }) => `${folder}/${name}`);
      } catch {
        return undefined;
      }
    },
    readText: async (path) => {
      if (host.files.has(path)) return await host.readText(path);
      try {
        return await Deno.readTextFile(join(PROJECT_ROOT, path));
      } catch {
        return await host.readText(path);
      }
    },
  };
}

/** Splits a command line as a shell does: blanks, single and double quotes, `\` before a line end. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.replaceAll("\\\n", " ").matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double ?? ""));
  }
  return words;
}
