// SPDX-License-Identifier: Apache-2.0
import { meshText } from "../lib/device/mesh.ts";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { readMeshShape } from "../lib/dialect/system_desc.ts";
import { type ModuleText, parseModule } from "../lib/ir/mod.ts";
import { needsLowering } from "../lib/lowering/lower_module.ts";
import type { GraphChange } from "../lib/passes/graph_pass.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "../lib/passes/pass_options.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import {
  collectivesOfUnknownChips,
  createWorkbench,
  type Workbench,
  type WorkbenchOptions,
} from "../pipeline/load.ts";
import { prepareGraph } from "../pipeline/prepare_graph.ts";
import type { Device } from "../sim/devices/device.ts";
import { chooseDevice } from "./choose_device.ts";
import { type Options, UsageError } from "./command.ts";
import type { Host } from "./host.ts";

/** How an input becomes the graph that is judged. */
export interface LoadOptions extends WorkbenchOptions {
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

/** A workbench, and what graph passes did before. */
export interface LoadedInput extends Workbench {
  readonly graphChanges: readonly GraphChange[];
}

/**
 * The file that a command is for: the first positional, standard input without one.
 *
 * @throws {UsageError} where standard input is a keyboard: nobody types a model
 */
export function inputFile(host: Host, [file]: readonly string[]): string {
  if (file === undefined && host.typesInput) {
    throw new UsageError("Cannot read nothing: name a file, or pipe one in (- reads what is typed)");
  }
  return file ?? "-";
}

/**
 * Reads an input for judging: parses it, chooses the device, lowers TTIR to TTNN, reads the graph.
 *
 * @param device device to use; by default the options and the input choose
 * @throws {DiagnosticError} when the file cannot be read, parsed, lowered, or holds nothing to judge
 * @throws {UsageError} when the options contradict each other
 */
export async function loadInput(
  host: Host,
  options: Options,
  file: string,
  loadOptions: LoadOptions = {},
  device?: Device,
): Promise<LoadedInput> {
  return await loadText(host, options, file, await host.readText(file), loadOptions, device);
}

/** Like {@linkcode loadInput} for text that was read already. */
export async function loadText(
  host: Host,
  options: Options,
  file: string,
  text: string,
  loadOptions: LoadOptions = {},
  device?: Device,
): Promise<LoadedInput> {
  const module = parseModule(text, file);
  requireTensorOps(module);
  requireSoundStructure(module);
  const meshShape = meshShapeOf(options, module);
  const target = device ?? await chooseDevice(host, options, module, meshShape);
  if (needsLowering(module)) {
    host.stderr.once(`remark: ${file} is TTIR; lowered to TTNN with DRAM interleaved layouts first\n`);
  }
  const prepared = prepareGraph(module, target, graphPasses(module, loadOptions), {
    isStrict: loadOptions.isStrict ?? false,
    meshShape,
  });
  for (const [name, ops] of Map.groupBy(prepared.kept, (kept) => kept)) {
    host.stderr.once(
      `warning: no lowering for ${name}: ${ops.length} kept between tensors in DRAM, time unknown\n`,
    );
  }
  const workbench = {
    ...createWorkbench(prepared.module, target, { ...loadOptions, meshShape }),
    graphChanges: prepared.changes,
  };
  if (workbench.meshIsAssumed) {
    host.stderr.once(
      `remark: ${target.name} is one chip; its mesh ${
        meshText(workbench.mesh.map(({ chips }) => chips))
      } is taken as ` +
        `lines with one link between neighbours ('tilewright devices' lists machines)\n`,
    );
  }
  const unknown = collectivesOfUnknownChips(workbench);
  if (unknown.length > 0) {
    host.stderr.once(
      `remark: unknown number of chips in ${unknown.length} of the collectives ` +
        `(${[...new Set(unknown)].join(", ")}); taken from the bytes of operand and result\n`,
    );
  }
  return workbench;
}

function graphPasses(
  module: ModuleText,
  { passes, isAsWritten = passes === undefined }: LoadOptions,
): PassOptions | undefined {
  if (passes === "none" || (isAsWritten && !needsLowering(module))) return undefined;
  return passes ?? DEFAULT_PASS_OPTIONS;
}

/**
 * The mesh of `--mesh-shape`, written `2x4` or `2,4`; `[]` when the option is not given.
 *
 * @throws {UsageError} when it is no shape, or the module says another one
 */
function meshShapeOf(options: Options, module: ModuleText): readonly number[] {
  const text = options.text("mesh-shape");
  if (text === undefined) return [];
  if (!/^[1-9]\d*(?:[x,][1-9]\d*)*$/.test(text)) {
    throw new UsageError(`Cannot read --mesh-shape ${text}: write chips along each axis, such as 2x4`);
  }
  const shape = text.split(/[x,]/).map(Number);
  const own = readMeshShape(module);
  if (own.length > 0 && meshText(own) !== meshText(shape)) {
    throw new UsageError(
      `Cannot take --mesh-shape ${meshText(shape)}: ${module.fileName} is compiled for a mesh of ${
        meshText(own)
      }`,
    );
  }
  return shape;
}

/** Rules without which figures mean nothing: dominance, types, signatures, possible layouts, readable op configs. */
const STRUCTURAL_RULES = /^V(?:[1235]|15)\//;

function requireSoundStructure(module: ModuleText): void {
  const unsound = verifyModule(module)
    .find(({ code, severity }) => severity === "error" && STRUCTURAL_RULES.test(code));
  if (unsound === undefined) return;
  const next = {
    code: "input/lint",
    severity: "note",
    message: `'tilewright lint ${module.fileName}' lists all findings`,
  } as const;
  throw new DiagnosticError([{ ...unsound, notes: [...unsound.notes ?? [], next] }]);
}

function requireTensorOps(module: ModuleText): void {
  if (module.operations.some(({ name }) => name.startsWith("ttnn.") || name.startsWith("ttir."))) return;
  const foreign = module.operations.find(({ name }) =>
    name.startsWith("stablehlo.") || name.startsWith("tosa.")
  );
  throw new DiagnosticError([{
    code: "input/no-tensor-ops",
    severity: "error",
    message: foreign === undefined
      ? `Cannot judge ${module.fileName}: it holds no TTNN or TTIR op`
      : `Cannot judge ${module.fileName}: it holds ${foreign.name}; lower it to TTIR first, for example with ttmlir-opt`,
  }]);
}
