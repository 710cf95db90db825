// SPDX-License-Identifier: Apache-2.0

/** Compiles the files that CONTRIBUTING.md shows, each as if it lay where its first line says. */

import { assert, assertEquals } from "@std/assert";
import { dirname, join, toFileUrl } from "@std/path";
import { ROOT } from "./steps.ts";

/** Code blocks of a page that are whole files: path and text without the indentation of a list. */
function shownFiles(page: string): readonly { readonly path: string; readonly text: string }[] {
  return [...page.matchAll(/^( *)```ts ignore\n([\s\S]*?)^ *```$/gm)].map(([, indent = "", block = ""]) => {
    const text = block.split("\n").map((line) => line.slice(indent.length)).join("\n");
    const path = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
    assert(path !== undefined, `a block of CONTRIBUTING.md does not say its file:\n${text}`);
    return { path, text };
  });
}

/** The text with its relative imports leading to the project. */
function importingFromProject(path: string, text: string): string {
  const folder = join(ROOT, dirname(path));
  return text.replaceAll(
    /from "(\.[^"]+)"/g,
    (_, target: string) => `from "${toFileUrl(join(folder, target))}"`,
  );
}

Deno.test("the files that CONTRIBUTING.md shows compile", async () => {
  const files = shownFiles(Deno.readTextFileSync(join(ROOT, "CONTRIBUTING.md")));
  assertEquals(files.length, 4);
  const folder = await Deno.makeTempDir();
  try {
    const written = files.map(({ path, text }, index) => {
      const target = join(folder, `${index}.ts`);
      Deno.writeTextFileSync(target, importingFromProject(path, text));
      return target;
    });
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "-q", "--config", join(ROOT, "deno.json"), ...written],
      env: { NO_COLOR: "1" },
    }).output();
    assert(success, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
