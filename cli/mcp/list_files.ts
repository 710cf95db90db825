// SPDX-License-Identifier: Apache-2.0
import { join, relative } from "@std/path";

/** File name suffixes that a command reads. */
const READ = /\.(?:mlir|csv|json|log|txt)$/;

/** Most listed files. */
const MOST_FILES = 1000;

/** The document of the files below some folders, with their sizes: possible arguments of the tools. */
export async function filesJson(folders: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const [first = ""] = folders;
  const files: { readonly path: string; readonly bytes: number }[] = [];
  const list = async (folder: string): Promise<void> => {
    const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
    for (const { name, isFile, isDirectory } of entries.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
      const path = join(folder, name);
      if (isDirectory && !name.startsWith(".")) await list(path);
      else if (isFile && READ.test(name) && files.length < MOST_FILES) {
        const below = relative(first, path);
        const { size } = await Deno.stat(path);
        files.push({ path: below.startsWith("..") ? path : below, bytes: size });
      }
    }
  };
  for (const folder of folders) await list(folder);
  return { schema: "tilewright.files/1", summary: { files: files.length, most: MOST_FILES }, files };
}
