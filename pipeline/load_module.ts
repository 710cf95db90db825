// SPDX-License-Identifier: Apache-2.0
import { meshText } from "../lib/device/mesh.ts";
import { type Diagnostic, DiagnosticError, errorAt } from "../lib/diagnostics/diagnostic.ts";
import {
  attributeOf,
  errorIn,
  functionsOf,
  type ModuleText,
  type Operation,
  parseLastDump,
  type PassDump,
  textOf,
} from "../lib/ir/mod.ts";
import type { GraphChange, UnfinishedPass } from "../lib/passes/graph_pass.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "../lib/passes/pass_options.ts";
import { calleeOf } from "../lib/lowering/callee.ts";
import { needsLowering } from "../lib/lowering/lower_module.ts";
import { requireMesh } from "./mesh.ts";
import { verifyStructure } from "../lib/verify/verify_module.ts";
import type { Device } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { collectivesOfUnknownChips, createWorkbench, type Workbench, type WorkbenchOptions } from "./load.ts";
import { meshOfModule } from "./mesh.ts";
import { prepareGraph } from "./prepare_graph.ts";
import { targetOfModule } from "./target.ts";

/** How a module becomes the graph that is judged. */
export interface PrepareOptions extends WorkbenchOptions {
  /**
   * Graph passes to run; `"none"` keeps the graph. By default they run on TTIR, which is no graph of the device before.
   * Commands that decide give what the command line says, so that a policy has one graph and one time everywhere.
   */
  readonly passes?: PassOptions | "none";
  /** Judge TTNN as it is written: `passes` are for TTIR alone. */
  readonly isAsWritten?: boolean;
  /** Refuse TTIR ops that have no lowering; by default they stay, and a warning says so. */
  readonly isStrict?: boolean;
}

/** Options of {@linkcode loadModule}. */
export interface LoadModuleOptions extends PrepareOptions {
  /** A device, or the name of a bundled one; by default the one that the module was compiled for. */
  readonly device?: Device | string;
  /** What findings and the rewritten text call the input; `module.mlir` by default. */
  readonly fileName?: string;
}

/** A module with everything that judging it needs, and what was done and assumed on the way. */
export interface LoadedModule extends Workbench {
  /** What graph passes did. */
  readonly graphChanges: readonly GraphChange[];
  /** What a reader should know, remarks and warnings: what was lowered, kept, or taken for granted. */
  readonly remarks: readonly Diagnostic[];
}

/**
 * Reads TTNN or TTIR text for judging: parses it, refuses what figures would mean nothing for, chooses the device,
 * lowers TTIR to TTNN, and sets up graph, op model and cost model.
 *
 * @example Load TTIR, decide, and look at what comes out
 * ```ts
 * import { DEFAULT_POLICY_OPTIONS, getPolicy, loadModule, optimizeModule } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const module = loadModule(
 *   `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *     %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *     return %0 : tensor<64x64xbf16>
 *   }`,
 *   { device: "n150" },
 * );
 * const { memory } = optimizeModule(module, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
 * assertEquals(memory.verdict.status, "fits");
 * assertEquals(module.remarks.map(({ code }) => code), ["load/lowered"]);
 * ```
 *
 * @throws {DiagnosticError} when the text cannot be parsed, lowered, or holds nothing to judge, or when its mesh does not
 *   fit the device
 * @throws {RangeError} when no bundled device has the name
 */
export function loadModule(text: string, options: LoadModuleOptions = {}): LoadedModule {
  const { device, fileName = "module.mlir", ...prepare } = options;
  const { module, remarks: read } = readModule(text, fileName);
  const remarks = [...read];
  if (device !== undefined) {
    const loaded = prepareModule(module, typeof device === "string" ? getDevice(device) : device, prepare);
    return { ...loaded, remarks: [...remarks, ...loaded.remarks] };
  }
  const { device: target, remark } = targetOfModule(module, prepare.meshShape);
  const loaded = prepareModule(module, target, prepare);
  if (remark !== undefined) remarks.push(note("device/mock", "remark", remark));
  return { ...loaded, remarks: [...remarks, ...loaded.remarks] };
}

