// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputError } from "../diagnostics/diagnostic.ts";
import type { OpId } from "../graph/graph.ts";
import { improve } from "../improve/improve.ts";
import type { ImprovementStage } from "../improve/move.ts";
import { dispatchSchedule } from "../optimal/dispatch/dispatch_schedule.ts";
import { TraceRecorder } from "../propagation/trace_recorder.ts";
import type { ScoreName } from "../propagation/layout_score.ts";
import { propagateMemoryLayouts } from "../propagation/upstream/memory_layout_propagation.ts";
import { propagate } from "../propagation/beam/propagate.ts";
import { type ImprovementCache, refineAssignment } from "../propagation/refine_assignment.ts";
import { assignmentKey, assignmentMicroseconds } from "../search/assignment.ts";
import { HintedImpls } from "../search/hinted_impls.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import { isInputWithinBudget, LayoutProgram } from "../search/layout_program.ts";
import { memorySchedule } from "../search/memory_schedule.ts";
import { opsBefore } from "../search/op_order.ts";
import { overrideRefused } from "../search/op_overrides.ts";
import { decisionFor } from "../search/program.ts";
import type { Assignment } from "../search/impls.ts";
import { keepActivations } from "../search/keep_activations.ts";
import { manageL1, type SpillOutcome } from "../spill/spill.ts";
import type { SpillPolicyName } from "../spill/spill_policy.ts";
import type { FunctionContext } from "./function_context.ts";
import type { PolicyOptions } from "./options.ts";
import { REFINEMENT } from "./search_limits.ts";

/** A program after pass 2. */
export interface FinishedProgram {
  /** How it was made, for reports: `beam runtime 8`, `dram`. */
  readonly origin: string;
  readonly program: LayoutProgram;
  readonly spill: SpillOutcome;
  /** Whether it fits by address, has no {@linkcode LayoutProgram.faults}, and keeps the L1 cap if the input does. */
  readonly usable: boolean;
  /**
   * Ops that the op model refuses, plus steps whose own buffers exceed an empty L1: neither can run. Of two
   * programs, the one with fewer is better.
   */
  readonly failingSteps: number;
  /** Predicted µs, as the simulator prices the plan. */
  readonly microseconds: number;
  /** The pass 1 that it came from, where that was recorded. */
  readonly search: RecordedSearch | undefined;
  /** As {@linkcode FunctionPlan.lowerBoundUs}. */
  readonly lowerBoundUs?: number | undefined;
}

/** A recorded run of pass 1, with everything that it considered. */
export interface RecordedSearch {
  readonly score: ScoreName;
  readonly beamWidth: number;
  readonly recorder: TraceRecorder;
}

/** Runs the two passes on one function. Every method that returns a program has run pass 2 on it. */
export class PassPipeline {
  readonly #context: FunctionContext;
  readonly #options: PolicyOptions;
  readonly #spill: SpillPolicyName;
  #inputWithinBudget: boolean | undefined;
  readonly #improvements: ImprovementCache = new Map();
  readonly #searches: WeakMap<Assignment, RecordedSearch> = new WeakMap();
  readonly #interleaved: Map<"dram" | "l1", Assignment> = new Map();
  /** Results of pass 1, by score and width. */
  readonly #propagated: Map<string, Assignment> = new Map();

  constructor(context: FunctionContext, options: PolicyOptions, spill: SpillPolicyName) {
    this.#context = context;
    this.#options = options;
    this.#spill = spill;
  }

