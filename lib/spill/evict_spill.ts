// SPDX-License-Identifier: Apache-2.0
import { isOp, returnPlace, type SchedulePoint } from "../graph/graph.ts";
import { type InstanceReader, readerCost, readersOfInstance, redirect } from "../improve/readers.ts";
import { type L1Failure, type L1Timeline, simulateL1Schedule } from "../memory/l1_timeline.ts";
import type { L1Region } from "../memory/l1_schedule.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { copyAt, ITSELF, type ProgramStep, type Source } from "../search/program.ts";
import { SpillMoves } from "./moves.ts";
import {
  eventOf,
  isMadeBy,
  liveTensors,
  mostReplays,
  opOf,
  type Resident,
  residentOf,
  type SpillEvent,
  type SpillResult,
  stepAt,
  stepKey,
} from "./shortage.ts";

/**
 * Pass 2 as in tt-mlir's compiler (tt-mlir:l1-spill-management). At a step that does not fit, the L1 tensor
 * with the farthest last reader is copied to DRAM directly after its producer, whose result layout stays;
 * then the replay restarts there. Readers before that step, and those that require L1, get one reload each, which
 * cannot be evicted; all others read DRAM. An op's result moves to DRAM only if no other tensor can leave.
 */
export function spillByEviction(program: LayoutProgram, roles: OpRoles, region: L1Region): SpillResult {
  const spill = new EvictionSpill(program, roles);
  for (let left = mostReplays(program); left > 0; left--) {
    const steps = program.steps();
    const timeline = simulateL1Schedule(program.l1Schedule(steps), region, "failures", {
      endsAt: ({ position }) => !spill.isAccepted(steps, position),
    });
    if (!spill.relieve(steps, timeline)) return { fits: timeline.placeable, events: spill.events, timeline };
  }
  const timeline = simulateL1Schedule(program.l1Schedule(program.steps()), region, "failures");
  return { fits: timeline.placeable, events: spill.events, timeline };
}

/** The evictions of one program, which they change. */
class EvictionSpill {
  readonly events: SpillEvent[] = [];
  readonly #program: LayoutProgram;
  readonly #roles: OpRoles;
  /** Instances that were evicted, and reloads, which stay. */
  readonly #settled = new Set<number>();
  /** Keys ({@linkcode stepKey}) of steps for which no eviction is left. */
  readonly #accepted = new Set<number>();

  constructor(program: LayoutProgram, roles: OpRoles) {
    this.#program = program;
    this.#roles = roles;
  }

  /** Whether no eviction is left for a step, which then stays without room. */
  isAccepted(steps: readonly ProgramStep[], position: number): boolean {
    return this.#accepted.has(stepKey(steps, position));
  }

  /** Evicts one tensor for the first step that does not fit; `false` if nothing is left to do. */
  relieve(steps: readonly ProgramStep[], timeline: L1Timeline): boolean {
    for (const failure of timeline.failures) {
      if (this.isAccepted(steps, failure.position)) continue;
      const event = this.#evictFor(stepAt(steps, failure.position), failure, timeline);
      if (event === undefined) this.#accepted.add(stepKey(steps, failure.position));
      else this.events.push(event);
      return true;
    }
    return false;
  }

  #evictFor(step: ProgramStep, failure: L1Failure, timeline: L1Timeline): SpillEvent | undefined {
    const program = this.#program;
    const { fn } = program.evaluator;
    const op = opOf(program, step);
    const position = program.positionOf(op);
    const shortage = { failure, op, position };
    const victims = liveTensors(timeline, failure).filter(({ tensor }) => !this.#settled.has(tensor))
      .toSorted((a, b) => b.until - a.until);
    for (const victim of victims) {
      const resident = residentOf(program, victim);
      const isOwn = step.kind === "op"
        ? isMadeBy(program, resident, op) && resident.source === ITSELF
        : victim.tensor === fn.values.length + step.copy;
      if (isOwn) continue;
      this.#settled.add(victim.tensor);
      const description = this.#evict(resident, position);
      if (description === undefined) continue;
      return eventOf(program, shortage, { kind: "split", microseconds: 0, description }, resident);
    }
    if (step.kind !== "op" || !isOp(fn, op)) return undefined;
    const moves = new SpillMoves(program, this.#roles);
    const [result] = program.evaluator.op(op).results;
    const move = (result === undefined ? undefined : moves.demote(result, "dram", position)) ??
      moves.readDram(op);
    move?.apply();
    return move && eventOf(program, shortage, move);
  }

  /** Copies an instance to DRAM after its producer; `undefined` if that is impossible. */
  #evict({ value, source }: Resident, position: number): string | undefined {
    const program = this.#program;
    const { evaluator } = program;
    const { tensor } = evaluator.value(value);
    const layout = program.layoutOf(value, source);
    if (tensor === undefined || layout === undefined || this.#roles.pinned[value] === true) return undefined;
    if (source === ITSELF && evaluator.producer(value) === undefined) return undefined;
    const dram = evaluator.interleaved(tensor, layout, "dram");
    if (evaluator.copyMicroseconds(value, layout, dram) === Infinity) return undefined;
    const readers = readersOfInstance(program, value, source);
    if (readers.length === 0) return undefined;
    const before = this.#behind(value, source);
    const made = source !== ITSELF && program.layoutOf(value, copyAt(program, source).source) === dram
      ? copyAt(program, source).source
      : program.addCopy({ value, source, layout: dram, before, reason: "spill", note: "makes room in L1" });
    let reloads = 0;
    for (const reader of readers) {
      if (this.#readsDram(reader, position, { value, from: layout, to: dram })) {
        redirect(program, reader, made);
        continue;
      }
      const reload = program.addCopy({
        value,
        source: made,
        layout,
        before: program.placeAt(reader.position),
        reason: "reload",
        note: "needs it in L1",
      });
      this.#settled.add(program.instance(value, reload));
      redirect(program, reader, reload);
      reloads++;
    }
    return `copied to DRAM behind its op; ${
      readers.length - reloads
    } readers read DRAM, ${reloads} get a reload`;
  }

  /**
   * Whether a reader reads the evicted tensor from DRAM: copies do; so do ops at or after the failing
   * position that can.
   */
  #readsDram(reader: InstanceReader, position: number, change: Parameters<typeof readerCost>[2]): boolean {
    if (reader.kind !== "operand") return true;
    if (reader.position < position) return false;
    return readerCost(this.#program, this.#roles, change, reader, false).microseconds < Infinity;
  }

  /** The point directly after the producer of a value or of its copy. */
  #behind(value: Resident["value"], source: Source): SchedulePoint {
    const program = this.#program;
    return source === ITSELF ? program.behind(value) ?? returnPlace(program) : copyAt(program, source).before;
  }
}