/** A module as its text has it. */
export interface ReadText {
  /** Parsed, with places in the whole text. */
  readonly module: ModuleText;
  /** What a reader should know: which dump of a pass was read, where the text holds any. */
  readonly remarks: readonly Diagnostic[];
}

/**
 * Parses a text, or the last whole module of one that holds dumps of passes, without judging it.
 *
 * @throws {DiagnosticError} when it cannot be parsed
 */
export function parseText(text: string, fileName: string): ReadText {
  requireNoJson(text, fileName);
  const { module, dump } = parseLastDump(text, fileName);
  return { module, remarks: dump === undefined ? [] : [dumpRemark(dump, fileName)] };
}

function dumpRemark(dump: PassDump, fileName: string): Diagnostic {
  const read = dump.count === 1
    ? "one dump of a pass, which is read"
    : `${dump.count} dumps of passes; the last whole module is read`;
  return note("load/dump", "remark", `${fileName} holds ${read}: ${dump.title}`);
}

/**
 * Like {@linkcode parseText}, and refuses a module that nothing can be said about.
 *
 * @throws {DiagnosticError} when it cannot be parsed, holds no TTNN or TTIR op, branches between blocks, or breaks a rule
 *   without which figures mean nothing
 */
export function readModule(text: string, fileName: string): ReadText {
  const read = parseText(text, fileName);
  const { module } = read;
  requireTensorOps(module);
  requireSoundStructure(module);
  requireOneBlock(module);
  requireNoDeviceCalls(module);
  return read;
}

/**
 * Plans and traces lie beside the IR that they are of; the grammar would only say that `{` begins no operation.
 *
 * @throws {DiagnosticError} when a text is JSON
 */
