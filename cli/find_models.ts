// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../lib/diagnostics/diagnostic.ts";
import type { Host } from "./host.ts";

/**
 * The files that the arguments name, each once, by name: files, all `.mlir` files below folders, and patterns
 * for shells that do not expand them (`*` and `?` within a name, `**` over folders).
 *
 * @throws {DiagnosticError} if an argument matches no file
 */
export async function findModels(host: Host, names: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const name of names) {
    const isPattern = /[*?]/.test(name);
    const folder = isPattern ? name.replace(/[^/]*[*?].*$/s, "").replace(/(?<=.)\/$/, "") || "." : name;
    const files = await host.filesBelow(folder);
    if (files === undefined && !isPattern) {
      found.add(name);
      continue;
    }
    const matches = (files ?? []).filter((file) =>
      isPattern ? patternOf(name).test(file) : file.endsWith(".mlir")
    );
    if (matches.length === 0) {
      throw inputError(
        "input/no-models",
        isPattern ? `Cannot find a file for ${name}` : `Cannot find an .mlir file below ${name}`,
      );
    }
    for (const file of matches) found.add(file);
  }
  return [...found].sort();
}

function patternOf(pattern: string): RegExp {
  const source = pattern.replace(/^\.\//, "").split(/(\*\*\/?|\*|\?)/).map((part) => {
    switch (part) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return part.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&");
    }
  }).join("");
  return new RegExp(`^(?:\\./)?${source}$`);
}
