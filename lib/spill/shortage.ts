// SPDX-License-Identifier: Apache-2.0
import { isOp, type SchedulePoint, type ValueId, valueId } from "../graph/graph.ts";
import { type GroupedTensors, type Liveness, tensorsByOwner } from "../graph/liveness.ts";
import type { L1Failure, L1Timeline } from "../memory/l1_timeline.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { MOST_VICTIMS, SPILL_REPLAYS } from "../search/limits.ts";
import { copyAt, ITSELF, type ProgramStep, type Source } from "../search/program.ts";
import type { SpillMove, SpillMoves } from "./moves.ts";

/** A move of pass 2 that made room for a step. */
export interface SpillEvent {
  /** Position in the schedule at which L1 was too small. */
  readonly position: number;
  /** The op that lacked L1; for a copy, the op before which it runs. */
  readonly op: SchedulePoint;
  readonly failure: L1Failure;
  /** Tensor of the program that moved; `undefined` if the op itself was moved to DRAM. */
  readonly instance: number | undefined;
  /** Name of the moved tensor, as the input spells the value; `copy of NAME` for a copy, that of the op if the op itself moved. */
  readonly victim: string;
  /** Bytes per core of the moved tensor; 0 if the op itself was moved. */
  readonly bytes: number;
  readonly kind: SpillMove["kind"];
  /** Predicted µs that the move costs; negative if the plan gets faster. */
  readonly microseconds: number;
  readonly description: string;
}

/** After how many replays spilling ends ({@linkcode SPILL_REPLAYS}). */
export function mostReplays({ ops, copies }: LayoutProgram): number {
  return SPILL_REPLAYS.perTensor * (ops.length + copies.length) + SPILL_REPLAYS.further;
}

/** The result of pass 2 on a program. */
export interface SpillResult {
  /**
   * No failure except `over_budget`, and steps that not even an empty L1 holds (`too_large`); false only if a failing
   * step has no move left.
   */
  readonly fits: boolean;
  readonly events: readonly SpillEvent[];
  readonly timeline: L1Timeline;
}

/** One L1 replay of a program. */
export interface Played {
  readonly steps: readonly ProgramStep[];
  readonly timeline: L1Timeline;
}

/** A tensor of a program that is live in L1 at a step. */
export interface Resident {
  readonly value: ValueId;
  readonly source: Source;
  /** Its instance id: values, then copies. */
  readonly tensor: number;
  /** Bytes per core. */
  readonly bytes: number;
}

/** A step without room. */
export interface StepShortage {
  readonly failure: L1Failure;
  /** The op that lacks L1; for a copy, the op before which it runs. */
  readonly op: SchedulePoint;
  /** Position of the op in the schedule. */
  readonly position: number;
  /** The tensors that may leave L1 for it. */
  readonly residents: readonly Resident[];
}

/**
 * A failure of a replay with the tensors that may leave L1 for it: the {@linkcode MOST_VICTIMS} that free the most
 * bytes for longest.
 *
 * @param gone owners of buffers that were moved since the replay
 */
export function shortageAt(
  program: LayoutProgram,
  { steps, timeline }: Played,
  failure: L1Failure,
  gone?: ReadonlySet<number>,
): StepShortage {
  const step = stepAt(steps, failure.position);
  const op = opOf(program, step);
  const live = [...liveTensors(timeline, failure, gone), ...unplacedResults(program, step, failure)];
  const residents = mostPromising(live, failure.position).map((each) => residentOf(program, each));
  return { failure, op, position: program.positionOf(op), residents };
}

/** The op of a step; for a copy, the op before which it runs. */
export function opOf(program: LayoutProgram, step: ProgramStep): SchedulePoint {
  return step.kind === "op" ? step.op : copyAt(program, step.copy).before;
}

/** The moves that take a tensor out of L1 before a position of the schedule. */
export function movesOf(
  moves: SpillMoves,
  { value, source }: Resident,
  position: number,
): readonly SpillMove[] {
  return [
    moves.split(value, source, position),
    ...source !== ITSELF ? [] : [moves.demote(value, "dram", position), moves.demote(value, "l1", position)],
  ].filter((move) => move !== undefined);
}

/** The record of a move. @param resident the tensor that moves; `undefined` if the op itself does */
export function eventOf(
  program: LayoutProgram,
  { failure, op, position }: Pick<StepShortage, "failure" | "op" | "position">,
  { kind, microseconds, description }: Omit<SpillMove, "apply">,
  resident?: Resident,
): SpillEvent {
  const { fn } = program.evaluator;
  return {
    position,
    op,
    failure,
    instance: resident?.tensor,
    victim: resident !== undefined
      ? nameOf(program, resident)
      : isOp(fn, op)
      ? program.evaluator.op(op).name
      : "return",
    bytes: resident?.bytes ?? 0,
    kind,
    microseconds,
    description,
  };
}

