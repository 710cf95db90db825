// SPDX-License-Identifier: Apache-2.0
import { join, relative } from "@std/path";

/** File name suffixes that a command reads. */
const READ = /\.(?:mlir|csv|json|log|txt)$/;

const MOST_FILES = 10_000;

/** The tool that lists possible inputs of the others. */
export const LIST_FILES = {
  name: "files",
  description:
    "List the files below the server's folders that the other tools read. Answers tilewright.files/1.",
  inputSchema: {
    type: "object" as const,
    properties: { path: { type: "string", description: "Only files whose path contains this" } },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/**
 * The document of the files below some folders, with their sizes: possible arguments of the tools.
 *
 * @param part what a path has to contain
 */
export async function filesJson(
  folders: readonly string[],
  part: string,
): Promise<Readonly<Record<string, unknown>>> {
  const [first = ""] = folders;
  const files: { readonly path: string; readonly bytes: number }[] = [];
  const list = async (folder: string): Promise<void> => {
    const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
    for (const { name, isFile, isDirectory } of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
      const path = join(folder, name);
      if (isDirectory && !name.startsWith(".")) await list(path);
      if (!isFile || !READ.test(name) || files.length >= MOST_FILES) continue;
      const below = relative(first, path);
      const shown = below.startsWith("..") ? path : below;
      if (shown.includes(part)) files.push({ path: shown, bytes: (await Deno.stat(path)).size });
    }
  };
  for (const folder of folders) await list(folder);
  return { schema: "tilewright.files/1", summary: { files: files.length, most: MOST_FILES }, files };
}
