// SPDX-License-Identifier: Apache-2.0
import { L1Replay } from "../memory/l1_replay.ts";
import type { L1Region } from "../memory/l1_timeline.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF } from "../search/program.ts";
import { readersOfInstance, SpillMoves } from "./moves.ts";
import { type OpId, opId } from "../graph/graph.ts";

/** Most spills that are tried again. Each trial costs one simulation of the function, so long functions get fewer. */
const MAX_TRIES = 64;
const MAX_SIMULATED_OPS = 40_000;

/**
 * Undoes spills that turn out to be unnecessary, because later ones made enough room. Each is undone alone, on
 * a copy, and stays undone if everything fits as well as before and the predicted time falls.
 *
 * @param original the program before pass 2
 * @returns how many spills were undone
 */
export function restoreSpills(
  program: LayoutProgram,
  original: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
): number {
  const trials = new Trials(program, roles, region);
  const used = program.usedCopies();
  program.copies.forEach((copy, index) => {
    if (copy.reason === "spill" && used[index] === true) {
      trials.attempt((trial) => undoCopy(trial, roles, index));
    }
  });
  program.ops.forEach((op, index) => {
    const id = opId(program.evaluator.fn, index);
    const before = decisionFor(original, id);
    if (op.outputs.some((layout, result) => layout !== before.outputs[result])) {
      trials.attempt((trial) => undoDemotion(trial, original, roles, id));
    }
  });
  return trials.kept;
}

/**
 * Removes detours: a copy in DRAM of a tensor in L1 goes if all of its readers can read the tensor in L1
 * instead, the predicted time falls and everything fits as before. Refinement does not find these, because a
 * single op gains nothing by leaving a copy that others share.
 *
 * @returns how many copies were removed
 */
export function readDirectly(program: LayoutProgram, roles: OpRoles, region: L1Region): number {
  const trials = new Trials(program, roles, region);
  const used = program.usedCopies();
  program.copies.forEach((copy, index) => {
    if (used[index] !== true || copy.reason === "override" || copy.reason === "return") return;
    if (directGain(program, roles, index) <= 0) return;
    trials.attempt((trial) => undoCopy(trial, roles, index));
  });
  return trials.kept;
}

/**
 * µs saved if the readers of a copy in DRAM read its source in L1 instead, the cost of the copy included; 0 if
 * some reader cannot, or the copy is no detour.
 */
function directGain(program: LayoutProgram, roles: OpRoles, index: number): number {
  const { evaluator } = program;
  const copy = copyAt(program, index);
  const from = program.layoutOf(copy.value, copy.source);
  if (from === undefined) return 0;
  const { layouts } = evaluator;
  if (layouts.get(from).bufferType !== "l1" || layouts.get(copy.layout).bufferType !== "dram") return 0;
  let gain = program.copyMicroseconds(index);
  for (const reader of readersOfInstance(program, copy.value, index)) {
    if (reader.kind !== "operand" || roles.readsElsewhere[reader.op] !== true) return 0;
    const decision = decisionFor(program, reader.op);
    const inputs = program.inputsOf(reader.op).map((layout, operand) =>
      operand === reader.operand ? from : layout
    );
    const signature = evaluator.signature(reader.op);
    if (!evaluator.opModel.acceptsInput(signature, reader.operand, from)) return 0;
    if (evaluator.footprint(reader.op, inputs, decision).refusal !== undefined) return 0;
    gain += program.opMicroseconds(reader.op) - evaluator.runtime(reader.op, inputs, decision);
  }
  return gain;
}

/** Tries changes on a copy of a program and keeps those that make it faster and nothing worse. */
export class Trials {
  /** Number of changes that were kept. */
  kept = 0;
  readonly #program: LayoutProgram;
  readonly #roles: OpRoles;
  readonly #replay: L1Replay;
  readonly #limit: number;
  #tries = 0;
  #best: Measure | undefined;

  constructor(program: LayoutProgram, roles: OpRoles, region: L1Region) {
    this.#program = program;
    this.#roles = roles;
    this.#replay = new L1Replay(region);
    this.#limit = Math.min(MAX_TRIES, Math.ceil(MAX_SIMULATED_OPS / Math.max(1, program.ops.length)));
  }

  /** Tries a change; it returns `false` if it cannot be made. */
  attempt(change: (trial: LayoutProgram) => boolean): void {
    if (this.#tries >= this.#limit) return;
    const best = this.#best ??= {
      microseconds: this.#program.microseconds(),
      failures: this.#failures(this.#program),
      faults: this.#program.faults(this.#roles),
    };
    const trial = this.#program.clone();
    if (!change(trial)) return;
    // The cheapest check first: most changes do not save time.
    const microseconds = trial.microseconds();
    if (microseconds >= best.microseconds) return;
    this.#tries++;
    const failures = this.#failures(trial, best.failures);
    if (failures > best.failures) return;
    const faults = trial.faults(this.#roles);
    if (faults > best.faults) return;
    this.#best = { microseconds, failures, faults };
    this.#program.assign(trial);
    this.kept++;
  }

  /** Steps that do not fit, or would not even fit into an empty L1; counting stops after `most`. */
  #failures(program: LayoutProgram, most: number = Infinity): number {
    const { failures, oversized } = this.#replay.play(program.l1Schedule(program.steps()), most);
    return failures.length + oversized.length;
  }
}

interface Measure {
  readonly failures: number;
  readonly faults: number;
  readonly microseconds: number;
}

/** Lets the readers of a copy in DRAM, and of its reloads, read its source. */
function undoCopy(program: LayoutProgram, roles: OpRoles, index: number): boolean {
  const copy = copyAt(program, index);
  const moves = new SpillMoves(program, roles);
  for (const reader of readersOfInstance(program, copy.value, index)) {
    if (reader.kind === "result") return false;
    // A reload with the same layout as the source is replaced by the source.
    moves.redirect(reader, copy.source);
  }
  return true;
}

/** Produces an op's results as pass 1 wanted them; their reloads are replaced by the results themselves. */
function undoDemotion(program: LayoutProgram, original: LayoutProgram, roles: OpRoles, id: OpId): boolean {
  const before = decisionFor(original, id);
  const moves = new SpillMoves(program, roles);
  const { results } = program.evaluator.op(id);
  // A returned result already has the layout of the signature; with pass 1's layout it would need a copy again.
  if (
    results.some((value) =>
      readersOfInstance(program, value, ITSELF).some((reader) => reader.kind === "result")
    )
  ) {
    return false;
  }
  program.setOutputs(id, before, "spill undone: it fits after all", false);
  for (const value of results) {
    const layout = program.layoutOf(value, ITSELF);
    program.copies.forEach((copy, index) => {
      if (copy.value !== value || copy.source !== ITSELF || copy.layout !== layout) return;
      for (const reader of readersOfInstance(program, value, index)) moves.redirect(reader, ITSELF);
    });
  }
  return true;
}
