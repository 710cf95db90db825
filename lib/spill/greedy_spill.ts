// SPDX-License-Identifier: Apache-2.0
import { isOp } from "../graph/graph.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import { type L1Failure, simulateL1Schedule } from "../memory/l1_timeline.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { MANY_FAILURES } from "../search/limits.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { type SpillMove, SpillMoves } from "./moves.ts";
import {
  eventOf,
  isMadeBy,
  mostReplays,
  movesOf,
  type Played,
  type Resident,
  shortageAt,
  type SpillEvent,
  type SpillResult,
  stepKey,
  type StepShortage,
} from "./shortage.ts";
import { type GreedySpillPolicy, rankVictim } from "./spill_policy.ts";

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
  for (let left = mostReplays(program); left > 0; left--) {
    const steps = program.steps();
    const timeline = simulateL1Schedule(program.l1Schedule(steps), region, "failures");
    if (!spill.relieveAll({ steps, timeline })) return { fits: timeline.placeable, events, timeline };
  }
  const timeline = simulateL1Schedule(program.l1Schedule(program.steps()), region);
  return { fits: timeline.placeable, events, timeline };
}

/** The preferred victim with the move that takes it out of L1. */
interface Eviction {
  readonly resident: Resident;
  readonly move: SpillMove;
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
   * free the missing bytes: otherwise the step cannot fit yet, and waiting would cost one replay per tensor.
   */
  relieveAll(played: Played): boolean {
    const { steps, timeline } = played;
    const failures = timeline.failures.filter(({ position }) =>
      !this.#accepted.has(stepKey(steps, position))
    );
    const { owner, bufferEnd } = timeline.liveness;
    const gone = new Set<number>();
    const freed: { readonly bytes: number; readonly until: number }[] = [];
    for (const failure of failures) {
      const freedBytes = freed.reduce(
        (sum, { bytes, until }) => until < failure.position ? sum : sum + bytes,
        0,
      );
      const enough = failures.length > MANY_FAILURES ? failure.shortBytes : 0;
      if (freedBytes > 0 && freedBytes >= enough) continue;
      const event = this.#relieve(played, failure, gone);
      if (event === undefined) {
        this.#accepted.add(stepKey(steps, failure.position));
        continue;
      }
      this.events.push(event);
      if (event.instance === undefined) continue;
      const buffer = owner[event.instance] ?? event.instance;
      gone.add(buffer);
      // A result that found no place frees nothing.
      const bytes = failure.usage.placements.find(({ tensor }) => tensor === buffer)?.bytes ?? 0;
      freed.push({ bytes, until: bufferEnd[buffer] ?? failure.position });
    }
    return failures.length > 0;
  }

  /**
   * Makes one move for a failure; `undefined` if none is left.
   *
   * @param gone owners of buffers that were moved since the replay
   */
  #relieve(played: Played, failure: L1Failure, gone: ReadonlySet<number>): SpillEvent | undefined {
    const program = this.#program;
    const shortage = shortageAt(program, played, failure, gone);
    const moves = new SpillMoves(program, this.#roles);
    const eviction = this.#eviction(moves, shortage);
    const move = eviction?.move ??
      (isOp(program.evaluator.fn, shortage.op) ? moves.readDram(shortage.op) : undefined);
    if (move === undefined) return undefined;
    move.apply();
    return eventOf(program, shortage, move, eviction?.resident);
  }

  /** The tensor to move out of L1; `undefined` if none can move. */
  #eviction(moves: SpillMoves, { residents, op, position }: StepShortage): Eviction | undefined {
    const program = this.#program;
    let best: Eviction | undefined;
    for (const resident of residents) {
      program.evaluator.work.charge("victim", 1);
      const [move] = movesOf(moves, resident, position).filter(({ microseconds }) => microseconds < Infinity)
        .toSorted((a, b) => a.microseconds - b.microseconds);
      if (move === undefined) continue;
      const readers = moves.readersOf(resident.value, resident.source).filter((reader) =>
        reader.position >= position
      );
      const nextUse = readers[0]?.position ?? position;
      const rank = rankVictim(this.#policy, {
        bytes: resident.bytes,
        nextUse,
        lastUse: readers.at(-1)?.position ?? position,
        microseconds: move.microseconds,
      }, position);
      const own = nextUse <= position || isMadeBy(program, resident, op);
      if (best !== undefined && (own !== best.own ? own : rank <= best.rank)) continue;
      best = { resident, move, rank, own };
    }
    return best;
  }
}
