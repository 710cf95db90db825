// SPDX-License-Identifier: Apache-2.0
import { meshText } from "../lib/device/mesh.ts";
import { DiagnosticError, errorAt, errorText, inputError } from "../lib/diagnostics/diagnostic.ts";
import { meshOffset, readMeshShape } from "../lib/dialect/module_mesh.ts";
import { type ModuleText, parseModule, parseModules } from "../lib/ir/mod.ts";
import {
  type ArgumentTypes,
  populateArgumentTypes,
  readArgumentTypes,
} from "../lib/passes/argument_types.ts";
import { needsLowering } from "../lib/lowering/needs_lowering.ts";
import type { LowerModule } from "../pipeline/prepared_graph.ts";
import { type LoadedModule, preparedModule, type PrepareOptions } from "../pipeline/prepared_module.ts";
import { memoryOfCapture } from "../pipeline/captured_memory.ts";
import { requireNoJson } from "../pipeline/foreign_text.ts";
import { parseWholeOrPart, readModule, type ReadText } from "../pipeline/read_module.ts";
import { chipDescription, type Device } from "../sim/devices/device.ts";
import { callsPathOf, looksLikeCapture } from "../lib/python/capture/capture_text.ts";
import { chooseCaptured, chooseDevice } from "./choose_device.ts";
import { type CommandContext, type Options, UsageError } from "./command.ts";
import type { Host } from "./host.ts";
import { runAssumptions } from "./run_assumptions.ts";

/**
 * The input file of a command: the first positional, or standard input.
 *
 * @throws {UsageError} if standard input is a terminal
 */
export function inputFile(host: Host, [file]: readonly string[]): string {
  if (file === undefined && host.typesInput) {
    throw new UsageError("Cannot run without input: name a file, or pipe one in (- reads what is typed)");
  }
  return file ?? "-";
}

