// SPDX-License-Identifier: Apache-2.0
import { ADDRESS_ROUNDS, SPILL_STATES } from "../search/limits.ts";
import { type InstanceReader, readersOfInstance, redirect, serve } from "../improve/readers.ts";
import { type L1Timeline, simulateL1Schedule } from "../memory/l1_timeline.ts";
import type { L1Region, L1Step } from "../memory/l1_schedule.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { isWideJoin } from "../search/joins.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { solveByDynamicProgramming } from "./exact_dynamic.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF, type ProgramStep, type Source } from "../search/program.ts";
import { implWith } from "./moves.ts";
import type { SpillChoice, SpillProblem, SpillTensor } from "./spill_problem.ts";
import { returnPlace, type SchedulePoint, type ValueId } from "../graph/graph.ts";

export interface ExactSpillResult {
  /** Least µs that any choice of residencies adds, with layouts and schedule fixed; 0 if unknown. */
  readonly bound: number;
  /** µs that the choice adds. */
  readonly cost: number;
  /**
   * How it was found. `none`: the program is unchanged, because no choice is possible, the states exceed their limit,
   * or no choice of {@linkcode ADDRESS_ROUNDS} rounds fits by address.
   */
  readonly method: "nothing_to_do" | "dynamic_programming" | "none";
}

/** A tensor of the problem, with its instance in the program. */
interface SpillInstance {
  readonly value: ValueId;
  readonly source: Source;
  readonly layout: LayoutId;
  readonly dram: LayoutId;
  /** Per use of the problem's tensor: its readers. */
  readonly readers: readonly (readonly InstanceReader[])[];
  readonly tensor: SpillTensor;
}

/**
 * Exact pass 2: chooses the residency of every tensor between its uses with least predicted cost within the
 * L1 budget; layouts and schedule are fixed. It optimizes byte sums; if a step then fails by address, its
 * capacity is lowered and the choice repeated. Tensors that share a buffer (views) do not move.
 */
export function spillExactly(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
): ExactSpillResult {
  const steps = program.steps();
  const timeline = simulateL1Schedule(program.l1Schedule(steps), region);
  if (timeline.withinBudget) return { bound: 0, cost: 0, method: "nothing_to_do" };
  const candidates = collectCandidates(program, roles, region, steps, timeline);
  const capacity = capacities(program, region, steps, timeline, candidates);
  const problem: SpillProblem = { capacity, tensors: candidates.map((candidate) => candidate.tensor) };
  const faults = program.faults(roles);
  let bound: number | undefined;
  for (let round = 0; round < ADDRESS_ROUNDS; round++) {
    const { work } = program.evaluator;
    const choice = solveByDynamicProgramming(
      problem,
      SPILL_STATES,
      (count) => work.charge("spillState", count),
    );
    if (choice === undefined || choice.cost === Infinity) break;
    bound ??= choice.cost;
    const trial = program.clone();
    applyChoice(trial, candidates, choice);
    if (trial.faults(roles) > faults) break;
    const trialSteps = trial.steps();
    const { failures: [failure] } = simulateL1Schedule(trial.l1Schedule(trialSteps), region, "failures");
    if (failure === undefined) {
      program.assign(trial);
      return { bound, cost: choice.cost, method: "dynamic_programming" };
    }
    const step = steps.findIndex((candidate) => sameStep(candidate, trialSteps[failure.position]));
    if (step < 0) break;
    capacity[step] = (capacity[step] ?? 0) - failure.shortBytes;
  }
  return { bound: bound ?? 0, cost: 0, method: "none" };
}

function sameStep(a: ProgramStep, b: ProgramStep | undefined): boolean {
  if (b === undefined || a.kind !== b.kind) return false;
  return a.kind === "op" ? b.kind === "op" && a.op === b.op : b.kind === "copy" && a.copy === b.copy;
}

/** Tensors in L1 that may move: produced by the program, not sharing a buffer, read only by ops and copies. */
function collectCandidates(
  program: LayoutProgram,
  roles: OpRoles,
  region: L1Region,
  steps: readonly ProgramStep[],
  timeline: L1Timeline,
): readonly SpillInstance[] {
  const { fn } = program.evaluator;
  const shared = new Set<number>();
  timeline.liveness.owner.forEach((owner, tensor) => {
    if (owner !== tensor) shared.add(owner).add(tensor);
  });
  const at = positionsOf(steps);
  const survey = { program, roles, region, at };
  const candidates: SpillInstance[] = [];
  const consider = (value: ValueId, source: Source, definedAt: number | undefined): void => {
    if (definedAt === undefined || shared.has(program.instance(value, source))) return;
    if (roles.pinned[value] === true) return;
    const candidate = describeTensor(survey, value, source, definedAt);
    if (candidate !== undefined) candidates.push(candidate);
  };
  for (const op of fn.ops) {
    for (const value of op.results) consider(value, ITSELF, at.op.get(op.id));
  }
  program.copies.forEach((copy, index) => consider(copy.value, index, at.copy.get(index)));
  return candidates;
}

