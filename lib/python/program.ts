// SPDX-License-Identifier: Apache-2.0

/**
 * TTNN text as a Python program that runs with nothing but `pip install ttnn`.
 *
 * @module
 */

import { readFunctionKind } from "../dialect/function_kind.ts";
import { DiagnosticError, errorAt } from "../diagnostics/diagnostic.ts";
import {
  attributeMap,
  attributeOf,
  functionsOf,
  type FunctionView,
  type ModuleText,
  type Operation,
} from "../ir/mod.ts";
import type { WorkerGrid } from "../layout/make_layout.ts";
import { dtypeText, pagesText } from "./call_site.ts";
import { Constants } from "./constants.ts";
import { type ProgramContext, pythonFunction } from "./function_text.ts";
import { type HostFunction, hostFunction } from "./host_function.ts";
import type {
  PreparedCall,
  PythonArgument,
  PythonFunction,
  ResultVariable,
  UnsayableOp,
} from "./python_function.ts";
import {
  Names,
  pythonCall,
  pythonIdentifier,
  pythonList,
  pythonString,
  type PythonText,
  pythonTuple,
  statementLines,
  WIDTH,
} from "./python_text.ts";
import runner from "./runner.py" with { type: "text" };
import { sharingEquivalent } from "./shared_functions.ts";

/** The statement of an op of the text. */
export interface OpStatement {
  /** Line of the program, from 1. */
  readonly line: number;
  readonly operation: Operation;
  /** The function of the text that contains it. */
  readonly function: string;
  readonly results: readonly ResultVariable[];
  /** Why the op has no Python call, if a stand-in replaces it. */
  readonly unsayable: string | undefined;
}

/** A program, and where the ops of the text are in it. */
export interface PythonProgram {
  readonly text: string;
  /** Python names of the functions that the text has, and of those that prepare weights. */
  readonly functions: readonly string[];
  /** In the order of the text. */
  readonly ops: readonly OpStatement[];
}

/** Target and options of a program. */
export interface PythonProgramOptions {
  readonly workerGrid: WorkerGrid;
  /** Title and origin of the program, for its first lines. */
  readonly title: string;
  /** Chips along each axis of the mesh; `[]` for one chip. */
  readonly mesh: readonly number[];
  /** Whether tensors of the declared types replace ops without a Python call; such ops are refused otherwise. */
  readonly standIns?: boolean;
}

/** Kinds of functions that do not run on the device. */
const ON_HOST: ReadonlySet<string> = new Set(["forward_cpu", "cpu_hoisted"]);