export function requireNoJson(text: string, fileName: string): void {
  if (!/^\s*\{\s*["}]/.test(text)) return;
  const message =
    `Cannot read ${fileName} as IR: it is JSON; give the .mlir file, or 'tilewright diff' the plan`;
  throw new DiagnosticError([errorAt("input/json", fileName, text, text.indexOf("{"), message)]);
}

/**
 * Makes the graph of a module that was read and sets up what judges it.
 *
 * @throws {DiagnosticError} when an op cannot be lowered, or the mesh does not fit the device
 */
export function prepareModule(
  module: ModuleText,
  device: Device,
  options: PrepareOptions = {},
): LoadedModule {
  requireMesh(module, options.meshShape);
  const isTtir = needsLowering(module);
  // A mesh that does not fit is told with its place in what was read, not in what it is lowered to.
  meshOfModule(module, device, options.meshShape);
  const { passes, isAsWritten = passes === undefined, isStrict = false, ...workbenchOptions } = options;
  const keepsGraph = passes === "none" || (isAsWritten && !isTtir);
  const prepared = prepareGraph(module, device, keepsGraph ? undefined : passes ?? DEFAULT_PASS_OPTIONS, {
    isStrict,
    meshShape: workbenchOptions.meshShape ?? [],
  });
  const workbench = createWorkbench(prepared.module, device, workbenchOptions);
  const remarks: Diagnostic[] = [];
  if (isTtir) {
    const lowered = `${module.fileName} is TTIR; lowered to TTNN with DRAM interleaved layouts first`;
    remarks.push(note("load/lowered", "remark", lowered));
  }
  for (const [name, ops] of Map.groupBy(prepared.kept, (kept) => kept)) {
    const kept = `no lowering for ${name}: ${ops.length} kept as written, time unknown`;
    remarks.push(note("load/kept", "warning", kept));
  }
  remarks.push(...prepared.unfinished.map(unfinishedWarning));
  if (workbench.meshIsAssumed) {
    const chips = meshText(workbench.mesh.map((axis) => axis.chips));
    const assumed = `${device.name} is one chip; its mesh ${chips} is taken as lines with one link between ` +
      `neighbours ('tilewright devices' lists machines)`;
    remarks.push(note("load/mesh", "remark", assumed));
  }
  const unknown = collectivesOfUnknownChips(workbench);
  if (unknown.length > 0) {
    const chips = `unknown number of chips in ${unknown.length} of the collectives ` +
      `(${[...new Set(unknown)].join(", ")}); taken from the bytes of operand and result`;
    remarks.push(note("load/chips", "remark", chips));
  }
  return { ...workbench, graphChanges: prepared.changes, remarks };
}

/** Says that a graph pass stopped at its limit. */
export function unfinishedWarning({ pass, function: name, patterns, sweeps }: UnfinishedPass): Diagnostic {
  const stopped =
    `graph pass ${pass} stopped in @${name} after ${sweeps} sweeps: ${patterns.join(", ")} still ` +
    "matched; the graph is sound and is used as it was then";
  return note("load/unfinished-pass", "warning", stopped);
}

function note(code: string, severity: "remark" | "warning", message: string): Diagnostic {
  return { code, severity, message };
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

/** Between blocks no order is written down: which of them run, and how often, is known at run time only. */
function requireOneBlock(module: ModuleText): void {
  const branched = module.operations.find(({ name, parent, block }) =>
    name.startsWith("ttnn.") && parent?.name === "func.func" && (block?.region.blocks.length ?? 1) > 1
  );
  if (branched === undefined) return;
  const message =
    `Cannot judge ${branched.name}: its function has several blocks, and which of them run, and ` +
    "how often, is known at run time only; give the ops of a block as a function of their own";
  throw errorIn(module, "input/control-flow", branched.nameSpan.start, message);
}

/**
 * A called function runs in the middle of another, as often as it is called and beside what is live there; functions are
 * judged apart. Lowering writes calls of TTIR out, and a runtime that captures traces is no inference.
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
    const message = `Cannot judge a call of @${callee}: its ops run beside what is live in its caller, ` +
      "as often as it is called; inline it first, for example with 'mlir-opt --inline'";
    throw errorIn(module, "input/device-call", call.nameSpan.start, message);
  }
}

function isForwardDevice(module: ModuleText, func: Operation): boolean {
  const kind = attributeOf(module, func, "tt.function_type");
  return kind === undefined || (kind.kind === "string" && kind.value === "forward_device");
}

function requireTensorOps(module: ModuleText): void {
  if (module.operations.some(({ name }) => name.startsWith("ttnn.") || name.startsWith("ttir."))) return;
  // What is left of a program that gives back what it was given; it takes no time.
  const isTtnn = [...module.attributeAliases.values()].some(({ valueSpan }) =>
    /^#ttnn\./.test(textOf(module, valueSpan))
  );
  if (isTtnn && module.operations.some(({ name }) => name === "func.func")) return;
  const held = module.operations.filter(({ name }) => !SCAFFOLD.test(name));
  const foreign = held.find(({ name }) => name.startsWith("stablehlo.") || name.startsWith("tosa."));
  const composite = held.find(({ name }) => name === "ttcore.composite");
  const place = foreign ?? composite ?? held[0] ?? module.operations[0];
  throw new DiagnosticError([
    errorAt(
      "input/no-tensor-ops",
      module.fileName,
      module.fileText,
      module.offset + (place?.nameSpan.start ?? 0),
      `Cannot judge ${module.fileName}: ${
        foreign !== undefined
          ? `it holds ${foreign.name}; lower it to TTIR first, for example with ttmlir-opt`
          : composite !== undefined
          ? withoutDecomposition(module, composite)
          : `it holds no TTNN or TTIR op${heldText(held)}; give a module of one of both dialects`
      }`,
    ),
  ]);
}

/** Ops that only hold others or end them. */
const SCAFFOLD = /^(?:builtin\.|func\.(?:func|return)$|ttcore\.(?:device|device_module|cpu_module)$)/;

function heldText(held: readonly Operation[]): string {
  const names = [...new Set(held.map(({ name }) => name))];
  return names.length === 0 ? "" : `, but ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
}

/** What a module lacks that has composites and no TTIR op that one of them stands for. */
function withoutDecomposition(module: ModuleText, composite: Operation): string {
  const attribute = attributeOf(module, composite, "composite_name");
  const name = attribute?.kind === "string" ? ` "${attribute.value}"` : "";
  const callee = calleeOf(module, composite);
  return `it holds ttcore.composite${name}, but no TTIR op that it stands for; ` +
    `${callee === undefined ? "name its decomposition" : `give @${callee} a body of TTIR ops`}, ` +
    "or let ttmlir-opt put the TTNN op in its place";
}