  /** Pass 1 with a beam. */
  propagate(score: ScoreName, beamWidth: number): Assignment {
    return this.#propagated.getOrInsertComputed(
      `${score} ${beamWidth}`,
      () => this.#propagate(score, beamWidth),
    );
  }

  #propagate(score: ScoreName, beamWidth: number): Assignment {
    const { evaluator, roles, region, deliverTrace, onOp } = this.#context;
    const recorderOf = (search?: HintedImpls): TraceRecorder | undefined =>
      deliverTrace === undefined ? undefined : new TraceRecorder(evaluator, roles.decided, search);
    const common = {
      beamWidth,
      maxInputCandidatesPerOperand: this.#options.maxInputCandidatesPerOperand,
      onOp,
    };
    let recorder: TraceRecorder | undefined;
    let assignment: Assignment;
    if (score === "local") {
      const hinted = new HintedImpls(evaluator, region.budget);
      recorder = recorderOf(hinted);
      const options = { ...common, observer: recorder };
      assignment = evaluator.work.uncounted(() => propagateMemoryLayouts(evaluator, roles, hinted, options));
    } else {
      recorder = recorderOf();
      const options = { ...common, l1Budget: region.budget, score, observer: recorder };
      assignment = propagate(evaluator, roles, options);
    }
    if (recorder !== undefined) this.#searches.set(assignment, { score, beamWidth, recorder });
    return assignment;
  }

  /** Improves an assignment op by op with its neighbours fixed; the predicted time never rises. */
  refine(assignment: Assignment): Assignment {
    const { evaluator, roles, region } = this.#context;
    const refined = refineAssignment(evaluator, roles, assignment, {
      l1Budget: region.budget,
      sweeps: REFINEMENT.sweeps,
      maxCombinations: REFINEMENT.combinations,
      cache: this.#improvements,
    });
    const search = this.#searches.get(assignment);
    if (search !== undefined) this.#searches.set(refined, search);
    return refined;
  }

  /** Everything interleaved, in DRAM or L1. */
  interleaved(buffer: "dram" | "l1"): Assignment {
    const { evaluator, roles, region } = this.#context;
    return this.#interleaved.getOrInsertComputed(
      buffer,
      () => interleavedAssignment(evaluator, roles, buffer, region.budget),
    );
  }

  /**
   * The least number of ops that the op model refuses with everything in interleaved DRAM, in L1, or as in the
   * input.
   */
  refusedAnyway(): number {
    const { evaluator } = this.#context;
    const refused = [this.interleaved("dram"), this.interleaved("l1"), this.asInput()].map((assignment) =>
      LayoutProgram.fromAssignment(evaluator, assignment).refusedOps
    );
    return Math.min(...refused);
  }

  /** Everything as in the input. */
  asInput(): Assignment {
    const { evaluator, fn } = this.#context;
    return fn.ops.map(({ id }) => evaluator.kept(id, "kept as in the input"));
  }

  /**
   * Pass 2 on an assignment. With `--schedule memory`, a program that needs spills is also tried in an order
   * that needs less L1, and the faster one is taken.
   */
  finish(origin: string, assignment: Assignment): FinishedProgram {
    const inOrder = this.#finishInOrder(origin, assignment, undefined);
    if (this.#options.schedule !== "memory" || inOrder.spill.events.length === 0) return inOrder;
    return cheaper(inOrder, this.finishReordered(origin, assignment));
  }

  /**
   * Pass 2 in an order in which short kernels wait less for the dispatcher; `undefined` if no other order is
   * faster or `--schedule` fixes the input's.
   */
  finishWithDispatch(origin: string, assignment: Assignment): FinishedProgram | undefined {
    const { evaluator, roles } = this.#context;
    if (this.#options.schedule === "input") return undefined;
    const schedule = dispatchSchedule(
      LayoutProgram.fromAssignment(evaluator, assignment),
      opsBefore(evaluator, roles),
    );
    if (schedule === undefined) return undefined;
    const program = LayoutProgram.fromAssignment(evaluator, assignment, schedule);
    return this.finishProgram(`${origin}, reordered`, program);
  }

  /** Pass 2 in an order that needs less L1; `undefined` if there is none or `--schedule` fixes the input's. */
  finishReordered(origin: string, assignment: Assignment): FinishedProgram | undefined {
    const { evaluator, roles } = this.#context;
    if (this.#options.schedule === "input") return undefined;
    const schedule = memorySchedule(LayoutProgram.fromAssignment(evaluator, assignment), roles);
    if (schedule === undefined) return undefined;
    return this.#finishInOrder(`${origin}, reordered`, assignment, schedule);
  }

  #finishInOrder(
    origin: string,
    assignment: Assignment,
    schedule: readonly OpId[] | undefined,
  ): FinishedProgram {
    const program = LayoutProgram.fromAssignment(this.#context.evaluator, assignment, schedule);
    return {
      ...this.finishProgram(origin, program),
      search: this.#searches.get(assignment),
    };
  }

  finishProgram(origin: string, program: LayoutProgram): FinishedProgram {
    const { evaluator, fn, roles, region } = this.#context;
    evaluator.work.charge("finishedOp", fn.ops.length);
    keepActivations(program);
    let spill = manageL1(program, roles, region, this.#spill);
    // Copies that pass 2 adds may read an activation again.
    while (keepActivations(program)) {
      const again = manageL1(program, roles, region, this.#spill);
      spill = { ...again, events: [...spill.events, ...again.events] };
    }
    const hasRoom = spill.withinBudget || (spill.fits && !this.#isInputWithinBudget());
    const usable = hasRoom && program.faults(roles) === 0;
    return {
      origin,
      program,
      spill,
      usable,
      failingSteps: program.refusedOps + program.oversizedSteps(region),
      microseconds: program.microseconds(),
      search: undefined,
    };
  }

  /** Whether the input itself stays within the cap. If it does not, plans are not held to the cap either. */
  #isInputWithinBudget(): boolean {
    const { evaluator, region } = this.#context;
    return this.#inputWithinBudget ??= isInputWithinBudget(evaluator, region);
  }

  /** The program after the moves of a stage; `undefined` if none makes it faster or it is not usable. */
  improved(finished: FinishedProgram, stage: ImprovementStage): FinishedProgram | undefined {
    const { roles, region, improvements: log } = this.#context;
    const program = finished.program.clone();
    if (!finished.usable || improve(program, stage, { roles, region, log }) === 0) return undefined;
    return { ...finished, program, microseconds: program.microseconds() };
  }

  /** Predicted µs of an assignment before pass 2. */
  microseconds(assignment: Assignment): number {
    return assignmentMicroseconds(this.#context.evaluator, assignment);
  }

  /** Equal for assignments with the same layouts and configs. */
  key(assignment: Assignment): string {
    return assignmentKey(this.#context.evaluator, assignment);
  }

  /**
   * The given program if it is usable; otherwise everything in DRAM; otherwise everything as in the input.
   * All-DRAM also wins if it has fewer failing steps.
   *
   * @throws {DiagnosticError} if there are overrides and neither the program nor all-DRAM is usable
   */
  orDram(finished: FinishedProgram): FinishedProgram {
    if (finished.usable && finished.failingSteps === 0) return finished;
    const dram = this.finish("dram", this.interleaved("dram"));
    if (finished.usable) {
      return dram.usable && dram.failingSteps < finished.failingSteps ? dram : finished;
    }
    if (dram.usable) return dram;
    if (!this.#context.evaluator.overrides.any) return this.finish("as in the input", this.asInput());
    throw this.#overridesUnfollowed(finished);
  }

  /**
   * The error for a program that does not follow the overrides: an op refuses its override, or L1 is too
   * small.
   */
  #overridesUnfollowed({ origin, program }: FinishedProgram): DiagnosticError {
    const { evaluator, fn } = this.#context;
    const refused = fn.ops.find(({ id }) =>
      !evaluator.overrides.allow(id, program.inputsOf(id), decisionFor(program, id))
    );
    if (refused !== undefined) {
      return overrideRefused(
        refused,
        `'${origin}' reads no operands from which the op makes it; try --policy auto`,
      );
    }
    return inputError(
      "override/unusable",
      `Cannot follow the overrides in @${fn.name}: no plan that carries all of them out fits L1; ` +
        "try --policy auto, or leave out some of them",
    );
  }
}

/** The faster of two usable programs, the first one if they are equal. */
function cheaper(first: FinishedProgram, second: FinishedProgram | undefined): FinishedProgram {
  if (second === undefined || !second.usable) return first;
  return !first.usable || second.microseconds < first.microseconds ? second : first;
}
