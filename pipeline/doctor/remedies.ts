// SPDX-License-Identifier: Apache-2.0
import { describeOpOf } from "../../lib/graph/describe_op.ts";
import type { FunctionPlan } from "../../lib/plan/plan.ts";
import { parseOpConfig } from "../../lib/op_config/parse.ts";
import { firstResult, opAt, type OpId, valueAt, type ValueId } from "../../lib/graph/graph.ts";
import { isSharded } from "../../lib/layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import { LayoutProgram } from "../../lib/search/layout_program.ts";
import { decisionFor, ITSELF } from "../../lib/search/program.ts";
import type { OutputChoice } from "../../lib/search/impls.ts";
import { applyRerouting } from "../../lib/improve/readers.ts";
import { rerouteResults } from "../../lib/improve/results.ts";
import { SpillMoves } from "../../lib/spill/moves.ts";
import type { ClashSite } from "./locate.ts";
import { type Patient, shortagesOf, simulateL1, usageOfOp } from "./patient.ts";

/** Kinds of changes that make room, for the clashes of tt-xla:l1-clashes. */
export type RoomChange =
  | "spill"
  | "make_in_dram"
  | "interleave"
  | "read_dram"
  | "config"
  | "grid"
  | "reorder"
  | "several";

/** A change that makes room for an op, after a trial: its effect on L1 and on the predicted time. */
export interface TriedRemedy {
  readonly kind: RoomChange;
  /** The remedy in one sentence, without a full stop. */
  readonly description: string;
  /** Tensor that moves, as the input spells it; `undefined` if none does. */
  readonly tensor: string | undefined;
  /** Whether the op then fits, by address. */
  readonly fixes: boolean;
  /** Bytes per core that it adds to the gap between circular buffers and tensors while the op runs. */
  readonly freedBytes: number;
  /**
   * Change of the predicted time in µs, by the prices of the search; `undefined` if one of the programs has
   * no price because an op in it does not run.
   */
  readonly deltaUs: number | undefined;
  /** Steps of the function that still do not fit. */
  readonly failuresLeft: number;
  /** The function's plan with the change. */
  readonly plan: () => FunctionPlan;
}

/** A change that has not been tried yet. */
interface RemedyTrial {
  readonly kind: RoomChange;
  readonly description: string;
  readonly tensor: string | undefined;
  readonly program: LayoutProgram;
}

/** Most other configs or grids of the op itself that are tried, cheapest first. */
const MOST_IMPLS_TRIED = 12;

/** Most changes that are combined if no single one is enough. */
const COMBINED = 4;

/**
 * Tries every change that could make room for an op and checks each with a replay of L1 and the cost model.
 * Sufficient changes come first, cheapest first; then the others, by freed bytes.
 */
export function remediesFor(site: ClashSite): readonly TriedRemedy[] {
  const trials = [...trialsOn(site, site.patient.program)];
  const helps = ({ freedBytes, fixes }: TriedRemedy): boolean =>
    freedBytes > 0 || (fixes && site.simulated !== undefined);
  const remedies = trials.map((trial) => replayed(site, trial)).filter(helps);
  if (!remedies.some((remedy) => remedy.fixes)) {
    const combined = combine(site);
    if (combined !== undefined && helps(combined)) remedies.push(combined);
  }
  const unique = new Map<string, TriedRemedy>();
  for (const remedy of remedies) {
    const key = `${remedy.kind}|${remedy.description}`;
    if (!unique.has(key)) unique.set(key, remedy);
  }
  return [...unique.values()].sort((a, b) =>
    Number(b.fixes) - Number(a.fixes) || (a.fixes ? orderOf(a) - orderOf(b) : b.freedBytes - a.freedBytes) ||
    (a.description < b.description ? -1 : 1)
  );
}

/** Sort key by the change of time: changes without a price come last. */
function orderOf({ deltaUs }: TriedRemedy): number {
  return deltaUs ?? Number.MAX_VALUE;
}

function* trialsOn(site: ClashSite, program: LayoutProgram): Generator<RemedyTrial> {
  yield* spillTrials(site, program);
  yield* implTrials(site, program);
  yield* reorderTrials(site);
}

