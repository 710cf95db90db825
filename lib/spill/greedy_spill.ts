// SPDX-License-Identifier: Apache-2.0
import { isOp, type Place, type ValueId, valueId } from "../graph/graph.ts";
import { L1Replay } from "../memory/l1_replay.ts";
import { type L1Failure, type L1Region, type L1Timeline, simulateL1Schedule } from "../memory/l1_timeline.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, ITSELF, type ProgramStep, type Source } from "../search/program.ts";
import { type Move, readersOfInstance, SpillMoves } from "./moves.ts";
import { rankVictim, type SpillPolicyName } from "./spill_policy.ts";

/** One spill as it happened. */
export interface SpillEvent {
  /** Place in the schedule at which L1 was full. */
  readonly position: number;
  readonly op: Place;
  readonly failure: L1Failure;
  /** Tensor of the program that moved; `undefined` when the op itself was moved. */
  readonly instance: number | undefined;
  /** Name of the tensor that moved, as the input spells the value. */
  readonly victim: string;
  readonly bytes: number;
  readonly kind: Move["kind"];
  readonly microseconds: number;
  readonly description: string;
}

/** What pass 2 made of a program. */
export interface SpillResult {
  /** Whether every step finds its place on the chip; false only where even the input's own fixed layouts do not. */
  readonly fits: boolean;
  readonly events: readonly SpillEvent[];
  readonly timeline: L1Timeline;
}

/** A live instance in L1. */
interface Resident {
  readonly value: ValueId;
  readonly source: Source;
}

/**
 * Pass 2, greedy: plays the program against L1 by address; where steps do not fit moves one tensor each out of the way
 * and starts over, until all steps fit. Every move takes some tensor out of L1 for good over some stretch of the
 * schedule, so this ends; an op that only meets layouts it cannot change is passed over when it fits the chip itself.
 */
export function spillGreedily(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: Exclude<SpillPolicyName, "exact">,
): SpillResult {
  const events: SpillEvent[] = [];
  const accepted = new Set<number>();
  const replay = new L1Replay(region);
  const limit = 8 * (program.ops.length + program.copies.length) + 64;
  for (let round = 0; round < limit; round++) {
    const steps = program.steps();
    const timeline = replay.play(program.l1Schedule(steps));
    const failures = accepted.size === 0
      ? timeline.failures
      : timeline.failures.filter(({ position }) => !accepted.has(stepKey(steps, position)));
    if (failures.length === 0) return { fits: timeline.placeable, events, timeline };
    relieveAll(program, roles, steps, timeline, failures, policy, events, accepted);
  }
  const timeline = simulateL1Schedule(program.l1Schedule(program.steps()), region);
  return { fits: timeline.placeable, events, timeline };
}

/**
 * One move against each failure of one simulation, in schedule order. A failure at which an earlier victim still lay in
 * L1 waits for the next simulation: its going may have made the room already.
 */
function relieveAll(
  program: LayoutProgram,
  roles: OpRoles,
  steps: readonly ProgramStep[],
  timeline: L1Timeline,
  failures: readonly L1Failure[],
  policy: Exclude<SpillPolicyName, "exact">,
  events: SpillEvent[],
  accepted: Set<number>,
): void {
  const gone = new Set<number>();
  for (const failure of failures) {
    if (failure.usage.placements.some(({ tensor }) => gone.has(tensor))) continue;
    const event = relieve(program, roles, steps, timeline, failure, policy);
    if (event === undefined) {
      accepted.add(stepKey(steps, failure.position));
      continue;
    }
    events.push(event);
    if (event.instance !== undefined) gone.add(timeline.liveness.owner[event.instance] ?? event.instance);
  }
}

/** A number of its own for every op, and below zero for every copy. */
function stepKey(steps: readonly ProgramStep[], position: number): number {
  const step = steps[position];
  if (step === undefined) throw new RangeError(`Cannot look up step ${position}: there are ${steps.length}`);
  return step.kind === "op" ? step.op : -1 - step.copy;
}

