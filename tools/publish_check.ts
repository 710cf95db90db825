// SPDX-License-Identifier: Apache-2.0

/**
 * `deno publish --dry-run` on a copy of the package whose linked packages stand beside it instead of inside.
 *
 * Inside, they would either be published with us or, excluded, be refused as modules of our graph. The copy holds what
 * `publish.include` names, so a module that the include list forgets is found here as well. The real release uses
 * `deno.jsr.json`, which has no links.
 *
 * @module
 */

import { stripAnsiCode } from "@std/fmt/colors";
import { join } from "@std/path";
import { copyInto, deno, outputOf, ROOT, withTempDir } from "./steps.ts";

/** The `deno.json` of the copy: links lead out of it. */
export function stagedConfig(denoJson: string): string {
  const config: { readonly links: readonly string[] } = JSON.parse(denoJson);
  return JSON.stringify(
    { ...config, links: config.links.map((link) => link.replace(/^\.\//, "../")) },
    null,
    2,
  );
}

/** The files that a dry run says it would publish. */
export function simulatedFiles(output: string): string[] {
  return [...stripAnsiCode(output).matchAll(/^\s+(?:file:\/\/)?\S*\/package\/(\S+) \([\d.]+[KMG]?B\)$/gm)]
    .map((match) => match[1] ?? "");
}

/** Dry-run the publication; gives the reason where it would fail, else the published files. */
async function publishCheck(): Promise<{ readonly reason?: string; readonly files: string[] }> {
  const text = await Deno.readTextFile(join(ROOT, "deno.json"));
  const { publish }: { readonly publish: { readonly include: readonly string[] } } = JSON.parse(text);
  return await withTempDir(async (dir) => {
    const staged = join(dir, "package");
    for (const entry of [...publish.include, "../shims"]) {
      const source = entry === "../shims" ? join(ROOT, "shims") : join(ROOT, entry);
      try {
        await copyInto(source, join(staged, entry));
      } catch (error) {
        // What is needed and missing makes the dry run fail below.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    await Deno.writeTextFile(join(staged, "deno.json"), stagedConfig(text));
    // Types are checked by a step of their own; slow types and missing modules are found here without.
    const result = await deno(["publish", "--dry-run", "--allow-dirty", "--no-lock", "--no-check"], staged);
    const files = simulatedFiles(outputOf(result));
    if (result.code !== 0) return { reason: outputOf(result), files };
    if (files.length === 0) {
      return { reason: `Cannot read what would be published:\n${outputOf(result)}`, files };
    }
    const wrong = files.filter((file) => /_test\.ts$|^shims\/|^testing\/|^tools\//.test(file));
    return wrong.length > 0 ? { reason: `Must not be published: ${wrong.join(", ")}`, files } : { files };
  });
}

if (import.meta.main) {
  const { reason, files } = await publishCheck();
  if (reason === undefined) console.log(`${files.length} files would be published`);
  else {
    console.error(reason);
    Deno.exitCode = 1;
  }
}
