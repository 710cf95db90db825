// SPDX-License-Identifier: Apache-2.0
import { describeOp } from "../../lib/graph/describe_op.ts";
import type { CircularBuffer } from "../../lib/programs/circular_buffer.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import { SCORE_KEYS, type ScoreName } from "../../lib/propagation/layout_score.ts";
import type {
  BeamTrace,
  DecisionTrace,
  ForkTrace,
  OpTrace,
  SpillTrace,
} from "../../lib/propagation/decision_trace.ts";

/** A candidate and why it was or was not chosen. */
export interface StoryCandidate extends BeamTrace {
  readonly isChosen: boolean;
  /** Why it loses against the chosen one, and how it would win; `undefined` for the chosen one, or if none is. */
  readonly against: string | undefined;
}

/** A copy that an op reads, or a copy of its result. */
export interface StoryReshard {
  readonly direction: "in" | "out";
  readonly operand: number;
  /** The op at the other end: `ttnn.add (op 3)`. */
  readonly other: string;
  readonly layout: string;
}

/** A launch of a device program; legality and the simulator use the same one. */
export interface StoryProgram {
  readonly kind: DeviceProgram["kind"];
  readonly cores: number;
  /** Bytes per core. */
  readonly circularBuffers: readonly CircularBuffer[];
}

/** Everything that is known about the decision for one op. */
export interface OpStory
  extends
    Pick<DecisionTrace, "source" | "function" | "policy" | "origin">,
    Omit<OpTrace, "value" | "beam" | "finalLayouts" | "isAlone"> {
  readonly layouts: readonly string[];
  /**
   * Best first; without candidates from a search, the chosen one and the op's alternatives with the rest of
   * the plan unchanged.
   */
  readonly candidates: readonly StoryCandidate[];
  /** Whether the candidates are priced with the rest of the plan unchanged, because no search recorded any. */
  readonly alone: boolean;
  readonly fork: ForkTrace | undefined;
  readonly reshards: readonly StoryReshard[];
  /** Events of pass 2 at this op, or about its results. */
  readonly spills: readonly Omit<SpillTrace, "pressure" | "usedBytes">[];
  /** Device programs of the op, in order; empty for views, and if only a trace is known. */
  readonly programs: readonly StoryProgram[];
  /** For results in DRAM: the reasons for it. */
  readonly whyNotL1: readonly string[];
}

