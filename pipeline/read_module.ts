// SPDX-License-Identifier: Apache-2.0
import { type Diagnostic, DiagnosticError, errorAt, inputError } from "../lib/diagnostics/diagnostic.ts";
import { readFunctionKind } from "../lib/dialect/function_kind.ts";
import {
  attributeMap,
  attributeOf,
  errorIn,
  functionsOf,
  type ModulePiece,
  modulePieces,
  modulesAmong,
  type ModuleText,
  type Operation,
  parseModule,
  textOf,
} from "../lib/ir/mod.ts";
import { withoutComments } from "../lib/ir/comments.ts";
import { calleeOf } from "../lib/lowering/callee.ts";
import { needsLowering } from "../lib/lowering/needs_lowering.ts";
import { withoutDestinations } from "../lib/ttnn/destinations.ts";
import { verifyStructure } from "../lib/verify/verify_module.ts";
import { readFragments } from "./fragments/read_fragment.ts";

/** The selected module of a text, with remarks on the selection. */
export interface ChosenModule {
  /** The module. */
  readonly piece: ModulePiece;
  /** Which one it is, and of how many. */
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
  const index = wanted === undefined ? mostCompiled(pieces) : indexOf(pieces, names, wanted);
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
  const code = withoutComments(text);
  const dialect = DIALECTS.find(({ op }) => op.test(code))?.name;
  const words = [title, dialect === undefined || title.includes(dialect) ? "" : dialect];
  return [`${index + 1}`, ...words.filter((word) => word !== "")].join(" ");
}

/**
 * Dialects in the order of compilation, the last one first; attributes, which begin with `#`, are no ops, nor is what a
 * comment names, such as the checks of a test.
 */
const DIALECTS = ["ttnn", "ttir", "stablehlo", "vhlo"].map((name) => ({
  name,
  op: new RegExp(`(?:^|[\\s"])${name}\\.[a-z]`),
}));

/** The last module of the last dialect; what a pass that failed left only if there is no other. */
function mostCompiled(pieces: readonly ModulePiece[]): number {
  const isOnlyHalf = pieces.every(({ isHalf }) => isHalf === true);
  const codes = pieces.map(({ text, isHalf }) => isHalf === true && !isOnlyHalf ? "" : withoutComments(text));
  for (const { op } of DIALECTS.slice(0, 2)) {
    const last = codes.findLastIndex((code) => op.test(code));
    if (last >= 0) return last;
  }
  return pieces.length - 1;
}

/** By number, by a part of the name, or by the name of a function. */
function indexOf(pieces: readonly ModulePiece[], names: readonly string[], wanted: string): number {
  if (/^\d+$/.test(wanted)) {
    // A number that none of them has may be that of a graph.
    const number = new RegExp(`(?<!\\d)${wanted}(?!\\d)`);
    return Number(wanted) <= pieces.length
      ? Number(wanted) - 1
      : pieces.findLastIndex(({ title }) => number.test(title));
  }
  const word = wanted.toLowerCase();
  const named = names.findLastIndex((name) => name.toLowerCase().includes(word));
  if (named >= 0) return named;
  const symbol = new RegExp(`func\\.func\\b[^@\\n]*@${RegExp.escape(wanted.replace(/^@/, ""))}\\s*\\(`);
  return pieces.findLastIndex(({ text }) => symbol.test(text));
}

/** A module as written in a text. */
export interface ReadText {
  /** Parsed; locations refer to the whole text. */
  readonly module: ModuleText;
  /** Notes for the user: the selected module, if the text holds several modules or other text. */
  readonly remarks: readonly Diagnostic[];
}

/**
 * Parses a text, or one module of a text with several ({@linkcode chosenModule}), without checks. Of a text that is no MLIR
 * but holds a module (a page, a terminal's contents, a log) that module is read.
 *
 * @param wanted the module, as in {@linkcode chosenModule}; ignored if the whole text is one module
 * @throws {DiagnosticError} if it cannot be parsed, or holds no such module
 */
export function parseText(text: string, fileName: string, wanted?: string): ReadText {
  const chosen = chosenModule(modulePieces(text), fileName, wanted);
  try {
    if (chosen !== undefined) return parseChosen(chosen, fileName);
    requireNoJson(text, fileName);
    return { module: parseModule(text, fileName), remarks: [] };
  } catch (error) {
    const among = error instanceof DiagnosticError
      ? chosenModule(modulesAmong(text), fileName, wanted)
      : undefined;
    if (among === undefined || among.piece.text === chosen?.piece.text) throw error;
    return parseChosen(among, fileName);
  }
}

function parseChosen({ piece, remark }: ChosenModule, fileName: string): ReadText {
  const { fileText, offset } = piece;
  return { module: parseModule(piece.text, fileName, { fileText, offset }), remarks: [remark] };
}

/**
 * Parses a part of a program, in a text without a module or in the module that a text holds.
 *
 * @returns `undefined` if the text holds no part
 * @throws {DiagnosticError} if the part cannot be parsed, or none matches `wanted`
 */