/** Makes one move against a failure; `undefined` when there is none left. */
function relieve(
  program: LayoutProgram,
  roles: OpRoles,
  steps: readonly ProgramStep[],
  timeline: L1Timeline,
  failure: L1Failure,
  policy: Exclude<SpillPolicyName, "exact">,
): SpillEvent | undefined {
  const step = steps[failure.position];
  if (step === undefined) return undefined;
  const op = step.kind === "op" ? step.op : copyAt(program, step.copy).before;
  const position = program.positionOf(op);
  const moves = new SpillMoves(program, roles);
  const { fn } = program.evaluator;
  const residentOf = (instance: number): Resident => {
    const copy = instance - fn.values.length;
    return copy < 0
      ? { value: valueId(fn, instance), source: ITSELF }
      : { value: copyAt(program, copy).value, source: copy };
  };
  let best: { move: Move; rank: number; own: boolean; resident: Resident; bytes: number } | undefined;
  const homeless = unplacedResults(program, step, failure);
  for (const { tensor, bytes } of [...residents(timeline, failure), ...homeless]) {
    const resident = residentOf(tensor);
    program.evaluator.work.charge("victim", 1);
    const move = cheapestMove(moves, resident, position);
    if (move === undefined) continue;
    const readers = readersOfInstance(program, resident.value, resident.source).filter((reader) =>
      reader.position >= position
    );
    const nextUse = readers[0]?.position ?? position;
    const rank = rankVictim(policy, {
      bytes,
      nextUse,
      lastUse: readers.at(-1)?.position ?? position,
      microseconds: move.microseconds,
    }, position);
    // What the op itself reads or makes goes last: moving it changes how the op runs.
    const own = nextUse <= position || isMadeBy(program, resident, op);
    if (best !== undefined && (own !== best.own ? own : rank <= best.rank)) continue;
    best = { move, rank, own, resident, bytes };
  }
  const fallback = best === undefined && isOp(fn, op) ? moves.readDram(op) : undefined;
  const move = best?.move ?? fallback;
  if (move === undefined) return undefined;
  move.apply();
  return {
    position,
    op,
    failure,
    instance: best === undefined ? undefined : program.instance(best.resident.value, best.resident.source),
    victim: best !== undefined
      ? nameOf(program, best.resident)
      : isOp(fn, op)
      ? program.evaluator.op(op).name
      : "return",
    bytes: best?.bytes ?? 0,
    kind: move.kind,
    microseconds: move.microseconds,
    description: move.description,
  };
}

/** Results of the step that found no room and so have no placement. */
function unplacedResults(
  program: LayoutProgram,
  step: ProgramStep,
  { usage }: L1Failure,
): readonly { readonly tensor: number; readonly bytes: number }[] {
  if (step.kind !== "op") return [];
  const placed = new Set(usage.placements.map((placement) => placement.tensor));
  const { evaluator } = program;
  return evaluator.op(step.op).results.flatMap((tensor) => {
    const layout = program.layoutOf(tensor, ITSELF);
    const bytes = layout === undefined ? 0 : evaluator.facts(layout).l1Bytes;
    return bytes > 0 && !placed.has(tensor) ? [{ tensor, bytes }] : [];
  });
}

/** Whether a result, or a copy of one, is made by an op or directly before it. */
function isMadeBy(program: LayoutProgram, resident: Resident, op: Place): boolean {
  if (program.evaluator.producer(resident.value) === undefined) return false;
  if (resident.source !== ITSELF) return copyAt(program, resident.source).before === op;
  return program.evaluator.producer(resident.value) === op;
}

/** Tensors with a buffer in L1 at a step: owners, and everything that shares their buffers and is still needed. */
function residents(
  timeline: L1Timeline,
  { position, usage }: L1Failure,
): readonly { readonly tensor: number; readonly bytes: number }[] {
  const { liveness } = timeline;
  const { owner, definedAt, lastUse } = liveness;
  const bytesOf = new Map<number, number>();
  for (const { tensor, bytes } of usage.placements) {
    if (tensor >= 0) bytesOf.set(tensor, bytes);
  }
  const found: { tensor: number; bytes: number }[] = [];
  for (let tensor = 0; tensor < owner.length; tensor++) {
    const from = definedAt[tensor] ?? -2;
    if (from === -2 || from > position || (lastUse[tensor] ?? -2) < position) continue;
    const bytes = bytesOf.get(owner[tensor] ?? tensor);
    if (bytes !== undefined) found.push({ tensor, bytes });
  }
  return found;
}

function cheapestMove(moves: SpillMoves, resident: Resident, position: number): Move | undefined {
  const candidates = [moves.split(resident.value, resident.source, position)];
  if (resident.source === ITSELF) {
    candidates.push(
      moves.demote(resident.value, "dram", position),
      moves.demote(resident.value, "l1", position),
    );
  }
  let best: Move | undefined;
  for (const move of candidates) {
    if (move === undefined || !(move.microseconds < (best?.microseconds ?? Infinity))) continue;
    best = move;
  }
  return best;
}

function nameOf(program: LayoutProgram, resident: Resident): string {
  const { name } = program.evaluator.value(resident.value);
  return resident.source === ITSELF ? name : `copy of ${name}`;
}
