// SPDX-License-Identifier: Apache-2.0
import { isOp, type SchedulePoint, type ValueId, valueId } from "../graph/graph.ts";
import { isWideJoin } from "../search/joins.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { copyAt, decisionFor, ITSELF, type ProgramStep, type Source } from "../search/program.ts";
import { MANY_FAILURES, MOST_VICTIMS } from "../search/limits.ts";
import { type Liveness, type TensorsByOwner, tensorsByOwner } from "../graph/liveness.ts";
import { L1Replay } from "../memory/l1_replay.ts";
import { type L1Failure, type L1Timeline, simulateL1Schedule } from "../memory/l1_timeline.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import { type SpillMove, SpillMoves } from "./moves.ts";
import { type GreedySpillPolicy, rankVictim } from "./spill_policy.ts";

/**
 * A key shared by results with equal costs of leaving L1: equal ops produce them from equal operand layouts,
 * and a single join of many operands reads them without copies. Such a join has hundreds of operands;
 * evaluating each would take hundreds of queries.
 *
 * @returns `undefined` for any other value
 */
export function equivalentVictimKey(
  program: LayoutProgram,
  roles: OpRoles,
  value: ValueId,
): string | undefined {
  const { evaluator } = program;
  const { definition, uses: [reader, ...more], returned } = evaluator.value(value);
  if (definition.kind !== "result" || reader === undefined || more.length > 0 || returned > 0) {
    return undefined;
  }
  if (!isOp(evaluator.fn, reader.op) || !isWideJoin(evaluator, reader.op)) return undefined;
  if (decisionFor(program, reader.op).sources[reader.operand] !== ITSELF) return undefined;
  const { op, index } = definition;
  const { outputs, config } = decisionFor(program, op);
  const impl = evaluator.choiceId({ inputs: program.inputsOf(op), outputs, config, reasons: [] });
  return `${reader.op}:${evaluator.structureId(op)}:${impl}:${index}:${roles.decided[op]}:${
    roles.pinned[value]
  }`;
}

/** A move of pass 2 that made room for a step. */
export interface SpillEvent {
  /** Position in the schedule at which L1 was too small. */
  readonly position: number;
  /** The op that lacked L1; for a copy, the op before which it runs. */
  readonly op: SchedulePoint;
  readonly failure: L1Failure;
  /** Tensor of the program that moved; `undefined` if the op itself was moved to DRAM. */
  readonly instance: number | undefined;
  /** Name of the moved tensor, as the input spells the value. */
  readonly victim: string;
  /** Bytes per core of the moved tensor; 0 if the op itself was moved. */
  readonly bytes: number;
  readonly kind: SpillMove["kind"];
  /** Predicted µs that the move costs; negative if the plan gets faster. */
  readonly microseconds: number;
  readonly description: string;
}

/** The result of pass 2 on a program. */
export interface SpillResult {
  /** No failure except `over_budget`; false only if a failing step has no move left. */
  readonly fits: boolean;
  readonly events: readonly SpillEvent[];
  readonly timeline: L1Timeline;
}

/** A live instance in L1. */
export interface Resident {
  readonly value: ValueId;
  readonly source: Source;
}

/**
 * Greedy pass 2: replays the program in L1 by address, moves one tensor out of L1 for each step that does not
 * fit, and repeats until every such step has no move left. It terminates because every move permanently
 * removes a tensor from L1 over some stretch of the schedule.
 */
export function spillGreedily(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  policy: GreedySpillPolicy,
): SpillResult {
  const spill = new GreedySpill(program, roles, policy);
  const { events } = spill;
  const replay = new L1Replay(region);
  const limit = 8 * (program.ops.length + program.copies.length) + 64;
  for (let round = 0; round < limit; round++) {
    const steps = program.steps();
    const timeline = replay.play(program.l1Schedule(steps));
    if (!spill.relieveAll({ steps, timeline })) return { fits: timeline.placeable, events, timeline };
  }
  const timeline = simulateL1Schedule(program.l1Schedule(program.steps()), region);
  return { fits: timeline.placeable, events, timeline };
}

