// SPDX-License-Identifier: Apache-2.0
import {
  plainLog,
  unescaped,
  unwrapped,
  withoutLevels,
  withoutLoggedLines,
  withoutSharedPrefix,
} from "./log_lines.ts";
import { firstModule, type ModulePiece, modulePieces } from "./module_pieces.ts";

/** A line with which a module may begin: an alias, a comment, its op or a function, resources. */
const MLIR_BEGINS =
  /^\s*(?:[#!][\w$.-]+[ \t]*=|\/\/|\{-#|(?:"(?:builtin\.)?module"|(?:builtin\.)?module\b)(?!\s*[=:])|(?:func|ttcore)\.\w+)/;

/** The first line of a module, however far it is indented. */
const BEGIN = /^([ \t]*)"?(?:builtin\.)?module(?:[ \t]+@|[ \t]+attributes\b|[ \t]*\{|"[ \t]*\()/gm;

/** Beginning of a line of MLIR after a module; any other line was printed by other programs, or is running text. */
const MLIR_GOES_ON =
  /^(?:[%#!"}{^@]|\/\/|(?:builtin\.)?module\b|(?:func|ttcore|tt|ttir|ttnn|stablehlo|sdy|memref|llvm|arith)\.\w+[ (])/;

/** A line that belongs to the module below it: an alias, a comment, or nothing. */
const HEAD = /^[ \t]*(?:[#!][\w$.-]+[ \t]*=.*|\/\/.*|)\r?$/;

/**
 * The modules of a text that is no MLIR itself: a page with fences, a terminal's contents, a program with the module in a
 * string, a log whose lines have times or processes before them, or lines of a logger between those of the module. Lines
 * keep their numbers.
 *
 * @returns nothing where the text begins like MLIR, or holds no module
 */
export function modulesAmong(text: string): readonly ModulePiece[] {
  if (MLIR_BEGINS.test(text)) {
    return modulesOf(unwrapped(text), text) ?? moduleBefore(text) ?? modulesOf(unescaped(text), text) ?? [];
  }
  const plain = plainLog(text);
  const own = text.replaceAll("\r\n", "\n");
  const readable = [...withoutLoggedLines(text), plain].find((candidate) =>
    candidate !== own && modulePieces(candidate).length > 0
  );
  const [unshared = own] = withoutLoggedLines(withoutSharedPrefix(text));
  if (readable !== undefined) return modulePieces(readable);
  return modulesOf(unescaped(text), text) ?? modulesOf(withoutLevels(text), plain) ??
    modulesOf(unshared, own) ?? modulesIn(plain);
}

/** The modules of a text that another one became; `undefined` where nothing changed or none is in it. */
function modulesOf(text: string, from: string): readonly ModulePiece[] | undefined {
  if (text === from) return undefined;
  const pieces = modulePieces(text);
  const found = pieces.length > 0 ? pieces : modulesIn(text);
  return found.length > 0 ? found : undefined;
}

/** The module that a text begins with, where other programs printed into the same file behind it. */
function moduleBefore(text: string): readonly ModulePiece[] | undefined {
  const piece = firstModule(text);
  const behind = text.slice(piece.length).trimStart();
  return /\S[ :]/.test(behind) && !MLIR_GOES_ON.test(behind)
    ? [{ text: piece, fileText: text, offset: 0, title: titleOf(text, Math.max(0, text.search(BEGIN))) }]
    : undefined;
}

function modulesIn(plain: string): readonly ModulePiece[] {
  const pieces: ModulePiece[] = [];
  let from = 0;
  for (const { index, 1: indent = "" } of plain.matchAll(BEGIN)) {
    if (index < from) continue;
    const text = indent === ""
      ? plain
      : plain.replaceAll(new RegExp(`^[ \\t]{1,${indent.length}}`, "gm"), "");
    // Removed blanks move what follows.
    const begin = indent === "" ? index : offsetOfLine(text, lineOf(plain, index));
    const offset = headOf(text, begin);
    const piece = firstModule(text.slice(offset));
    pieces.push({ text: piece, fileText: text, offset, title: titleOf(text, begin) });
    from = offsetOfLine(plain, lineOf(text, offset + piece.length));
  }
  return pieces;
}

/** Offset of the aliases and comments directly above a module. */
function headOf(text: string, begin: number): number {
  let offset = begin;
  while (offset > 0) {
    const above = offset === 1 ? 0 : text.lastIndexOf("\n", offset - 2) + 1;
    if (!HEAD.test(text.slice(above, offset - 1))) return offset;
    offset = above;
  }
  return offset;
}

function titleOf(text: string, begin: number): string {
  return /^.*?module[ \t]+@("[^"\n]*"|[\w$.-]+)/.exec(text.slice(begin, begin + 200))?.[1] ?? "";
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

function offsetOfLine(text: string, line: number): number {
  return text.split("\n").slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);
}
