// SPDX-License-Identifier: Apache-2.0
import { type ModuleText, parseModule } from "../lib/ir/mod.ts";
import type { LoweringOptions, lowerModule } from "../lib/lowering/lower_module.ts";
import { keptOps, needsLowering } from "../lib/lowering/needs_lowering.ts";
import type { GraphChange, UnfinishedPass } from "../lib/passes/graph_pass.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "../lib/passes/pass_options.ts";
import { GRAPH_PASSES } from "../lib/passes/pass_table.ts";
import { convertReturned } from "../lib/passes/patterns/convert_returned.ts";
import { patternPass } from "../lib/passes/rewrite_pattern.ts";
import { type PassTools, runPasses } from "../lib/passes/run_passes.ts";
import { chipDescription, type Device } from "../sim/devices/device.ts";
import { graphQuestions } from "./graph_questions.ts";
import { requireSoundPasses } from "./require_sound.ts";

/** The graph that layouts are decided on. */
export interface PreparedGraph {
  /** The input itself when nothing was to be done. */
  readonly module: ModuleText;
  /** Whether the input was TTIR. */
  readonly isLowered: boolean;
  /** Names of ops that are no TTNN and have no lowering, which stay as they are, one per op. */
  readonly kept: readonly string[];
  /** Changes by graph passes. */
  readonly changes: readonly GraphChange[];
  /** Passes that stopped while their patterns still matched. */
  readonly unfinished: readonly UnfinishedPass[];
}

/** Lowers a module, which is `lowerModule` for whoever has loaded it; TTNN can do without. */
export type Lower = typeof lowerModule;

/**
 * As `prepareGraph`, with the lowering given, so that only those load it who need it: a tenth of the program is rules of
 * TTIR ops.
 *
 * @throws {RangeError} where the module needs a lowering and none is given
 */
export function preparedGraph(
  lower: Lower | undefined,
  input: ModuleText,
  device: Device,
  options: PassOptions | undefined,
  lowering: LoweringOptions,
): PreparedGraph {
  const chip = chipDescription(device);
  const isLowered = needsLowering(input);
  const module = isLowered ? parseModule(lowered(lower, input, chip, lowering), input.fileName) : input;
  const kept = keptOps(module);
  if (options === undefined) {
    const declared = isLowered ? declaredAsReturned(module, device) : module;
    requireSoundPasses(declared, input, [], () => declared, chip);
    return {
      module: declared,
      isLowered,
      kept,
      changes: [],
      unfinished: [],
    };
  }
  // From level 1 on upstream leaves fidelity to the kernels; what level 0 wrote goes.
  const keepsFidelity = options.selection === "upstream-level-0";
  const effective: PassOptions = keepsFidelity ? options : { mathFidelity: "undefined", ...options };
  const tools: PassTools = {
    ...graphQuestions(device),
    ownsSignature: isLowered,
    passes: isLowered ? [...GRAPH_PASSES, DECLARE_RETURNED] : GRAPH_PASSES,
  };
  const { text, changes, unfinished } = runPasses(module, chip, effective, tools);
  const parsed = (made: string) => made === module.text ? module : parseModule(made, input.fileName);
  const passed = parsed(text);
  requireSoundPasses(
    passed,
    input,
    changes,
    (mostChanges) => parsed(runPasses(module, chip, effective, { ...tools, mostChanges }).text),
    chip,
  );
  return { module: passed, isLowered, kept, changes, unfinished };
}

/**
 * Lowering declares TTIR's types; this declares the types that kernels return, even if all passes are off.
 */
const DECLARE_RETURNED = patternPass("declare-returned", undefined, [convertReturned]);

function declaredAsReturned(module: ModuleText, device: Device): ModuleText {
  const { text } = runPasses(module, chipDescription(device), DEFAULT_PASS_OPTIONS, {
    ...graphQuestions(device),
    ownsSignature: true,
    passes: [DECLARE_RETURNED],
  });
  return text === module.text ? module : parseModule(text, module.fileName);
}

function lowered(lower: Lower | undefined, ...input: Parameters<Lower>): string {
  if (lower === undefined) throw new RangeError(`Cannot lower ${input[0].fileName}: no lowering is loaded`);
  return lower(...input);
}
