// SPDX-License-Identifier: Apache-2.0
import { isRecord } from "../diagnostics/diagnostic.ts";

/**
 * Texts that hold several modules, or one among other things: dumps of passes (`--mlir-print-ir-after-all`), logs of
 * tt-xla (`MLIR Module ttnn:` … `END OF MLIR MODULE`), JSON, and modules that simply follow one another.
 */

/** A module of a text that holds more than that module. */
export interface ModulePiece {
  /** The module with its aliases. */
  readonly text: string;
  /** The text in which offsets count: the whole file, or the string of a JSON value. */
  readonly fileText: string;
  /** Where the module begins in {@linkcode fileText}. */
  readonly offset: number;
  /**
   * The line above it, for example `After TTNNOptimizer (ttnn-optimizer)` or `ttnn`; the path to it in
   * JSON, for example `stages.2.content`; its name as a symbol where it only follows another one.
   */
  readonly title: string;
  /** Whether a pass that failed left it, with half of its work. */
  readonly isHalf?: boolean;
}

/**
 * The line that MLIR prints above a dump, in which the op that it is of follows only where whole modules are asked for;
 * or the line of tt-xla, behind time, thread and place.
 */
const HEADER =
  /^(?:\/\/ -----\/\/ IR Dump (.*?)(?: \('[^)]*\))? \/\/----- \/\/|.*\bMLIR Module ([^\s:]+):)[ \t]*\r?(?:\n|$)/gm;

/** The line that tt-xla prints below a module. */
const END = /^.*\bEND OF MLIR MODULE\b/m;

const FAILED = / Failed\b/;

/** The first line of a whole module. */
const MODULE = /^[ \t]*"?(?:builtin\.)?module\b/m;

/** A module with its body, which the word in a text is not. */
const WHOLE_MODULE =
  /^[ \t]*(?:(?:builtin\.)?module\b(?:[ \t]+@(?:"[^"\n]*"|[\w$.-]+))?(?:\s+attributes)?\s*\{|"builtin\.module"\s*\()/m;

/** The first line of a module that nothing holds, and its symbol. */
const OUTERMOST = /^"?(?:builtin\.)?module\b(?:[ \t]+@("[^"\n]*"|[\w$.-]+))?/gm;

/**
 * The whole modules of a text that holds several, or holds them among other things, in its order. Dumps of single
 * functions are passed over.
 *
 * @param among finds modules among other things in a string of JSON that is none by itself
 * @returns nothing where the text is a module, or holds none
 */
export function modulePieces(
  text: string,
  among: (text: string) => readonly ModulePiece[] = () => [],
): readonly ModulePiece[] {
  const values = jsonValues(text);
  if (values !== undefined) {
    const fieldOf = (value: unknown, key: string) => isRecord(value) ? value[key] : undefined;
    const logged = LOGGED.map((key) => linesOf(values.map((value) => fieldOf(value, key))))
      .find((lines) => lines !== undefined);
    if (logged !== undefined) return piecesOfString("", logged, among);
    return values.flatMap((value, index) => piecesOfJson(value, index, values, among));
  }
  const isMarked = text.includes("// IR Dump ") || text.includes("MLIR Module ");
  const marked = isMarked ? piecesBelowHeaders(text) : [];
  return marked.length > 0 ? marked : piecesInTurn(text);
}

function piecesBelowHeaders(text: string): readonly ModulePiece[] {
  const headers = [...text.matchAll(HEADER)];
  return headers.flatMap((header, index): ModulePiece[] => {
    const title = header[1] ?? header[2] ?? "";
    const offset = header.index + header[0].length;
    const section = text.slice(offset, headers[index + 1]?.index);
    const end = header[2] === undefined ? -1 : section.search(END);
    const piece = end < 0 ? section : section.slice(0, end);
    if (!MODULE.test(piece)) return [];
    const isHalf = FAILED.test(title);
    return [{ text: firstModule(piece), fileText: text, offset, title, ...isHalf ? { isHalf } : {} }];
  });
}

const ALIAS = /^[#!][\w$.-]+[ \t]*=/m;

/**
 * Modules one after the other; nothing where there are not two of them. Where aliases stand before the first module only,
 * every module is read with them.
 */
function piecesInTurn(text: string): readonly ModulePiece[] {
  const starts = [...text.matchAll(OUTERMOST)];
  if (starts.length < 2) return [];
  const shared = text.slice(0, starts[0]?.index);
  const pieces: ModulePiece[] = [];
  let from = 0;
  for (const { index, 1: title = "" } of starts) {
    // A line of a module that is not indented, such as an inner module, begins no other.
    if (index < from) continue;
    const piece = firstModule(text.slice(from));
    const isWhole = from === 0 || ALIAS.test(piece) || !ALIAS.test(shared);
    pieces.push(
      isWhole
        ? { text: piece, fileText: text, offset: from, title }
        : { text: shared + piece, fileText: shared + piece, offset: 0, title },
    );
    from += piece.length;
  }
  return pieces.length < 2 ? [] : pieces;
}

/** Fields that hold a line in logs of a JSON object per line, as those of Docker. */
const LOGGED: readonly string[] = ["log", "message", "msg", "textPayload"];

/** The JSON values of a text, one, or one per line; `undefined` where it is no JSON. */
function jsonValues(text: string): readonly unknown[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  for (const parts of [[text], text.split("\n").filter((line) => line.trim() !== "")]) {
    try {
      return parts.map((part): unknown => JSON.parse(part));
    } catch {
      // Not these parts.
    }
  }
  return undefined;
}

/** The modules in the strings of a JSON value, to any depth, by their paths and the `name` of the object around them. */
function piecesOfJson(
  value: unknown,
  index: number,
  { length }: readonly unknown[],
  among: (text: string) => readonly ModulePiece[],
): readonly ModulePiece[] {
  const found: ModulePiece[] = [];
  const waiting: { readonly path: string; readonly name: string; readonly held: unknown }[] = [
    { path: length > 1 ? `${index}` : "", name: "", held: value },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, name, held } = next;
    const string = typeof held === "string" ? held : linesOf(held);
    if (string !== undefined) {
      const pieces = piecesOfString(path, string, among);
      found.push(...pieces.map((piece) => ({ ...piece, title: `${piece.title} ${name}`.trim() })));
    } else if (typeof held === "object" && held !== null) {
      const own = "name" in held && typeof held.name === "string" && !MODULE.test(held.name)
        ? held.name
        : name;
      const entries = Object.entries(held).map(([key, inner]) => ({
        path: path === "" ? key : `${path}.${key}`,
        name: own,
        held: inner,
      }));
      waiting.push(...entries.toReversed());
    }
  }
  return found;
}

/** The text of a list of lines that hold a module, as notebooks store the output of a cell; `undefined` for other values. */
function linesOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const isLine = (line: unknown): boolean => typeof line === "string" && !/\n./.test(line);
  const text = value.every(isLine) ? value.map((line: string) => line.replace(/\n?$/, "\n")).join("") : "";
  return WHOLE_MODULE.test(text) ? text : undefined;
}

function piecesOfString(
  path: string,
  text: string,
  among: (text: string) => readonly ModulePiece[],
): readonly ModulePiece[] {
  // A value may be JSON in a string again.
  const inner = jsonValues(text);
  if (inner !== undefined) {
    return inner.flatMap((value, index) => piecesOfJson(value, index, inner, among)).map((piece) => ({
      ...piece,
      title: [path, piece.title].filter((part) => part !== "").join("."),
    }));
  }
  if (/^\s*[{[]/.test(text)) return [];
  const isModule = WHOLE_MODULE.test(text);
  const pieces = isModule ? modulePieces(text) : / module\b/.test(text) ? among(text) : [];
  if (pieces.length > 0) {
    return pieces.map((piece) => ({
      ...piece,
      title: [path, piece.title].filter((part) => part !== "").join(" "),
    }));
  }
  if (!isModule) return [];
  // Without what was printed in front of it and behind it.
  const offset = Math.min(...[ALIAS, WHOLE_MODULE].map((form) => text.search(form)).filter((at) => at >= 0));
  return [{ text: firstModule(text.slice(offset)), fileText: text, offset, title: path }];
}

/** Lines after a module that belong to it: file metadata, comments, the ends of modules around it. */
const BELONGS = /^(?:\}.*|\{-#.*|#-\}.*|[ \t].*|\/\/.*|\r?)$/;

/** The name of a location's alias, which may stand behind the module too. */
const LOCATION = /^(#loc\d*)\b/;

/**
 * The module of a text that begins with it, without what follows it: the result and messages that were printed
 * into the same file.
 */
export function firstModule(piece: string): string {
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
