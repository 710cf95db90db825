// SPDX-License-Identifier: Apache-2.0
import { skipAttribute } from "./attribute_scanner.ts";
import { withoutComments } from "./comments.ts";
import type { AliasDefinition, ModuleText, Operation } from "./module_text.ts";
import { OperationParser } from "./operation_parser.ts";
import { type AliasUse, Scanner } from "./scanner.ts";
import { skipType } from "./type_scanner.ts";

/** A piece of a larger file. */
export interface SourcePiece {
  /** Text of the whole file, for diagnostics. */
  readonly fileText: string;
  /** Where the piece starts in it. */
  readonly offset: number;
}

/**
 * Parses one module: alias definitions, operations and file metadata, in any order. The top-level `module` may be
 * absent. Time is linear in the text.
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule(`%0 = "ttnn.get_device"() : () -> !ttnn.device // kept\n`, "device.mlir");
 * assertEquals(module.operations[0]?.name, "ttnn.get_device");
 * assertEquals(module.text.endsWith("// kept\n"), true);
 * ```
 *
 * @param text the module, `\n` or `\r\n` line ends
 * @param fileName name for diagnostics
 * @param piece set when the text is a piece of a larger file
 * @throws {DiagnosticError} with exactly one error when the text is no valid module
 */
export function parseModule(text: string, fileName: string, piece?: SourcePiece): ModuleText {
  const plainText = withoutComments(text);
  const scanner = new Scanner(plainText, fileName, piece?.fileText ?? text, piece?.offset);
  rejectForeignFormats(scanner);
  const attributeAliases = new Map<string, AliasDefinition>();
  const typeAliases = new Map<string, AliasDefinition>();
  const parser = new OperationParser(scanner);
  const topLevel: Operation[] = [];
  parser.scopes.push(true, false);
  for (;;) {
    scanner.skipTrivia();
    if (scanner.atEnd) break;
    const next = scanner.peek();
    if (next === "#") defineAlias(scanner, text, attributeAliases, "#");
    else if (next === "!") defineAlias(scanner, text, typeAliases, "!");
    else if (next === "{") skipFileMetadata(scanner);
    else if (next === "}") {
      throw scanner.error("parse/unbalanced-bracket", scanner.position, "'}' closes nothing; remove it");
    } else topLevel.push(parser.parseOperation(undefined, undefined));
  }
  parser.scopes.pop();
  if (topLevel.length === 0) {
    throw scanner.error(
      "parse/empty-input",
      0,
      "the file holds no operation; expected a module with TTNN or TTIR functions",
    );
  }
  checkAliases(scanner, attributeAliases, typeAliases);
  return {
    fileName,
    text,
    plainText,
    offset: piece?.offset ?? 0,
    fileText: piece?.fileText ?? text,
    attributeAliases,
    typeAliases,
    operations: parser.operations,
    topLevel,
  };
}

/** Marker of `--split-input-file`: a line that starts with it (MLIR's `kDefaultSplitMarker`). */
const SPLIT_MARKER = /^\/\/ -----.*$/gm;

/**
 * Cuts a file at its `// -----` lines, as `--split-input-file` does. The pieces joined with the markers are the file.
 * Pieces without anything but comments are left out.
 */
export function splitInput(text: string): { readonly text: string; readonly offset: number }[] {
  const pieces: { text: string; offset: number }[] = [];
  let start = 0;
  for (const marker of text.matchAll(SPLIT_MARKER)) {
    pieces.push({ text: text.slice(start, marker.index), offset: start });
    start = marker.index + marker[0].length;
  }
  pieces.push({ text: text.slice(start), offset: start });
  const withContent = pieces.filter((piece) =>
    piece.text.split("\n").some((line) => !/^\s*(?:\/\/.*)?$/.test(line))
  );
  return withContent.length === 0 ? pieces.slice(0, 1) : withContent;
}

