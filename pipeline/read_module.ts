// SPDX-License-Identifier: Apache-2.0
import {
  type Diagnostic,
  DiagnosticError,
  errorAt,
  inputError,
  locate,
} from "../lib/diagnostics/diagnostic.ts";
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
import { isStructural, verifyModule } from "../lib/verify/verify_module.ts";
import { foreignText, requireNoJson } from "./foreign_text.ts";
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
 * @param wanted number of a module from 1, or words of its name, its header or the names of its functions (the last match)
 * @returns `undefined` if the text has no module
 * @throws {DiagnosticError} if none matches; it lists them
 */
export function chosenModule(
  pieces: readonly ModulePiece[],
  fileName: string,
  wanted: string | undefined,
): ChosenModule | undefined {
  if (pieces.length === 0) return undefined;
  const names = namesOf(pieces);
  const matches = wanted === undefined ? [mostCompiled(pieces)] : indicesOf(pieces, names, wanted);
  const index = matches.at(-1) ?? pieces.length;
  const piece = pieces[index];
  if (piece === undefined) {
    throw inputError(
      NO_SUCH_MODULE,
      `Cannot read module '${wanted}' of ${fileName}: it holds ${names.join(", ")}`,
    );
  }
  const list = pieces.length <= MOST_LISTED ? ` (${names.join(", ")})` : "";
  const last = matches.length === 1 ? "" : `, the last of ${matches.length} that match,`;
  const place = pieces.length === 1
    ? `holds one module among other things, which is read: ${names[index]}`
    : `holds ${pieces.length} modules${list}; ${names[index]}${last} is read, from line ${
      lineOf(piece)
    }; --module names another${list === "" ? " (--module ? lists them)" : ""}`;
  return { piece, remark: { code: "load/module", severity: "remark", message: `${fileName} ${place}` } };
}

const NO_SUCH_MODULE = "input/module";

/** Most modules that are listed with a selection; all are listed if none matches. */
const MOST_LISTED = 6;

/** Names of modules: number, title, symbol and dialect; what tells apart those that have the same. */
function namesOf(pieces: readonly ModulePiece[]): readonly string[] {
  const symbols = new Set(pieces.map(({ text }) => symbolOf(text)));
  const titles = pieces.map(({ text, title }) => {
    const code = withoutComments(text);
    const dialect = DIALECTS.find(({ op }) => op.test(code))?.name ?? "";
    return [symbols.size === 1 ? "" : symbolOf(text), dialect].reduce(
      (words, word) => words.includes(word.replace("@", "")) ? words : `${words} ${word}`.trim(),
      title,
    );
  });
  return pieces.map((piece, index) => {
    const title = titles[index] ?? "";
    const isAlone = titles.indexOf(title) === titles.lastIndexOf(title);
    const ops = [...piece.text.matchAll(/(?:= *"?|^[ \t]*")(?:ttnn|ttir|stablehlo|vhlo)\.\w/gm)].length;
    const words = [`line ${lineOf(piece)}`, ...symbolsOf(piece), `${ops} op${ops === 1 ? "" : "s"}`];
    return `${index + 1} ${title}`.trimEnd() + (isAlone ? "" : ` (${words.join(", ")})`);
  });
}

function lineOf({ fileText, offset, text }: ModulePiece): number {
  return fileText.slice(0, offset + text.search(/\S/)).split("\n").length;
}