function parsePart(text: string, fileName: string, wanted: string | undefined): ReadText | undefined {
  const cut = chosenModule(modulePieces(text), fileName, wanted) ??
    chosenModule(modulesAmong(text), fileName, wanted);
  const fragments = readFragments(cut === undefined ? text : onItsLines(cut.piece), fileName);
  const pieces = fragments.map(({ text, title }) => ({ text, title, fileText: text, offset: 0 }));
  const chosen = chosenModule(pieces, fileName, cut === undefined ? wanted : undefined);
  const part = fragments[pieces.findIndex((piece) => piece === chosen?.piece)]?.module();
  if (chosen === undefined || part === undefined) return undefined;
  const parts = fragments.length === 1
    ? "only a part of a program, which is read"
    : `${fragments.length} parts of programs, of which the one on ${chosen.piece.title} is read (--module names another)`;
  return {
    module: parseModule(part.text, fileName),
    remarks: [
      ...cut === undefined ? [] : [cut.remark],
      { code: "load/part", severity: "warning", message: `${fileName} holds ${parts}: ${part.remark}` },
    ],
  };
}

/** The text of a module below as many empty lines as its file has before it. */
function onItsLines({ text, fileText, offset }: ModulePiece): string {
  return "\n".repeat(fileText.slice(0, offset).split("\n").length - 1) + text;
}

/**
 * Like {@linkcode parseWholeOrPart}, but refuses a module that cannot be simulated.
 *
 * @throws {DiagnosticError} if it cannot be parsed, has neither a TTNN or TTIR op nor a function with TTNN layouts,
 * branches between blocks, calls a device function from another, or breaks a rule without which figures mean nothing
 */
export function readModule(text: string, fileName: string, wanted?: string): ReadText {
  const { module: parsed, remarks } = parseWholeOrPart(text, fileName, wanted);
  const { module, ops } = withoutDestinations(parsed);
  requireTensorOps(module);
  requireSoundStructure(module);
  requireOneBlock(module);
  requireNoDeviceCalls(module);
  return ops === 0
    ? { module, remarks }
    : { module, remarks: [...remarks, destinationsRemark(fileName, ops)] };
}

function destinationsRemark(fileName: string, ops: number): Diagnostic {
  const message = `${fileName} is TTNN of before mid 2025: ${ops} op${ops === 1 ? "" : "s"} of it ${
    ops === 1 ? "is" : "are"
  } told where to write, which is left out: ttnn makes results itself`;
  return { code: "load/destinations", severity: "remark", message };
}

/**
 * Like {@linkcode parseText}, but takes a part of a program for what it is ({@linkcode readFragments}).
 *
 * @throws {DiagnosticError} if it cannot be parsed, or holds no such module
 */
export function parseWholeOrPart(text: string, fileName: string, wanted?: string): ReadText {
  try {
    return parseText(text, fileName, wanted);
  } catch (fault) {
    if (!(fault instanceof DiagnosticError)) throw fault;
    requireNoPython(text, fileName);
    try {
      const part = parsePart(text, fileName, wanted);
      if (part !== undefined) return part;
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      // The fault of the whole text says more.
    }
    throw fault;
  }
}

/**
 * Refuses JSON with a message of its own: plans and traces are stored beside their IR, and the grammar would
 * only report that `{` begins no operation.
 *
 * @throws {DiagnosticError} if a text is JSON
 */
