// SPDX-License-Identifier: Apache-2.0
import { type Diagnostic, inputError } from "../lib/diagnostics/diagnostic.ts";
import type { ModulePiece } from "../lib/ir/mod.ts";

/** The selected module of a text, with remarks on the selection. */
export interface ChosenModule {
  readonly piece: ModulePiece;
  readonly remark: Diagnostic;
}

/**
 * Selects one of the modules of a text: the requested one; otherwise the compiler's final one, i.e. the last
 * with TTNN ops, else the last with TTIR ops, else the last.
 *
 * @param wanted number of a module from 1, or a part of its title or dialect (the last match)
 * @returns `undefined` if the text has no module
 * @throws {DiagnosticError} if none matches; it lists them
 */
export function chosenModule(
  pieces: readonly ModulePiece[],
  fileName: string,
  wanted: string | undefined,
): ChosenModule | undefined {
  if (pieces.length === 0) return undefined;
  const names = pieces.map((piece, index) => nameOf(piece, index));
  const index = wanted === undefined ? mostCompiled(pieces) : indexOf(names, wanted);
  const piece = pieces[index];
  if (piece === undefined) {
    throw inputError(
      "input/module",
      `Cannot read module '${wanted}' of ${fileName}: it holds ${names.join(", ")}`,
    );
  }
  const before = piece.fileText.slice(0, piece.offset + piece.text.search(/\S/));
  const place = pieces.length === 1
    ? `holds one module among other things, which is read: ${names[index]}`
    : `holds ${pieces.length} modules${pieces.length <= MOST_LISTED ? ` (${names.join(", ")})` : ""}; ${
      names[index]
    } is read, from line ${before.split("\n").length}; --module names another`;
  return { piece, remark: { code: "load/module", severity: "remark", message: `${fileName} ${place}` } };
}

/** Most modules that are listed with a selection; all are listed if none matches. */
const MOST_LISTED = 6;

/** Name of a module: number, title, and dialect if the title does not contain it. */
function nameOf({ text, title }: ModulePiece, index: number): string {
  const dialect = DIALECTS.find(({ op }) => op.test(text))?.name;
  const words = [title, dialect === undefined || title.includes(dialect) ? "" : dialect];
  return [`${index + 1}`, ...words.filter((word) => word !== "")].join(" ");
}

/** Dialects in the order of compilation, the last one first; attributes, which begin with \`#\`, are no ops. */
const DIALECTS = ["ttnn", "ttir", "stablehlo", "vhlo"].map((name) => ({
  name,
  op: new RegExp(`(?:^|[\\s"])${name}\\.[a-z]`),
}));

function mostCompiled(pieces: readonly ModulePiece[]): number {
  for (const { op } of DIALECTS.slice(0, 2)) {
    const last = pieces.findLastIndex(({ text }) => op.test(text));
    if (last >= 0) return last;
  }
  return pieces.length - 1;
}

function indexOf(names: readonly string[], wanted: string): number {
  if (/^\d+$/.test(wanted)) return Number(wanted) - 1;
  const word = wanted.toLowerCase();
  return names.findLastIndex((name) => name.toLowerCase().includes(word));
}