/** The name of a module as a symbol, `@` included. */
function symbolOf(text: string): string {
  return /^[ \t]*(?:(?:builtin\.)?module[ \t]+(@(?:"[^"\n]*"|[\w$.-]+))|"builtin\.module"\(\) <\{[^\n]*?\bsym_name = "([^"\n]*)")/m
    .exec(text)?.slice(1).find((name) => name !== undefined)?.replace(/^@?"?([^"]*)"?$/, "@$1") ?? "";
}

/** The names of the functions of a module, `@` included. */
function symbolsOf({ text }: ModulePiece): readonly string[] {
  return [...text.matchAll(/func\.func\b[^@\n(]*(?:(@[\w$.-]+)|@"([^"\n]*)")\s*\(/g)].map((
    [, plain, quoted],
  ) => plain ?? `@${quoted}`);
}

/**
 * Dialects in the order of compilation, the last one first; attributes, which begin with `#`, are no ops, nor is what a
 * comment names, such as the checks of a test.
 */
const DIALECTS = ["ttnn", "ttir", "stablehlo", "vhlo"].map((name) => ({
  name,
  op: new RegExp(`(?:^|[\\s"])${name}\\.[a-z]\\w*(?!\\w|\\s*[=,}])`),
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

/**
 * By number, by the symbol, by a part of the name, by the name of a function, or by all words of what is asked for, such
 * as the whole line above it.
 */
function indicesOf(
  pieces: readonly ModulePiece[],
  names: readonly string[],
  wanted: string,
): readonly number[] {
  if (/^\d+$/.test(wanted) && Number(wanted) <= pieces.length) return [Number(wanted) - 1];
  const word = wanted.trim().toLowerCase();
  const symbol = `@${wanted.replace(/^module\s+/, "").replaceAll(/^@|"/g, "")}`;
  // A number that none of them has may be that of a graph.
  const part = new RegExp(/^\d+$/.test(word) ? `(?<!\\d)${word}(?!\\d)` : RegExp.escape(word));
  const words = wordsOf(word).filter((each) => !HEADER_WORDS.has(each));
  const ways: readonly ((piece: ModulePiece, name: string) => boolean)[] = [
    ({ text }) => symbolOf(text) === symbol,
    ({ title }, name) => part.test((/^\d+$/.test(word) ? title : name).toLowerCase()),
    (piece) => symbolsOf(piece).includes(symbol),
    (piece, name) => {
      const said = new Set(
        wordsOf([name, symbolOf(piece.text), ...symbolsOf(piece)].join(" ").toLowerCase()),
      );
      return words.length > 0 && words.every((each) => said.has(each));
    },
  ];
  for (const isWanted of ways) {
    const found = pieces.flatMap((piece, index) => isWanted(piece, names[index] ?? "") ? [index] : []);
    if (found.length > 0) return found;
  }
  return [];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\w$.]+/g) ?? [];
}

/** Words of a header of MLIR that no title has. */
const HEADER_WORDS: ReadonlySet<string> = new Set([
  "ir",
  "dump",
  "mlir",
  "module",
  "builtin.module",
  "operation",
]);

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
 * @param wanted the module, as in {@linkcode chosenModule}; a warning says that it chooses nothing if the whole text is one module
 * @throws {DiagnosticError} if it cannot be parsed, or holds no such module
 */
export function parseText(text: string, fileName: string, wanted?: string): ReadText {
  const chosen = chosenModule(modulePieces(text, modulesAmong), fileName, wanted);
  try {
    if (chosen !== undefined) return parseChosen(chosen, fileName);
    requireNoJson(text, fileName);
    const module = parseModule(text, fileName);
    return wanted === undefined
      ? { module, remarks: [] }
      : onlyFunction(module, wanted.replace(/^@/, "")) ?? { module, remarks: [alone(fileName, wanted)] };
  } catch (error) {
    const among = error instanceof DiagnosticError
      ? chosenModule(modulesAmong(text), fileName, wanted)
      : undefined;
    if (among === undefined || among.piece.text === chosen?.piece.text) throw error;
    return parseChosen(among, fileName);
  }
}

/** A module without the functions that the named one does not call; `undefined` if it has none of that name. */
function onlyFunction(module: ModuleText, name: string): ReadText | undefined {
  const functions = functionsOf(module);
  const kept = new Set([name]);
  // A set goes on with what is added to it.
  for (const called of kept) {
    for (const { operation } of functions.filter((one) => one.name === called)) {
      for (const [, symbol = ""] of textOf(module, operation.span).matchAll(/@([\w.$-]+)/g)) kept.add(symbol);
    }
  }
  const others = functions.filter((one) => !kept.has(one.name));
  if (others.length === functions.length) return undefined;
  const text = others.reduce(
    (left, { operation: { span: { start, end } } }) =>
      left.slice(0, start) + left.slice(start, end).replace(/[^\n]/g, " ") + left.slice(end),
    module.text,
  );
  const message = `${module.fileName}: @${name} and what it calls are read; ${others.length} other function${
    others.length === 1 ? " is" : "s are"
  } left out`;
  return {
    module: parseModule(text, module.fileName, module),
    remarks: [{ code: "load/function", severity: "remark", message }],
  };
}

/** That a choice among modules chose nothing. */
function alone(fileName: string, wanted: string): Diagnostic {
  return {
    code: "load/module",
    severity: "warning",
    message:
      `${fileName} is one module without a function of that name: --module ${wanted} chooses nothing, and all of its functions are read`,
  };
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
  const faults = faultsOf(module);
  requireOneBlock(module);
  requireNoDeviceCalls(module);
  return {
    module,
    remarks: [
      ...remarks,
      ...ops === 0 ? [] : [destinationsRemark(fileName, ops)],
      ...faults,
      ...hostCalls(module),
    ],
  };
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
    const isOther = fault.diagnostics.some(({ code }) => code === NO_SUCH_MODULE);
    const foreign = isOther ? undefined : foreignText(text, fileName);
    if (foreign !== undefined) throw foreign;
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
 * The first fault that figures do not depend on, in words: the device would refuse the program, or hold another tensor.
 *
 * @throws {DiagnosticError} if there is a fault without which figures mean nothing
 */
function faultsOf(module: ModuleText): readonly Diagnostic[] {
  const faults = verifyModule(module).filter(({ code, severity }) =>
    severity === "error" || code === "V18/exchange"
  );
  const all = `'tilewright lint ${module.fileName}' lists all findings`;
  const unsound = faults.find(({ code, severity }) => severity === "error" && isStructural(code));
  if (unsound !== undefined) {
    const next: Diagnostic = { code: "input/lint", severity: "note", message: all };
    throw new DiagnosticError([{ ...unsound, notes: [...unsound.notes ?? [], next] }]);
  }
  return faults.slice(0, 1).map(({ message, location }) => ({
    code: "load/fault",
    severity: "warning",
    message: `${module.fileName}:${
      location?.line ?? 1
    }: ${message}; figures take it as it is written, and ${all}`,
  }));
}

/** A note about calls of functions that run on the CPU of the host: a warning if an inference waits for them. */
function hostCalls(module: ModuleText): readonly Diagnostic[] {
  const all = module.operations.filter((op) =>
    op.name === "func.call" && attributeMap(module, op).has("ttir.cpu_hoist_call")
  );
  const waited = all.filter(({ parent }) =>
    parent === undefined || readFunctionKind(attributeMap(module, parent)) !== "const_eval"
  );
  const calls = waited.length > 0 ? waited : all;
  const [first] = calls;
  if (first === undefined) return [];
  const { line } = locate(module.fileName, module.fileText, module.offset + first.nameSpan.start);
  const message = `${module.fileName}:${line}: the call of @${calleeOf(module, first)}${
    calls.length === 1 ? " runs" : `, and ${calls.length - 1} more, run`
  } on the CPU of the host: that time is unknown and missing from ${
    waited.length > 0 ? "the totals" : "the time at load"
  }`;
  return [{ code: "load/host-call", severity: waited.length > 0 ? "warning" : "remark", message }];
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
  const composite = held.find(({ name }) => name === "ttcore.composite");
  const [place = composite ?? held[0] ?? module.operations[0], next] = FOREIGN_DIALECTS.flatMap(
    ({ dialect, next }): readonly [Operation, string][] => {
      const op = held.find(({ name }) => dialect.test(name));
      return op === undefined ? [] : [[op, `it holds ${op.name}; ${next}`]];
    },
  )[0] ?? [];
  throw new DiagnosticError([
    errorAt(
      "input/no-tensor-ops",
      module.fileName,
      module.fileText,
      module.offset + (place?.nameSpan.start ?? 0),
      `Cannot evaluate ${module.fileName}: ${
        next ?? (composite !== undefined
          ? withoutDecomposition(module, composite)
          : `it holds no TTNN or TTIR op${heldText(held)}; give a module of one of both dialects`)
      }`,
    ),
  ]);
}

/** What becomes of programs in dialects before TTIR, and from what those behind TTNN were made. */
const FOREIGN_DIALECTS: readonly { readonly dialect: RegExp; readonly next: string }[] = [
  // Bodies of kernels hold ops of other dialects.
  {
    dialect: /^(?:d2m|ttmetal|ttkernel)\./,
    next:
      "kernels that D2M generates have no model of time or L1; give the TTIR that they were made from, to lower it to TTNN ops",
  },
  {
    dialect: /^stablehlo\./,
    next:
      "lower it to TTIR first: ttmlir-opt --stablehlo-to-ttir-pipeline; a log of tt-xla at TTXLA_LOGGER_LEVEL=DEBUG holds " +
      "the module as TTIR and TTNN as well",
  },
  {
    dialect: /^vhlo\./,
    next:
      "make StableHLO of it (stablehlo-opt --vhlo-legalize-to-stablehlo), then TTIR: ttmlir-opt --stablehlo-to-ttir-pipeline",
  },
  { dialect: /^(?:tosa|linalg)\./, next: "lower it to TTIR first, for example with ttmlir-opt" },
  {
    dialect: /^(?:torch|onnx|mhlo|chlo)\./,
    next:
      "lower it to StableHLO with the tools of its frontend, and that to TTIR: ttmlir-opt --stablehlo-to-ttir-pipeline",
  },
  {
    dialect: /^(?:emitpy|emitc)\./,
    next:
      "programs of EmitPy and EmitC say no layouts of tensors; give the TTNN module that it was made from " +
      "(--mlir-print-ir-after-all shows it)",
  },
];

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