export function requireNoJson(text: string, fileName: string): void {
  if (!/^\s*\{\s*["}]/.test(text)) return;
  const message =
    `Cannot read ${fileName} as IR: it is JSON; give the .mlir file, or 'tilewright diff' the plan`;
  throw new DiagnosticError([errorAt("input/json", fileName, text, text.indexOf("{"), message)]);
}

/** @throws {DiagnosticError} if a text that is no IR is a Python program */
function requireNoPython(text: string, fileName: string): void {
  const begin = text.search(/^[ \t]*(?:import|from) (?:ttnn|torch|jax)\b/m);
  if (begin < 0 || /"(?:ttnn|ttir|stablehlo)\.\w+"\(|^[ \t]*%[\w#:]+ = /m.test(text)) return;
  const message =
    `Cannot read ${fileName} as IR: it is a Python program; give the .mlir that it was written from, or what ttnn captures when it runs: ` +
    "ttnn.graph.begin_graph_capture() in front of the model, ttnn.graph.end_graph_capture_to_file('model.json') behind it, and model.json here";
  throw new DiagnosticError([errorAt("input/python", fileName, text, begin, message)]);
}

function requireSoundStructure(module: ModuleText): void {
  const unsound = verifyStructure(module).find(({ severity }) => severity === "error");
  if (unsound === undefined) return;
  const next = {
    code: "input/lint",
    severity: "note",
    message: `'tilewright lint ${module.fileName}' lists all findings`,
  } as const;
  throw new DiagnosticError([{ ...unsound, notes: [...unsound.notes ?? [], next] }]);
}

/** Refuses TTNN functions of several blocks: which of them run, and how often, is known at run time only. */
function requireOneBlock(module: ModuleText): void {
  const branched = module.operations.find(({ name, parent, block }) =>
    name.startsWith("ttnn.") && parent?.name === "func.func" && (block?.region.blocks.length ?? 1) > 1
  );
  if (branched === undefined) return;
  const message =
    `Cannot evaluate ${branched.name}: its function has several blocks, and which of them run, and ` +
    "how often, is known only at run time; put the ops of a block into a function of their own";
  throw errorIn(module, "input/control-flow", branched.nameSpan.start, message);
}

/**
 * Refuses device calls between functions: each function is simulated alone, but a called one runs at every
 * call beside the caller's live tensors. Lowering inlines calls of TTIR; a runtime that captures traces is no
 * inference.
 */
function requireNoDeviceCalls(module: ModuleText): void {
  const calls = module.operations.filter(({ name }) => name === "func.call");
  if (calls.length === 0) return;
  const onDevice = new Map(
    functionsOf(module).filter(({ operation }) => isForwardDevice(module, operation))
      .map(({ operation, name }) => [operation, name]),
  );
  const byName = Map.groupBy(onDevice.keys(), (operation) => onDevice.get(operation));
  const holding = (isHeld: (name: string) => boolean) =>
    new Set<Operation | undefined>(
      module.operations.filter(({ name }) => isHeld(name)).map(({ parent }) => parent),
    );
  const holders = holding((name) => name.startsWith("ttnn."));
  const captures = holding((name) => name === "ttnn.begin_trace_capture");
  for (const call of calls) {
    const { parent } = call;
    const callee = calleeOf(module, call);
    const isCalled = (byName.get(callee) ?? []).some((operation) =>
      operation.parent === parent?.parent && holders.has(operation)
    );
    if (!isCalled || parent === undefined || !onDevice.has(parent) || captures.has(parent)) continue;
    const message =
      `Cannot evaluate a call of @${callee}: its ops share L1 with what is live in its caller, ` +
      "and run once per call; inline it first, for example with 'mlir-opt --inline'";
    throw errorIn(module, "input/device-call", call.nameSpan.start, message);
  }
}

function isForwardDevice(module: ModuleText, func: Operation): boolean {
  const kind = readFunctionKind(attributeMap(module, func));
  return kind === undefined || kind === "forward_device";
}

function requireTensorOps(module: ModuleText): void {
  if (needsLowering(module)) return;
  if (module.operations.some(({ name }) => name.startsWith("ttnn.") || name.startsWith("ttir."))) return;
  const held = module.operations.filter(({ name }) => !SCAFFOLD.test(name));
  // A program that only returns arguments has no ops; its time is 0. Kernels (tt-lang) have TTNN layouts as well.
  const isTtnn = [...module.attributeAliases.values()].some(({ valueSpan }) =>
    /^#ttnn\./.test(textOf(module, valueSpan))
  );
  if (isTtnn && held.length === 0 && module.operations.some(({ name }) => name === "func.func")) return;
  const foreign = held.find(({ name }) => name.startsWith("stablehlo.") || name.startsWith("tosa."));
  const composite = held.find(({ name }) => name === "ttcore.composite");
  const place = foreign ?? composite ?? held[0] ?? module.operations[0];
  throw new DiagnosticError([
    errorAt(
      "input/no-tensor-ops",
      module.fileName,
      module.fileText,
      module.offset + (place?.nameSpan.start ?? 0),
      `Cannot evaluate ${module.fileName}: ${
        foreign !== undefined
          ? `it holds ${foreign.name}; ${toTtir(foreign.name)}`
          : composite !== undefined
          ? withoutDecomposition(module, composite)
          : `it holds no TTNN or TTIR op${heldText(held)}; give a module of one of both dialects`
      }`,
    ),
  ]);
}

/** How a program of a frontend's dialect becomes TTIR. */
function toTtir(op: string): string {
  return op.startsWith("stablehlo.")
    ? "lower it to TTIR first: ttmlir-opt --stablehlo-to-ttir-pipeline; a log of tt-xla at TTXLA_LOGGER_LEVEL=DEBUG holds " +
      "the module as TTIR and TTNN as well"
    : "lower it to TTIR first, for example with ttmlir-opt";
}

/** Ops that contain or end other ops. */
const SCAFFOLD = /^(?:builtin\.|func\.(?:func|return)$|ttcore\.(?:device|device_module|cpu_module)$)/;

function heldText(held: readonly Operation[]): string {
  const names = [...new Set(held.map(({ name }) => name))];
  return names.length === 0 ? "" : `, but ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
}

/** The error about a module with composites but without the TTIR op that one of them stands for. */
function withoutDecomposition(module: ModuleText, composite: Operation): string {
  const attribute = attributeOf(module, composite, "composite_name");
  const name = attribute?.kind === "string" ? ` "${attribute.value}"` : "";
  const callee = calleeOf(module, composite);
  return `it holds ttcore.composite${name}, but no TTIR op that it stands for; ` +
    `${callee === undefined ? "name its decomposition" : `give @${callee} a body of TTIR ops`}, ` +
    "or let ttmlir-opt put the TTNN op in its place";
}