/** One L1 replay of a program. */
interface Played {
  readonly steps: readonly ProgramStep[];
  readonly timeline: L1Timeline;
}

/** The preferred victim with the move that takes it out of L1. */
interface Eviction {
  readonly resident: Resident;
  readonly move: SpillMove;
  readonly bytes: number;
  /** Higher ranks move first ({@linkcode rankVictim}). */
  readonly rank: number;
  /**
   * Whether the failing op reads or produces it. Such tensors move last, because moving them changes how the op
   * runs.
   */
  readonly own: boolean;
}

/** The moves of one program under one policy. */
class GreedySpill {
  readonly events: SpillEvent[] = [];
  readonly #program: LayoutProgram;
  readonly #roles: OpRoles;
  readonly #policy: GreedySpillPolicy;
  /** Keys of steps for which no move is left. */
  readonly #accepted = new Set<number>();

  constructor(program: LayoutProgram, roles: OpRoles, policy: GreedySpillPolicy) {
    this.#program = program;
    this.#roles = roles;
    this.#policy = policy;
  }

  /**
   * Makes one move for each failure of a replay, in schedule order; `false` if every failure is already
   * accepted. A failure at which earlier victims were in L1 is left to the next replay, because their moves
   * may have made room. With more than {@linkcode MANY_FAILURES} failures, it is left only if the victims
   * free the missing bytes, minus the bytes of live results without an address, which will take that room:
   * otherwise the step cannot fit yet, and waiting would cost one replay per tensor.
   */
  relieveAll(played: Played): boolean {
    const { steps, timeline } = played;
    const failures = timeline.failures.filter(({ position }) =>
      !this.#accepted.has(stepKey(steps, position))
    );
    const gone = new Set<number>();
    const claims: Claim[] = [];
    for (const failure of failures) {
      let freedBytes = 0;
      for (const { tensor, bytes } of gone.size === 0 ? [] : failure.usage.placements) {
        if (gone.has(tensor)) freedBytes += bytes;
      }
      let claimedBytes = 0;
      for (const { bytes, until } of claims) if (until >= failure.position) claimedBytes += bytes;
      if (failures.length > MANY_FAILURES) claims.push(...claimsOf(this.#program, played, failure));
      const leftBytes = failures.length > MANY_FAILURES ? freedBytes - claimedBytes : Infinity;
      if (freedBytes > 0 && leftBytes >= failure.shortBytes) continue;
      const event = this.#relieve(played, failure, gone);
      if (event === undefined) {
        this.#accepted.add(stepKey(steps, failure.position));
        continue;
      }
      this.events.push(event);
      if (event.instance !== undefined) gone.add(timeline.liveness.owner[event.instance] ?? event.instance);
    }
    return failures.length > 0;
  }

  /**
   * Makes one move for a failure; `undefined` if none is left.
   *
   * @param gone owners of buffers that were moved since the replay
   */
  #relieve(
    { steps, timeline }: Played,
    failure: L1Failure,
    gone: ReadonlySet<number>,
  ): SpillEvent | undefined {
    const program = this.#program;
    const { fn } = program.evaluator;
    const step = stepAt(steps, failure.position);
    const op = step.kind === "op" ? step.op : copyAt(program, step.copy).before;
    const position = program.positionOf(op);
    const moves = new SpillMoves(program, this.#roles);
    const eviction = this.#eviction(
      moves,
      mostPromising(
        [...residents(timeline, failure, gone), ...unplacedResults(program, step, failure)],
        failure.position,
      ),
      position,
      op,
    );
    const move = eviction?.move ?? (isOp(fn, op) ? moves.readDram(op) : undefined);
    if (move === undefined) return undefined;
    move.apply();
    return {
      position,
      op,
      failure,
      instance: eviction === undefined
        ? undefined
        : program.instance(eviction.resident.value, eviction.resident.source),
      victim: eviction !== undefined
        ? nameOf(program, eviction.resident)
        : isOp(fn, op)
        ? program.evaluator.op(op).name
        : "return",
      bytes: eviction?.bytes ?? 0,
      kind: move.kind,
      microseconds: move.microseconds,
      description: move.description,
    };
  }

  /** The tensor to move out of L1 before `position`; `undefined` if none can move. */
  #eviction(
    moves: SpillMoves,
    tensors: readonly LiveTensor[],
    position: number,
    op: SchedulePoint,
  ): Eviction | undefined {
    const program = this.#program;
    const equivalent = new Set<string>();
    let best: Eviction | undefined;
    for (const { tensor, bytes } of tensors) {
      const resident = residentOf(program, tensor);
      if (resident.source === ITSELF && !isMadeBy(program, resident, op)) {
        const key = equivalentVictimKey(program, this.#roles, resident.value);
        if (key !== undefined && equivalent.has(key)) continue;
        if (key !== undefined) equivalent.add(key);
      }
      program.evaluator.work.charge("victim", 1);
      const move = cheapestMove(moves, resident, position);
      if (move === undefined) continue;
      const readers = moves.readersOf(resident.value, resident.source).filter((reader) =>
        reader.position >= position
      );
      const nextUse = readers[0]?.position ?? position;
      const rank = rankVictim(this.#policy, {
        bytes,
        nextUse,
        lastUse: readers.at(-1)?.position ?? position,
        microseconds: move.microseconds,
      }, position);
      const own = nextUse <= position || isMadeBy(program, resident, op);
      if (best !== undefined && (own !== best.own ? own : rank <= best.rank)) continue;
      best = { resident, move, bytes, rank, own };
    }
    return best;
  }
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

/** A live tensor of a program by instance id (values, then copies), with its bytes per core. */
interface LiveTensor {
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

/** An instance by id: values, then copies. */
export function residentOf(program: LayoutProgram, tensor: number): Resident {
  const { fn } = program.evaluator;
  const copy = tensor - fn.values.length;
  return copy < 0
    ? { value: valueId(fn, tensor), source: ITSELF }
    : { value: copyAt(program, copy).value, source: copy };
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

/** Bytes of L1 that a result without an address needs, and its last position. */
interface Claim {
  readonly bytes: number;
  readonly until: number;
}

/** The claim of a failing step's result that found no address. */
function claimsOf(
  { evaluator }: LayoutProgram,
  { steps, timeline }: Played,
  { position, kind, askedBytes }: L1Failure,
): readonly Claim[] {
  const step = stepAt(steps, position);
  if (kind !== "no_space" || step.kind !== "op") return [];
  const { lastUse } = timeline.liveness;
  const until = evaluator.op(step.op).results.reduce<number>(
    (last, result) => Math.max(last, lastUse[result] ?? position),
    position,
  );
  return [{ bytes: askedBytes, until }];
}

/** Whether the op makes the result, or the copy runs directly before the op. */
export function isMadeBy(program: LayoutProgram, resident: Resident, op: SchedulePoint): boolean {
  if (program.evaluator.producer(resident.value) === undefined) return false;
  if (resident.source !== ITSELF) return copyAt(program, resident.source).before === op;
  return program.evaluator.producer(resident.value) === op;
}

/**
 * Tensors and views live at a failing step with a buffer in L1, by ascending id; owners in `gone` are left
 * out.
 */
export function residents(
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
const TENSORS_BY_OWNER: WeakMap<Liveness, TensorsByOwner> = new WeakMap();

function cheapestMove(moves: SpillMoves, resident: Resident, position: number): SpillMove | undefined {
  const candidates = [moves.split(resident.value, resident.source, position)];
  if (resident.source === ITSELF) {
    candidates.push(
      moves.demote(resident.value, "dram", position),
      moves.demote(resident.value, "l1", position),
    );
  }
  let best: SpillMove | undefined;
  for (const move of candidates) {
    if (move === undefined || !(move.microseconds < (best?.microseconds ?? Infinity))) continue;
    best = move;
  }
  return best;
}

/** The value's name in the input; `copy of NAME` for a copy. */
export function nameOf(program: LayoutProgram, resident: Resident): string {
  const { name } = program.evaluator.value(resident.value);
  return resident.source === ITSELF ? name : `copy of ${name}`;
}