/** Spills of the tensors in L1 while the op runs, its own operands and results included. */
function* spillTrials({ patient, op }: ClashSite, program: LayoutProgram): Generator<RemedyTrial> {
  const { fn, roles } = patient;
  const timeline = simulateL1(program, patient.region);
  const placements = usageOfOp(program, timeline, op)?.usage.placements ?? [];
  const position = program.positionOf(op);
  const values = new Set<ValueId>(placements.flatMap(({ tensor }) => sharers(patient, tensor)));
  for (const value of opAt(fn, op).results) values.add(value);
  const attempt = function* (
    kind: RoomChange,
    value: ValueId | undefined,
    move: (moves: SpillMoves) => ReturnType<SpillMoves["readDram"]>,
    words: (name: string, description: string) => string,
  ): Generator<RemedyTrial> {
    const trial = program.clone();
    const found = move(new SpillMoves(trial, roles));
    if (found === undefined) return;
    found.apply();
    const name = value === undefined ? "" : valueAt(fn, value).name;
    yield {
      kind,
      description: words(name, found.description),
      tensor: value === undefined ? undefined : name,
      program: trial,
    };
  };
  for (const value of [...values].sort((a, b) => a - b)) {
    yield* attempt(
      "spill",
      value,
      (moves) => moves.split(value, ITSELF, position),
      (name, description) => `spill ${name}: ${description}`,
    );
    yield* attempt(
      "make_in_dram",
      value,
      (moves) => moves.demote(value, "dram", position),
      (name, description) => `make ${name} in DRAM: ${description}`,
    );
    yield* attempt(
      "interleave",
      value,
      (moves) => moves.demote(value, "l1", position),
      (name, description) => `make ${name} L1 interleaved: ${description}`,
    );
  }
  yield* attempt(
    "read_dram",
    undefined,
    (moves) => moves.readDram(op),
    (_, description) => `run the op from DRAM to DRAM: it ${description}`,
  );
}

/** The values in an owner's buffer: itself and its views. */
function sharers({ fn, timeline }: Patient, owner: number): ValueId[] {
  if (owner < 0) return [];
  return fn.values.flatMap((value) => timeline.liveness.owner[value.id] === owner ? [value.id] : []);
}

/** Other implementations of the op itself: smaller blocks, another program config, another grid. */
function* implTrials({ patient, op }: ClashSite, program: LayoutProgram): Generator<RemedyTrial> {
  const { fn, roles } = patient;
  const { evaluator } = program;
  if (roles.decided[op] !== true) return;
  const present = decisionFor(program, op);
  const inputs = program.inputsOf(op);
  const graphOp = opAt(fn, op);
  const carried = parseOpConfig(graphOp.name, graphOp.attributes);
  const config = present.config ?? carried;
  const others = evaluator.impls(op, inputs)
    .map((impl) => ({ impl, microseconds: evaluator.runtime(op, inputs, impl) }))
    .sort((a, b) => a.microseconds - b.microseconds)
    .slice(0, MOST_IMPLS_TRIED);
  const leaner = evaluator.kept(op);
  for (
    const impl of [
      ...(leaner.config === undefined ? [] : [leaner]),
      ...others.map((other) => other.impl),
    ]
  ) {
    const sameLayouts = impl.outputs.every((layout, index) => layout === present.outputs[index]);
    const wanted = impl.config ?? carried;
    if (sameLayouts && sameConfig(wanted, config)) continue;
    // An interleaved result is tried as a spill.
    const isSpill = impl.outputs.some((layout, index) =>
      layout !== undefined && layout !== present.outputs[index] && !isSharded(evaluator.layouts.get(layout))
    );
    if (isSpill) continue;
    const trial = program.clone();
    if (!adopt(trial, patient, op, impl)) continue;
    const where = impl.outputs.flatMap((layout) =>
      layout === undefined ? [] : [describeLayout(evaluator.layouts.get(layout))]
    ).join(", ");
    const change = describeConfigChange(config, wanted);
    yield {
      kind: sameLayouts ? "config" : "grid",
      description: sameLayouts
        ? `another config: ${change === "" ? "left to the backend" : change}`
        : `result as ${where}${change === "" ? "" : `, ${change}`}`,
      tensor: sameLayouts ? undefined : firstResult(fn, graphOp)?.name,
      program: trial,
    };
  }
}

/** Gives the op other result layouts; its readers read these, or share a copy in the old layout. */
function adopt(program: LayoutProgram, { roles }: Patient, op: OpId, impl: OutputChoice): boolean {
  const reroutings = rerouteResults(program, roles, op, impl);
  if (reroutings === undefined || reroutings.some(({ value }) => roles.pinned[value] === true)) return false;
  program.setOutputs(op, impl, "tried by doctor", true);
  for (const each of reroutings) {
    applyRerouting(program, each, ITSELF, { reason: "reshard", note: "its readers keep their layout" });
  }
  return true;
}