/**
 * Parses every module of a file that is split by `// -----` lines.
 *
 * @example
 * ```ts
 * import { parseModules } from "@tilewright/tilewright/ir";
 * import { assertEquals } from "@std/assert";
 *
 * const text = `"test.a"() : () -> ()\n// -----\n"test.b"() : () -> ()\n`;
 * const modules = parseModules(text, "two.mlir");
 * assertEquals(modules.map((module) => module.operations[0]?.name), ["test.a", "test.b"]);
 * ```
 *
 * @throws {DiagnosticError} for the first piece that is no valid module
 */
export function parseModules(text: string, fileName: string): ModuleText[] {
  return splitInput(text).map((piece) =>
    parseModule(piece.text, fileName, { fileText: text, offset: piece.offset })
  );
}

function rejectForeignFormats(scanner: Scanner): void {
  const { text } = scanner;
  if (/^ML(?:\uFFFD|\xEF)R/.test(text)) {
    throw scanner.error(
      "parse/bytecode",
      0,
      "this is MLIR bytecode, not text; convert it with 'ttmlir-opt FILE -o FILE.mlir' first",
    );
  }
  const fence = text.includes("```") ? text.search(/^[ \t]*```/m) : -1;
  if (fence !== -1) {
    throw scanner.error(
      "parse/markdown",
      fence,
      "this is a page of text with MLIR between fences, not MLIR; keep only what lies between the fences",
    );
  }
  const nul = text.indexOf("\0");
  if (nul !== -1) {
    throw scanner.error(
      "parse/binary-input",
      nul,
      "the file holds a NUL character, so it is not text; give an .mlir text file",
    );
  }
}

function defineAlias(
  scanner: Scanner,
  text: string,
  aliases: Map<string, AliasDefinition>,
  sigil: "#" | "!",
): void {
  const start = scanner.position;
  scanner.position++;
  const name = scanner.identifier();
  if (name === "" || name.includes(".")) {
    throw scanner.expected(`an alias name such as '${sigil}layout' before '='`, start);
  }
  scanner.expect("=", `of the alias '${sigil}${name}'`);
  const cached = aliases.get(name);
  if (cached !== undefined) {
    const split = /^\/\/ -----/m.test(text.slice(cached.span.end, start));
    throw scanner.error(
      "parse/duplicate-alias",
      start,
      `redefinition of alias '${sigil}${name}', first defined ${
        scanner.lineDistance(cached.span.start, start)
      }; ` +
        (split
          ? "the file holds several modules: cut it at its '// -----' lines, or check it with 'lint --split-input-file'"
          : "give one another name"),
    );
  }
  const valueSpan = sigil === "#" ? skipAttribute(scanner) : skipType(scanner);
  aliases.set(name, { name, span: scanner.spanFrom(start), valueSpan });
}

/** `{-# dialect_resources: { … } #-}`: carried as it stands. */
function skipFileMetadata(scanner: Scanner): void {
  const start = scanner.position;
  if (!scanner.text.startsWith("{-#", start)) throw scanner.expected("an operation", start);
  scanner.position += 3;
  const { text } = scanner;
  for (;;) {
    scanner.skipTrivia();
    const next = scanner.peek();
    if (next === "") {
      throw scanner.error("parse/unbalanced-bracket", start, "'{-#' is never closed by '#-}'");
    }
    if (next === '"') scanner.skipString();
    else if (text.startsWith("#-}", scanner.position)) break;
    else scanner.position++;
  }
  scanner.position += 3;
}

function checkAliases(
  scanner: Scanner,
  attributeAliases: ReadonlyMap<string, AliasDefinition>,
  typeAliases: ReadonlyMap<string, AliasDefinition>,
): void {
  let first: AliasUse | undefined;
  for (const use of scanner.aliasUses.values()) {
    if ((use.sigil === "#" ? attributeAliases : typeAliases).has(use.name)) continue;
    if (first === undefined || use.offset < first.offset) first = use;
  }
  if (first === undefined) return;
  throw scanner.error(
    "parse/undefined-alias",
    first.offset,
    `undefined alias '${first.sigil}${first.name}'; add its definition '${first.sigil}${first.name} = …' to the file`,
  );
}