/** An input file. */
export interface InputText {
  /** Path, or `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** Options of loading an input. */
export interface LoadInputOptions extends PrepareOptions {
  /** Device to use; by default the options and the input choose. */
  readonly device?: Device | undefined;
}

/**
 * Loads an input: parses it, chooses the device, lowers TTIR to TTNN, reads the graph.
 *
 * @throws {DiagnosticError} if the file cannot be read, parsed, lowered, or holds no TTNN or TTIR op
 * @throws {UsageError} if the options contradict each other
 */
export async function loadInput(
  context: CommandContext,
  file: string,
  how: LoadInputOptions = {},
): Promise<LoadedModule> {
  return await loadText(context, { file, text: await context.host.readText(file) }, how);
}

/** Like {@linkcode loadInput}, for text that was read already. */
export async function loadText(
  context: CommandContext,
  { file, text: given }: InputText,
  { device, ...prepare }: LoadInputOptions,
): Promise<LoadedModule> {
  const { host, options } = context;
  const text = await asProgram(context, { file, text: given }, device);
  const module = withArgumentTypes(options, sayRemarks(host, readModule(text, file, options.text("module"))));
  const meshShape = meshShapeOf(options, module);
  const target = device ?? await chooseDevice(host, options, module, meshShape);
  const lower = needsLowering(module) ? await loadLowering() : undefined;
  const assumed = runAssumptions(options);
  const loaded = preparedModule(lower, module, target, { ...prepare, meshShape, assumed });
  for (const { severity, message } of loaded.remarks) host.stderr.once(`${severity}: ${message}\n`);
  return loaded;
}

/**
 * The text of a program: of a capture of a Python model what it calls, as TTNN; any other input as it is.
 *
 * @throws {DiagnosticError} if a capture calls what TTNN text cannot say, or its second file is missing
 */
export async function asProgram(
  { host, options }: CommandContext,
  { file, text }: InputText,
  device?: Device,
): Promise<string> {
  if (!looksLikeCapture(text)) return text;
  const { captureArchitecture, readCapture }: typeof import("../lib/python/capture/read_capture.ts") =
    await import(
      "../lib/python/capture/read_capture.ts" satisfies string
    );
  const path = callsPathOf(file);
  const calls = await host.readText(path).catch((error) => {
    throw inputError(
      "capture/calls",
      `Cannot read ${file} without ${path}, which ttnn writes beside it and which says what Python called: ${
        errorText(error)
      }; ${memoryOfCapture(text) ?? ""}`,
    );
  });
  const chip = device ?? await chooseCaptured(host, options, captureArchitecture(text, file));
  const read = readCapture(text, calls, file, chipDescription(chip));
  for (const { message } of read.remarks) host.stderr.once(`remark: ${message}\n`);
  return read.text;
}

/**
 * Loads the rules of TTIR ops, a tenth of the program, which TTNN inputs do not need. Deno loads the module
 * of a literal `import()` before it starts; `satisfies` makes the name no literal.
 */
async function loadLowering(): Promise<LowerModule> {
  const { lowerModule }: typeof import("../lib/lowering/lower_module.ts") = await import(
    "../lib/lowering/lower_module.ts" satisfies string
  );
  return lowerModule;
}

/**
 * Parses an input, or the part of a program that it holds, without building a graph. Of several modules one is read;
 * standard error names it.
 *
 * @throws {DiagnosticError} if it is not a valid module
 */
export function parseInput({ host, options }: CommandContext, { file, text }: InputText): ModuleText {
  return sayRemarks(host, parseWholeOrPart(text, file, options.text("module")));
}

/**
 * Parses the parts of an input between `// -----` lines; without `--split-input-file` the whole input, as
 * {@linkcode parseInput} does.
 *
 * @throws {DiagnosticError} if a part is not a valid module
 */
export function parseParts(context: CommandContext, input: InputText): readonly ModuleText[] {
  if (!context.options.flag("split-input-file")) return [parseInput(context, input)];
  requireNoJson(input.text, input.file);
  return parseModules(input.text, input.file);
}

function sayRemarks(host: Host, { module, remarks }: ReadText): ModuleText {
  for (const { severity, message } of remarks) host.stderr.once(`${severity}: ${message}\n`);
  return module;
}

/**
 * The module with the types of `--argument-types`; the module itself without the option.
 *
 * @throws {UsageError} if it cannot be read
 * @throws {DiagnosticError} if it does not fit the module
 */
export function withArgumentTypes(options: Options, module: ModuleText): ModuleText {
  const text = options.text("argument-types");
  if (text === undefined) return module;
  return parseModule(populateArgumentTypes(module, argumentTypesOf(text)), module.fileName);
}

function argumentTypesOf(text: string): ArgumentTypes {
  try {
    return readArgumentTypes(text);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`Cannot read --argument-types: ${error.message}`);
    throw error;
  }
}

/**
 * The mesh of `--mesh-shape`, written `2x4` or `2,4`; `[]` if the option is not given.
 *
 * @throws {UsageError} if it is not a mesh shape
 * @throws {DiagnosticError} if the module states another one, with its location
 */
export function meshShapeOf(options: Options, module: ModuleText): readonly number[] {
  const text = options.text("mesh-shape");
  if (text === undefined) return [];
  if (!/^[1-9]\d*(?:[x,][1-9]\d*)*$/.test(text)) {
    throw new UsageError(`Cannot read --mesh-shape ${text}: write chips along each axis, such as 2x4`);
  }
  const shape = text.split(/[x,]/).map(Number);
  const own = readMeshShape(module);
  if (own.length > 0 && meshText(own) !== meshText(shape)) {
    throw new DiagnosticError([
      errorAt(
        "device/mesh-shape",
        module.fileName,
        module.fileText,
        meshOffset(module),
        `Cannot take --mesh-shape ${meshText(shape)}: ${module.fileName} is compiled for a mesh of ${
          meshText(own)
        }`,
      ),
    ]);
  }
  return shape;
}