/** Runs later readers of waiting tensors first, if their operands exist already. */
function* reorderTrials({ patient, op, usage }: ClashSite): Generator<RemedyTrial> {
  const { fn, program, assignment } = patient;
  const own = new Set<ValueId>(opAt(fn, op).operands);
  const position = program.positionOf(op);
  for (const { tensor } of usage.placements) {
    const value = fn.values[tensor];
    if (value === undefined || own.has(value.id) || value.returned > 0) continue;
    const later = value.uses.map((use) => use.op).filter((user) => program.positionOf(user) > position);
    const ready = later.length > 0 &&
      later.every((user) =>
        opAt(fn, user).operands.every((operand) => {
          const { definition } = valueAt(fn, operand);
          return definition.kind !== "result" || program.positionOf(definition.op) < position ||
            later.includes(definition.op);
        })
      );
    if (!ready) continue;
    const moved = new Set(later);
    const schedule = program.schedule.flatMap((id) => moved.has(id) ? [] : id === op ? [...later, op] : [id]);
    yield {
      kind: "reorder",
      description: `run ${later.map((id) => describeOpOf(fn, id)).join(", ")} first: ` +
        `${value.name} is freed by then`,
      tensor: value.name,
      program: LayoutProgram.fromAssignment(program.evaluator, assignment, schedule),
    };
  }
}

/** The effect of a change on L1 and on the predicted time, by replaying it. */
function replayed(site: ClashSite, { kind, description, tensor, program }: RemedyTrial): TriedRemedy {
  const { patient, op, neededBytes, simulated } = site;
  const timeline = simulateL1(program, patient.region);
  const after = usageOfOp(program, timeline, op);
  const failures = shortagesOf(timeline);
  const failsStill = failures.some(({ position }) => position === after?.position);
  const deltaUs = program.microseconds() - patient.program.microseconds();
  const freedBytes = after === undefined ? 0 : slack(after.usage) - slack(site.usage);
  // If only the device reported the clash, the distance between buffers and tensors must grow by the missing bytes.
  const isEnough = site.logged === undefined || simulated !== undefined ? true : freedBytes >= neededBytes;
  return {
    kind,
    description,
    tensor,
    fixes: after !== undefined && !failsStill && isEnough,
    freedBytes,
    deltaUs: Number.isFinite(deltaUs) ? deltaUs : undefined,
    failuresLeft: failures.length,
    plan: () => program.toPlan(),
  };
}

/** Bytes per core between circular buffers and the lowest tensor; negative where they overlap. */
function slack(usage: { readonly lowestTensor: number; readonly staticEnd: number }): number {
  return usage.lowestTensor - usage.staticEnd;
}

/** Up to {@linkcode COMBINED} changes that suffice together, each the one that frees most; `undefined` if they do not. */
function combine(site: ClashSite): TriedRemedy | undefined {
  let program = site.patient.program;
  const descriptions: string[] = [];
  for (let round = 0; round < COMBINED; round++) {
    let best: { trial: RemedyTrial; remedy: TriedRemedy } | undefined;
    for (const trial of [...spillTrials(site, program), ...implTrials(site, program)]) {
      const remedy = replayed(site, trial);
      const isBetter = best === undefined || Number(remedy.fixes) > Number(best.remedy.fixes) ||
        (remedy.fixes === best.remedy.fixes && remedy.freedBytes > best.remedy.freedBytes);
      if (isBetter) best = { trial, remedy };
    }
    if (best === undefined) return undefined;
    descriptions.push(best.trial.description);
    program = best.trial.program;
    if (best.remedy.fixes) {
      return {
        ...best.remedy,
        kind: "several",
        description: descriptions.join("; then "),
        tensor: undefined,
      };
    }
  }
  return undefined;
}

function sameConfig(a: OpSpecificAttributes | undefined, b: OpSpecificAttributes | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Differing fields as `name = value`; a new field that is off, zero or empty is left out. */
function describeConfigChange(
  from: OpSpecificAttributes | undefined,
  to: OpSpecificAttributes | undefined,
): string {
  const before = flatten(from);
  return [...flatten(to)].filter(([key, value]) =>
    before.get(key) !== value && (before.has(key) || !isOff(value))
  )
    .map(([key, value]) => `${snakeCase(key)} = ${value}`).join(", ");
}

function isOff(value: string): boolean {
  return value === "false" || value === "0" || value === "";
}

/** Fields by name, nested structs flattened; the kind of a struct is named by the struct itself. */
function flatten(value: OpSpecificAttributes | undefined): Map<string, string> {
  const flat = new Map<string, string>();
  const add = (struct: object, name: string | undefined): void => {
    for (const [key, part] of Object.entries(struct)) {
      if (typeof part === "object" && part !== null && !Array.isArray(part)) add(part, key);
      else if (key !== "kind") flat.set(key, Array.isArray(part) ? part.join("x") : String(part));
      else if (name !== undefined) flat.set(name, String(part));
    }
  };
  if (value !== undefined) add(value, undefined);
  return flat;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