const [HEAD = "", HELPERS = "", TAIL = ""] = runner.split(/^# ----.*\n/m);

const RUNNER_NAMES: readonly string[] = [
  ...runner.matchAll(/^(?:(?:def|class|import) (\w+)|(\w+) = )/gm),
].flatMap(([, defined, assigned]) => defined ?? assigned ?? []);

/**
 * Writes a module as a Python program: one statement per op, in order, with the arguments that tt-mlir's runtime
 * passes; configs by name, each defined once; const-eval functions separately.
 *
 * @throws {DiagnosticError} that names every op without a call in ttnn's Python, unless stand-ins are allowed
 */
export function pythonProgram(module: ModuleText, options: PythonProgramOptions): PythonProgram {
  const bodies = functionsOf(module).filter(({ blocks }) => blocks.length > 0);
  const [onHost = [], views = []] = [true, false].map((wanted) =>
    bodies.filter((view) => isOnHost(module, view) === wanted)
  );
  const names = new Names(RUNNER_NAMES);
  const functions = new Map(views.map(({ name }) => [name, names.take(pythonIdentifier(name))]));
  const hosted = new Map(onHost.map((view) => {
    const name = names.take(pythonIdentifier(view.name));
    return [view.name, hostFunction(module, view, name, options.workerGrid)] as const;
  }));
  const taken = new Set([
    ...RUNNER_NAMES,
    ...functions.values(),
    ...[...hosted.values()].map(({ name }) => name),
  ]);
  const constants = new Constants(taken);
  const unsayable: UnsayableOp[] = [];
  const context: ProgramContext = {
    module,
    workerGrid: options.workerGrid,
    mesh: options.mesh,
    types: new Map(),
    constants,
    functions,
    called: calledFunctions(module),
    hosted,
    taken,
    unsayable,
    standIns: options.standIns === true,
  };
  const translated = views.map((view) => pythonFunction(context, view));
  if (options.standIns !== true) requireSayable(module, unsayable);
  // With stand-ins ops are confirmed one by one, so each needs its own line.
  return assemble(
    options.standIns === true ? translated : sharingEquivalent(translated, constants.kinds, taken),
    [...hosted.values()].filter(({ unsayable }) => unsayable === undefined),
    constants,
    options,
  );
}

/** Nested modules for the host, and functions that say that they run there. */
function isOnHost(module: ModuleText, { operation }: FunctionView): boolean {
  const kind = readFunctionKind(attributeMap(module, operation)) ?? "";
  for (let outer = operation.parent; outer !== undefined; outer = outer.parent) {
    if (outer.name === "ttcore.cpu_module") return true;
  }
  return ON_HOST.has(kind);
}

function calledFunctions(module: ModuleText): ReadonlySet<string> {
  return new Set(module.operations.flatMap((operation) => {
    const callee = operation.name === "func.call" ? attributeOf(module, operation, "callee") : undefined;
    return callee?.kind === "symbol" ? [callee.name] : [];
  }));
}

function requireSayable(module: ModuleText, unsayable: readonly UnsayableOp[]): void {
  if (unsayable.length === 0) return;
  throw new DiagnosticError(unsayable.map(({ operation, reason }) =>
    errorAt(
      "python/unsayable",
      module.fileName,
      module.fileText,
      module.offset + operation.nameSpan.start,
      `ttnn's Python cannot say this ${operation.name}: ${reason}`,
    )
  ));
}

/** The lines of a program, and which of them are ops. */
class Lines {
  readonly lines: string[] = [];
  readonly ops: OpStatement[] = [];

  add(...lines: readonly string[]): void {
    for (const line of lines) this.lines.push(...line.split("\n"));
  }

  /** A function behind two empty lines. */
  function(translated: PythonFunction): void {
    const { name, kind, arguments: args, parameters, statements, results, view, prepared } = translated;
    const isConstEval = kind === "const_eval";
    if (prepared.length > 0) {
      this.add("", "", `def prepare_${name}(device, weights):`);
      this.add(`    """Runs once: what const-eval functions make of the weights of ${name}."""`);
      for (const call of prepared) this.add(...statementLines(preparedText(call), "", INDENT));
    }
    this.add(
      "",
      "",
      ...definition(name, [
        "device",
        ...(isConstEval ? [] : ["weights"]),
        ...args.filter(({ isWeight }) => !isWeight).map(({ name }) => name),
        ...parameters,
      ]),
    );
    for (const { text, comment, operation, results, unsayable } of statements) {
      const line = this.lines.length + 1;
      this.add(...statementLines(text, comment, INDENT));
      if (operation !== undefined) {
        this.ops.push({ line, operation, function: view.name, results, unsayable });
      }
    }
    const returned = results.join(", ");
    this.add(`${INDENT}return ${isConstEval && results.length > 0 ? returned : `[${returned}]`}`);
  }
}

const INDENT = "    ";

function preparedText({ results, callee, operands }: PreparedCall): PythonText {
  return `${results.join(", ")} = ${pythonCall(callee, ["device", ...operands])}`;
}

function definition(name: string, parameters: readonly string[]): readonly string[] {
  const line = `def ${name}(${parameters.join(", ")}):`;
  if (line.length <= WIDTH) return [line];
  return [`def ${name}(`, ...parameters.map((parameter) => `    ${parameter},`), "):"];
}

function assemble(
  functions: readonly PythonFunction[],
  hosted: readonly HostFunction[],
  constants: Constants,
  { title, mesh }: PythonProgramOptions,
): PythonProgram {
  // Entry lines may define further constants.
  const entries = functions.filter(({ isCalled }) => !isCalled).flatMap((entry) =>
    entryLines(entry, constants)
  );
  const said = [
    ...constants.assignments(),
    ...functions.flatMap(({ statements }) => statements.map(({ text }) => text)),
  ];
  const lines = new Lines();
  lines.add(
    HEAD.replace("TITLE", () => title).trimEnd(),
    "",
    "",
    ...helpersOf(said).flatMap((helper) => [helper, "", ""]),
    ...constants.assignments().flatMap((text) => statementLines(text, "", "")),
  );
  for (const { name, parameters, statements, results } of hosted) {
    lines.add("", "", ...definition(name, parameters), `${INDENT}"""Runs on the host, on arrays."""`);
    for (const { text, comment } of statements) lines.add(...statementLines(text, comment, INDENT));
    lines.add(`${INDENT}return ${pythonList(results)}`);
  }
  for (const translated of functions) lines.function(translated);
  lines.add("", "", `MESH = ${pythonTuple(mesh)}`, "PROGRAMS = [", ...entries, "]", "", "", TAIL.trim(), "");
  return {
    text: lines.lines.join("\n"),
    functions: functions.flatMap(({ name, prepared }) =>
      prepared.length === 0 ? [name] : [name, `prepare_${name}`]
    ),
    ops: lines.ops,
  };
}

/** Helpers that a program calls, or others of them. */
function helpersOf(said: readonly PythonText[]): readonly string[] {
  let calls = said.join("\n");
  const needed: string[] = [];
  for (const helper of HELPERS.trim().split(/\n{3}(?=def )/).reverse()) {
    const name = /^def (\w+)/.exec(helper)?.[1] ?? "";
    if (!new RegExp(`\\b${name}\\(`).test(calls)) continue;
    needed.unshift(helper);
    calls += helper;
  }
  return needed;
}

/** An entry function, what prepares its weights, its arguments. */
function entryLines(
  { name, arguments: args, prepared }: PythonFunction,
  constants: Constants,
): readonly string[] {
  return [
    `    (`,
    `        ${name},`,
    `        ${prepared.length === 0 ? "None" : `prepare_${name}`},`,
    `        [`,
    ...args.map((argument) => `            ${argumentText(argument, constants)},`),
    `        ],`,
    `    ),`,
  ];
}

function argumentText({ name, type, role, isWeight }: PythonArgument, constants: Constants): PythonText {
  const { layout, shape } = type;
  return pythonTuple([
    pythonString(name),
    pythonString(isWeight ? "weight" : role === "default" ? "input" : role),
    pythonTuple(shape),
    dtypeText(layout.dataType),
    pagesText(layout),
    constants.memoryOf(layout) ?? "None",
  ]);
}
