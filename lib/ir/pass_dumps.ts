// SPDX-License-Identifier: Apache-2.0

/** Text of `--mlir-print-ir-after-all` and its like: the same module again and again, after one pass or the other. */

import type { ModuleText } from "./module_text.ts";
import { parseModule } from "./module_parser.ts";

/** A module as one pass left it. */
export interface PassDump {
  /** The module alone. */
  readonly text: string;
  /** Where it begins in the file. */
  readonly offset: number;
  /** What stands in the line above it, for example `After TTNNOptimizer (ttnn-optimizer)`. */
  readonly title: string;
  /** Dumps in the file, those of single functions and of failed passes included. */
  readonly count: number;
}

/** The line that MLIR prints above a dump; the op that it is of follows only where whole modules are asked for. */
const HEADER = /^\/\/ -----\/\/ IR Dump (.*?)(?: \('[^)]*\))? \/\/----- \/\/[ \t]*\r?$/gm;

/** A pass that failed leaves half of its work. */
const FAILED = / Failed\b/;

/** The first line of a whole module. */
const MODULE = /^[ \t]*(?:"?builtin\.)?module\b/m;

/**
 * The last whole module of a file of dumps: what the compiler went on with, or ended with. Dumps of single functions
 * and of passes that failed are passed over.
 *
 * @returns `undefined` where the file holds no dumps, or none of a whole module
 */
export function lastPassDump(text: string): PassDump | undefined {
  if (!text.includes("// IR Dump ")) return undefined;
  const headers = [...text.matchAll(HEADER)];
  for (let index = headers.length - 1; index >= 0; index--) {
    const header = headers[index];
    const title = header?.[1] ?? "";
    if (header === undefined || FAILED.test(title)) continue;
    const offset = header.index + header[0].length;
    const piece = text.slice(offset, headers[index + 1]?.index);
    if (MODULE.test(piece)) return { text: firstModule(piece), offset, title, count: headers.length };
  }
  return undefined;
}

/** What may stand behind a module that belongs to it: file metadata, comments. */
const BELONGS = /^(?:\{-#.*|#-\}.*|[ \t].*|\/\/.*|\r?)$/;

/** The name of a location's alias, which may stand behind the module too. */
const LOCATION = /^(#loc\d*)\b/;

/** A module without what follows it: the result and messages that were printed into the same file. */
function firstModule(piece: string): string {
  const start = piece.search(MODULE);
  const lines = piece.slice(start).split("\n");
  const end = lines.findIndex((line) => line.startsWith("}"));
  if (end < 0) return piece;
  const locations = new Set(piece.slice(0, start).split("\n").map((line) => LOCATION.exec(line)?.[1]));
  const isForeign = (line: string): boolean => {
    const location = LOCATION.exec(line)?.[1];
    if (location === undefined) return !BELONGS.test(line);
    // The next module begins with its own.
    const isKnown = locations.has(location);
    locations.add(location);
    return isKnown;
  };
  const foreign = lines.findIndex((line, index) => index > end && isForeign(line));
  return foreign < 0 ? piece : piece.slice(0, start) + lines.slice(0, foreign).join("\n") + "\n";
}

/** A module of a file, and the dump that it is of where the file holds any. */
export interface ParsedDump {
  /** With places in the whole file. */
  readonly module: ModuleText;
  /** `undefined` where the file is the module. */
  readonly dump: PassDump | undefined;
}

/**
 * Parses a file, or the last whole module of one that holds dumps of passes.
 *
 * @throws {DiagnosticError} with exactly one error when it is no valid module
 */
export function parseLastDump(text: string, fileName: string): ParsedDump {
  const dump = lastPassDump(text);
  const module = dump === undefined
    ? parseModule(text, fileName)
    : parseModule(dump.text, fileName, { fileText: text, offset: dump.offset });
  return { module, dump };
}