/** The ops that match an id, an SSA name, a location or a part of one, or an op name. */
export function findOps(view: DecisionTrace, wanted: string): readonly OpTrace[] {
  if (/^\d+$/.test(wanted)) return view.ops.filter((op) => op.op === Number(wanted));
  const tests: readonly ((op: OpTrace) => boolean)[] = [
    (op) => op.value === wanted || op.value === `%${wanted}`,
    (op) => op.location === wanted || op.location.includes(`"${wanted}"`),
    (op) => op.name === wanted || op.name === `ttnn.${wanted}`,
    (op) => wanted !== "" && op.location.includes(wanted),
  ];
  for (const test of tests) {
    const found = view.ops.filter(test);
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * Collects the story of one op.
 *
 * @param programs device programs of the op as it was decided
 */
export function storyOf(view: DecisionTrace, op: OpTrace, programs: readonly DeviceProgram[] = []): OpStory {
  const nameOf = (id: number): string => {
    const other = view.ops.find((candidate) => candidate.op === id);
    return describeOp(other?.name ?? "op", id);
  };
  const fork = view.forks.find((candidate) => candidate.op === op.op);
  const candidates = candidatesOf(op, fork, view.score);
  const reshards = view.edges.flatMap((edge): StoryReshard[] => {
    if (edge.reshard === undefined) return [];
    const { operand, reshard: layout } = edge;
    if (edge.consumer === op.op) return [{ direction: "in", operand, other: nameOf(edge.producer), layout }];
    return edge.producer === op.op
      ? [{ direction: "out", operand, other: nameOf(edge.consumer), layout }]
      : [];
  });
  const spills = view.spills.filter((spill) =>
    spill.op === op.op || (op.value !== undefined && spill.victim === op.value) ||
    (view.source === "tt-mlir" && spill.victim !== undefined && op.location.includes(spill.victim))
  );
  return {
    source: view.source,
    function: view.function,
    policy: view.policy,
    origin: view.origin,
    op: op.op,
    name: op.name,
    location: op.location,
    layouts: op.finalLayouts,
    decided: op.decided,
    operands: op.operands,
    candidates,
    alone: op.isAlone === true,
    rejections: op.rejections,
    notAsked: op.notAsked,
    usedFallback: op.usedFallback,
    fork,
    reshards,
    spills: spills.map(({ pressure: _pressure, usedBytes: _usedBytes, ...spill }) => spill),
    reasons: op.reasons,
    programs: programs.map(({ kind, cores, circularBuffers }) => ({ kind, cores, circularBuffers })),
    whyNotL1: whyNotL1(op, candidates, spills),
  };
}

function candidatesOf(
  op: OpTrace,
  fork: ForkTrace | undefined,
  score: ScoreName | undefined,
): readonly StoryCandidate[] {
  const final = op.finalLayouts[0];
  const ordered = [...op.beam].sort((a, b) => a.rank - b.rank);
  const chosen = op.isAlone === true
    ? ordered[0]
    : ordered.find((candidate) => candidate.rank === fork?.chosenSlot && candidate.output === final) ??
      ordered.find((candidate) => candidate.output === final);
  return ordered.map((candidate) => ({
    ...candidate,
    isChosen: candidate === chosen,
    against: chosen === undefined || candidate === chosen
      ? undefined
      : op.isAlone === true
      ? compareAlone(candidate, chosen)
      : compare(candidate, chosen, score),
  }));
}

/** Compares two implementations of an op with the rest of the plan unchanged. */
function compareAlone(candidate: BeamTrace, chosen: BeamTrace): string {
  if (candidate.microseconds === undefined || chosen.microseconds === undefined) return "time unknown";
  const extra = candidate.microseconds - chosen.microseconds;
  if (extra === 0) return "takes the same time with the rest of the plan unchanged";
  return extra > 0
    ? `${extra.toFixed(2)} µs more`
    : `${
      (-extra).toFixed(2)
    } µs less for this op alone: ruled out by L1 or by copies for other ops, or not explored`;
}

function compare(candidate: BeamTrace, chosen: BeamTrace, score: ScoreName | undefined): string {
  if (score === "runtime" && candidate.microseconds !== undefined && chosen.microseconds !== undefined) {
    const extra = candidate.microseconds - chosen.microseconds;
    if (extra > 0) {
      const share = chosen.microseconds === 0 ? "" : ` (${(extra / chosen.microseconds * 100).toFixed(1)} %)`;
      return `${extra.toFixed(2)} µs more up to this op; wins if it gets that much${share} faster`;
    }
    if (extra < 0) {
      return `${(-extra).toFixed(2)} µs less up to this op, but more for the ops after it (readers, L1)`;
    }
  }
  for (const { part, better, words } of SCORE_KEYS[score ?? "local"]) {
    const mine = Number(candidate.score[part] ?? NaN);
    const theirs = Number(chosen.score[part] ?? NaN);
    if (Number.isNaN(mine) || Number.isNaN(theirs) || mine === theirs) continue;
    const loses = better === "higher" ? mine < theirs : mine > theirs;
    const values = typeof candidate.score[part] === "boolean" ? "" : ` (${show(mine)} vs. ${show(theirs)})`;
    return loses
      ? `the chosen candidate has ${words}${values}`
      : `has ${words}${values}, but the chosen candidate suits its readers better`;
  }
  return "ties with the chosen candidate; the first one wins";
}

function show(value: number): string {
  if (!Number.isFinite(value)) return "no limit";
  return Number.isInteger(value) ? value.toLocaleString("en-US") : value.toFixed(2);
}

function whyNotL1(
  op: OpTrace,
  candidates: readonly StoryCandidate[],
  spills: readonly SpillTrace[],
): readonly string[] {
  const final = op.finalLayouts[0] ?? "";
  if (!final.startsWith("dram")) return [];
  const sentences: string[] = [];
  const inL1 = candidates.filter((candidate) => candidate.output.startsWith("l1"));
  for (const candidate of inL1.slice(0, 2)) {
    sentences.push(
      `${candidate.output} was possible, rank ${candidate.rank}` +
        (candidate.against === undefined ? "" : `: ${candidate.against}`),
    );
  }
  for (const spill of spills) {
    if (spill.victim === op.value || op.value === undefined) sentences.push(`pass 2: ${spill.description}`);
  }
  if (inL1.length === 0) {
    const refused = op.rejections.filter(({ output }) => output === undefined || output.startsWith("l1"));
    for (const { reason, count } of refused.slice(0, 3)) {
      sentences.push(`refused${count === 1 ? "" : ` ${count} times`}: ${reason}`);
    }
    if (refused.length === 0 && op.decided && candidates.length > 0) {
      sentences.push("no candidate for its operands gives a result in L1");
    }
  }
  if (!op.decided) sentences.push("the policy does not decide its layouts: they stay as in the input");
  return sentences;
}
