// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { isOnCpu } from "../dialect/host_dialects.ts";
import { locationName } from "../ir/location.ts";
import { functionsOf, type ModuleText } from "../ir/mod.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { readFunction, type TypeCache } from "../ttnn/read.ts";
import { writeFunctions } from "../ttnn/write.ts";
import { DramRoom } from "./dram_room.ts";
import {
  type GraphChange,
  type GraphPass,
  type GraphQuestions,
  isForward,
  type PassContext,
  type UnfinishedPass,
} from "./graph_pass.ts";
import { changedResults, resultTypes } from "./free_results.ts";
import { calledNames } from "./invariant_values.ts";
import { MergeTracker } from "./merged_ops.ts";
import { isEnabled, type PassOptions } from "./pass_options.ts";
import { GRAPH_PASSES } from "./pass_table.ts";

/** The result of graph passes on a module. */
export interface PassedModule {
  /** The text; byte-identical to the input if no pass changed anything. */
  readonly text: string;
  /** The changes, in order. */
  readonly changes: readonly GraphChange[];
  /** Passes that stopped at their limit; empty unless patterns undo each other. */
  readonly unfinished: readonly UnfinishedPass[];
}

/**
 * Services of the caller for {@linkcode runPasses}. Without answers everything is legal, and rewrites that only
 * save time are skipped.
 */
export interface PassTools extends Partial<GraphQuestions> {
  /**
   * Whether layouts of arguments and results may change: true for a lowered module, which has no caller yet.
   */
  readonly ownsSignature?: boolean;
  /**
   * Number of changes after which passes stop; default: no limit. For bisecting the change that makes a graph
   * wrong, like LLVM's `opt-bisect-limit`. A pass without patterns finishes its run.
   */
  readonly mostChanges?: number;
  /** The passes to run, in order; default: all, in upstream's order. */
  readonly passes?: readonly GraphPass[];
}

/** The answers without an op model. */
const UNANSWERED: GraphQuestions = {
  isLegal: () => true,
  microseconds: () => undefined,
  inSequence: () => undefined,
  preparedRows: () => undefined,
  comesAsImages: () => false,
};

/**
 * Runs graph passes over the functions of a TTNN module: the text is read once, and all passes result in one
 * list of patches. Untouched ops keep their bytes.
 *
 * @param chip for the layouts of new tensors
 */
export function runPasses(
  module: ModuleText,
  chip: ChipDescription,
  options: PassOptions,
  tools: PassTools = {},
): PassedModule {
  const types: TypeCache = new Map();
  const functions = functionsOf(module)
    .filter(({ operation }) => !isOnCpu(operation))
    .flatMap((view) => readFunction(module, view, chip.workerGrid, types) ?? []);
  const { untouchedOps } = options;
  for (const body of functions) {
    body.protectWritten();
    if (untouchedOps !== undefined) {
      body.pinWhere(({ location }) => untouchedOps.has(locationName(module, location)));
    }
  }
  const tracker = new MergeTracker(module, functions);
  const changes: GraphChange[] = [];
  const unfinished: UnfinishedPass[] = [];
  const declared = resultTypes(functions);
  let room: DramRoom | undefined;
  const context: PassContext = {
    module,
    chip,
    options,
    functions,
    ...UNANSWERED,
    ...tools,
    ownsSignature: tools.ownsSignature ?? false,
    ownsResults: tools.ownsSignature === true || options.freesResults === true && !hasCaller(functions),
    dramRoom: () => room ??= new DramRoom(functions.filter(isForward), chip),
    mayChange: () => changes.length < (tools.mostChanges ?? Infinity),
    record: (change) => {
      tracker.see(changes.length);
      changes.push(change);
    },
    recordUnfinished: (pass) => void unfinished.push(pass),
  };
  for (const pass of tools.passes ?? GRAPH_PASSES) {
    if (isEnabled(options, pass) && context.mayChange()) pass.run(context);
  }
  if (!context.ownsSignature) changes.push(...changedResults(functions, declared));
  return { text: writeFunctions(module, functions, chip), changes: tracker.told(changes), unfinished };
}

/** Whether a function that runs in every inference is called by another, which would have to read what it returns. */
function hasCaller(functions: readonly TtnnFunction[]): boolean {
  const called = calledNames(functions);
  return functions.some((body) => isForward(body) && called.has(body.header.name));
}