/** Positions of ops and copies in execution order. */
interface StepPositions {
  readonly op: ReadonlyMap<number, number>;
  readonly copy: ReadonlyMap<number, number>;
}

function positionsOf(steps: readonly ProgramStep[]): StepPositions {
  const op = new Map<number, number>();
  const copy = new Map<number, number>();
  steps.forEach((step, index) => {
    if (step.kind === "op") op.set(step.op, index);
    else copy.set(step.copy, index);
  });
  return { op, copy };
}

/** Positions and readers of the tensors that may move. */
interface Survey {
  readonly program: LayoutProgram;
  readonly roles: OpRoles;
  readonly region: L1Region;
  readonly at: StepPositions;
}

function describeTensor(
  survey: Survey,
  value: ValueId,
  source: Source,
  definedAt: number,
): SpillInstance | undefined {
  const { program, region, at } = survey;
  const { evaluator } = program;
  const { tensor } = evaluator.value(value);
  const layout = program.layoutOf(value, source);
  if (tensor === undefined || layout === undefined || !evaluator.facts(layout).isL1) return undefined;
  const dram = evaluator.interleaved(tensor, layout, "dram");
  const groups = new Map<number, InstanceReader[]>();
  for (const reader of readersOfInstance(program, value, source)) {
    if (reader.kind === "result") return undefined;
    const step = reader.kind === "operand" ? at.op.get(reader.op) : at.copy.get(reader.copy);
    if (step === undefined) continue;
    groups.getOrInsertComputed(step, () => []).push(reader);
  }
  const uses = [...groups].sort(([a], [b]) => a - b);
  if (uses.length === 0) return undefined;
  const inDram = source !== ITSELF && program.layoutOf(value, ITSELF) === dram;
  return {
    value,
    source,
    layout,
    dram,
    readers: uses.map(([, readers]) => readers),
    tensor: {
      bytes: Math.ceil(evaluator.facts(layout).l1Bytes / region.alignment) * region.alignment,
      definedAt,
      uses: uses.map(([step, readers]) => {
        const [directCost, directBytes] = fromDram(survey, value, readers, layout, dram);
        return { step, directCost, directBytes };
      }),
      storeCost: inDram ? 0 : evaluator.copyMicroseconds(value, layout, dram),
      ...describeDefinition(survey, value, source, dram),
      reloadCost: evaluator.copyMicroseconds(value, dram, layout),
    },
  };
}

/** Peak bytes of a step besides its results; 0 if unknown. */
function ownPeakOf({ ownPeakBytes = 0, defines }: L1Step): number {
  if (ownPeakBytes === Infinity) return 0;
  return defines.reduce(
    (bytes, { l1Bytes, aliasOf }) => aliasOf === undefined ? bytes - l1Bytes : bytes,
    ownPeakBytes,
  );
}

/** Extra µs and circular-buffer bytes for reading a value from DRAM instead of its present layout. */
function fromDram(
  { program, roles }: Survey,
  value: ValueId,
  readers: readonly InstanceReader[],
  from: LayoutId,
  dram: LayoutId,
): readonly [cost: number, bytes: number] {
  const change = { value, from, to: dram };
  const cost = readers.reduce(
    (sum, reader) => sum + serve(program, roles, change, reader, false).microseconds,
    0,
  );
  return [Math.max(0, cost), extraBuffers(program, readers, dram)];
}

function extraBuffers(program: LayoutProgram, readers: readonly InstanceReader[], layout: LayoutId): number {
  const [first] = readers;
  if (first?.kind !== "operand") return 0;
  // The buffers of a join hold pages, whatever memory its operands lie in.
  if (isWideJoin(program.evaluator, first.op)) return 0;
  const decision = decisionFor(program, first.op);
  const moved = new Set(readers.flatMap((reader) => reader.kind === "operand" ? [reader.operand] : []));
  const inputs = program.inputsOf(first.op);
  const changed = inputs.map((present, operand) => moved.has(operand) ? layout : present);
  const { evaluator } = program;
  return evaluator.footprint(first.op, changed, decision).circularBufferBytes -
    evaluator.footprint(first.op, inputs, decision).circularBufferBytes;
}

function describeDefinition(
  { program }: Survey,
  value: ValueId,
  source: Source,
  dram: LayoutId,
): Pick<SpillTensor, "inDramCost" | "inDramBytes"> {
  const { definition } = program.evaluator.value(value);
  if (source !== ITSELF || definition.kind !== "result") return { inDramCost: Infinity, inDramBytes: 0 };
  const { op, index } = definition;
  const impl = implWith(program, op, index, dram);
  if (impl === undefined) return { inDramCost: Infinity, inDramBytes: 0 };
  const decision = decisionFor(program, op);
  const inputs = program.inputsOf(op);
  const { evaluator } = program;
  return {
    inDramCost: Math.max(0, impl.microseconds - program.opMicroseconds(op)),
    inDramBytes: evaluator.footprint(op, inputs, impl).circularBufferBytes -
      evaluator.footprint(op, inputs, decision).circularBufferBytes,
  };
}