/** @throws {RangeError} if there is no such step */
export function stepAt(steps: readonly ProgramStep[], position: number): ProgramStep {
  const step = steps[position];
  if (step === undefined) throw new RangeError(`Cannot look up step ${position}: there are ${steps.length}`);
  return step;
}

/** A unique number per step: the id for ops, negative for copies. */
export function stepKey(steps: readonly ProgramStep[], position: number): number {
  const step = stepAt(steps, position);
  return step.kind === "op" ? step.op : -1 - step.copy;
}

/** A live tensor of a program by instance id, with its bytes per core. */
export interface LiveTensor {
  readonly tensor: number;
  readonly bytes: number;
  /** Position of its last use. */
  readonly until: number;
}

/** The {@linkcode MOST_VICTIMS} tensors that free the most bytes for longest, of equal ones the first. */
function mostPromising(tensors: readonly LiveTensor[], position: number): readonly LiveTensor[] {
  if (tensors.length <= MOST_VICTIMS) return tensors;
  const best: { readonly freed: number; readonly victim: LiveTensor }[] = [];
  for (const victim of tensors) {
    const freed = victim.bytes * (1 + victim.until - position);
    if (best.length === MOST_VICTIMS && freed <= (best.at(-1)?.freed ?? 0)) continue;
    let at = best.length;
    while (at > 0 && freed > (best[at - 1]?.freed ?? Infinity)) at--;
    best.splice(at, 0, { freed, victim });
    if (best.length > MOST_VICTIMS) best.pop();
  }
  return best.map(({ victim }) => victim);
}

/** The instance of a live tensor. */
export function residentOf(program: LayoutProgram, { tensor, bytes }: LiveTensor): Resident {
  const { fn } = program.evaluator;
  const copy = tensor - fn.values.length;
  return copy < 0
    ? { value: valueId(fn, tensor), source: ITSELF, tensor, bytes }
    : { value: copyAt(program, copy).value, source: copy, tensor, bytes };
}

/** Results of the failing step without an address. */
function unplacedResults(
  program: LayoutProgram,
  step: ProgramStep,
  { usage }: L1Failure,
): readonly LiveTensor[] {
  if (step.kind !== "op") return [];
  const { evaluator } = program;
  return evaluator.op(step.op).results.flatMap((tensor) => {
    const layout = program.layoutOf(tensor, ITSELF);
    const bytes = layout === undefined ? 0 : evaluator.facts(layout).l1Bytes;
    const isPlaced = usage.placements.some((placement) => placement.tensor === tensor);
    return bytes > 0 && !isPlaced ? [{ tensor, bytes, until: Infinity }] : [];
  });
}

/** Whether the op makes the result, or the copy runs directly before the op; never for arguments and their copies. */
export function isMadeBy(program: LayoutProgram, resident: Resident, op: SchedulePoint): boolean {
  if (program.evaluator.producer(resident.value) === undefined) return false;
  if (resident.source !== ITSELF) return copyAt(program, resident.source).before === op;
  return program.evaluator.producer(resident.value) === op;
}

/**
 * Tensors and views live at a failing step with a buffer in L1, by ascending id; owners in `gone` are left
 * out.
 */
export function liveTensors(
  timeline: L1Timeline,
  { position, usage }: L1Failure,
  gone: ReadonlySet<number> = new Set(),
): readonly LiveTensor[] {
  const { definedAt, lastUse } = timeline.liveness;
  const { first, next } = TENSORS_BY_OWNER.getOrInsertComputed(timeline.liveness, tensorsByOwner);
  const found: LiveTensor[] = [];
  for (const { tensor: buffer, bytes } of usage.placements) {
    if (buffer < 0 || gone.has(buffer)) continue;
    for (let tensor = first[buffer] ?? -1; tensor >= 0; tensor = next[tensor] ?? -1) {
      const until = lastUse[tensor] ?? -2;
      if ((definedAt[tensor] ?? -2) <= position && until >= position) found.push({ tensor, bytes, until });
    }
  }
  return found.sort((a, b) => a.tensor - b.tensor);
}

/** A replay has many failures, each of which asks for its residents. */
const TENSORS_BY_OWNER: WeakMap<Liveness, GroupedTensors> = new WeakMap();

/** The value's name in the input; `copy of NAME` for a copy. */
export function nameOf(program: LayoutProgram, resident: Resident): string {
  const { name } = program.evaluator.value(resident.value);
  return resident.source === ITSELF ? name : `copy of ${name}`;
}