/**
 * L1 capacity per step for the candidates: the budget minus circular buffers, intermediates and tensors that
 * stay.
 */
function capacities(
  program: LayoutProgram,
  region: L1Region,
  steps: readonly ProgramStep[],
  timeline: L1Timeline,
  candidates: readonly SpillInstance[],
): number[] {
  const schedule = program.l1Schedule(steps);
  const movable = new Set(candidates.map(({ value, source }) => program.instance(value, source)));
  const aligned = (bytes: number): number => Math.ceil(bytes / region.alignment) * region.alignment;
  const capacity = schedule.steps.map((step) =>
    region.budget - aligned(Math.max(step.circularBufferBytes, ownPeakOf(step)))
  );
  const take = (tensor: number, bytes: number, from: number): void => {
    const { owner, bufferEnd } = timeline.liveness;
    if (bytes === 0 || movable.has(tensor) || owner[tensor] !== tensor) return;
    for (let step = from; step <= Math.min(bufferEnd[tensor] ?? -1, capacity.length - 1); step++) {
      capacity[step] = (capacity[step] ?? 0) - aligned(bytes);
    }
  };
  for (const { tensor, l1Bytes } of schedule.liveIn) take(tensor, l1Bytes, 0);
  schedule.steps.forEach((step, position) => {
    for (const { tensor, l1Bytes } of step.defines) take(tensor, l1Bytes, position);
  });
  // If no tensor is in L1, the budget does not apply: circular buffers may use the whole chip.
  return capacity.map((bytes) => Math.max(0, bytes));
}

/** Applies a choice: production in DRAM, one store per tensor, one reload per return to L1. */
function applyChoice(
  program: LayoutProgram,
  candidates: readonly SpillInstance[],
  choice: SpillChoice,
): void {
  candidates.forEach((candidate, index) => {
    const residency = choice.tensors[index];
    if (residency === undefined) {
      throw new RangeError(`Cannot move tensor ${index}: the solution has no such tensor`);
    }
    const { value, source, dram, layout, readers } = candidate;
    if (!residency.inDram && residency.resident.every(Boolean)) return;
    let base: Source | undefined;
    if (residency.inDram && produceInDram(program, candidate)) {
      base = ITSELF;
    } else if (source !== ITSELF && program.layoutOf(value, ITSELF) === dram) {
      base = ITSELF;
    }
    let present: Source = source;
    readers.forEach((group, use) => {
      const [first] = group;
      if (first === undefined) return;
      if (residency.resident[use] !== true) {
        base ??= program.addCopy({
          value,
          source,
          layout: dram,
          before: storePlace(program, candidate, use),
          reason: "spill",
          note: "exact spill",
        });
        present = residency.fromL1[use] === true
          ? program.addCopy({
            value,
            source: base,
            layout,
            before: placeOf(program, first),
            reason: "reload",
            note: "exact spill",
          })
          : base;
      }
      for (const reader of group) redirect(program, reader, present);
    });
  });
}

/**
 * Makes an op produce a value in DRAM; `false` if it no longer can, because its operands may have left L1
 * since pricing.
 */
function produceInDram(program: LayoutProgram, { value, dram }: SpillInstance): boolean {
  const { definition } = program.evaluator.value(value);
  const impl = definition.kind === "result"
    ? implWith(program, definition.op, definition.index, dram)
    : undefined;
  if (definition.kind !== "result" || impl === undefined) return false;
  program.setOutputs(
    definition.op,
    impl,
    `exact spill: result ${definition.index} is produced in DRAM`,
    true,
  );
  return true;
}

/** The op before which a copy for a reader is made. */
function placeOf(program: LayoutProgram, reader: InstanceReader): SchedulePoint {
  if (reader.kind === "operand") return reader.op;
  if (reader.kind === "copy") return copyAt(program, reader.copy).before;
  return returnPlace(program);
}

/** The point directly after the event that precedes a use, as the op that follows the event. */
function storePlace(
  program: LayoutProgram,
  { value, source, readers }: SpillInstance,
  use: number,
): SchedulePoint {
  const [previous] = readers[use - 1] ?? [];
  const copy = source === ITSELF ? undefined : copyAt(program, source);
  const event = previous !== undefined
    ? placeOf(program, previous)
    : copy !== undefined
    ? copy.before
    : program.evaluator.producer(value) ?? returnPlace(program);
  // A copy that is read or made before an op can leave L1 before that same op.
  const madeBefore = previous === undefined ? copy !== undefined : previous.kind === "copy";
  if (madeBefore) return event;
  return program.schedule[program.positionOf(event) + 1] ?? returnPlace(program);
}
