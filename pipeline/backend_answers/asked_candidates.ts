// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import type { Candidate, CandidateFilter } from "../../lib/opmodel/candidate_filter.ts";
import type { ConstraintsRequest } from "../op_model_pipe/request.ts";
import { candidateQuestion } from "./candidate_question.ts";
import { describeLayouts, describeResults } from "./compare_answer.ts";
import type { RecordedAnswer } from "./recorded_answer.ts";

/** What the backend says of a way to run an op. */
export type BackendVerdict =
  /** It runs: the layouts of its results in words, and the peak of L1 in bytes per core. */
  | { readonly layouts: string; readonly peak: number }
  /** It is refused, in ttnn's words. */
  | { readonly refusal: string }
  /** It cannot be asked: no call is written for the op, or ttnn has no such argument. */
  | { readonly unaskable: string };

/** The verdict of a whole answer. */
export function verdictOf(
  answer: RecordedAnswer | { readonly unaskable: string },
  { results }: ConstraintsRequest,
  chip: ChipDescription,
): BackendVerdict {
  if ("unaskable" in answer) return answer;
  if (!answer.ok) return { refusal: answer.reason };
  return {
    layouts: describeResults(answer.results.slice(0, results.length), chip),
    peak: answer.totalPeak,
  };
}

/** A question to ask, and the text that it is known by. */
export interface OpenQuestion {
  readonly key: string;
  readonly question: ConstraintsRequest;
}

/**
 * Takes the ways that the backend takes, as far as it was asked; what it was not asked yet is taken and noted down. A plan
 * of which nothing is open was decided by the backend: answers only ever forbid ways, so that asking about those that a
 * plan is made of, and deciding again where one of them is refused, ends with the plan that asking about all ways would
 * give, a hundredth of the questions asked. (An op model that waits for each answer would make every caller of it wait.)
 */
export class AskedCandidates implements CandidateFilter {
  readonly readsAsRule = true;
  readonly #known: (question: string) => BackendVerdict | undefined;
  readonly #open: Map<string, ConstraintsRequest> = new Map();
  readonly #refused: Map<string, { readonly op: string; readonly words: string }> = new Map();

  /** @param known the verdict about a question; `undefined` if it was never asked */
  constructor(known: (question: string) => BackendVerdict | undefined) {
    this.#known = known;
  }

  /** How many ways that were taken have no verdict yet. */
  get openCount(): number {
    return this.#open.size;
  }

  /**
   * The questions without a verdict about ways to run ops: with these layouts, whatever the config, so that the next best
   * configs are asked about as well. Where a search judged an op with other operands in their place ({@linkcode
   * readsAsRule}), those that give the same results are asked about.
   */
  openAbout(impls: readonly Candidate[]): readonly OpenQuestion[] {
    const byLayouts = Map.groupBy(this.#open, ([, question]) => layoutsKey(question));
    const byResults = Map.groupBy(this.#open, ([, question]) => resultsKey(question));
    const found = new Map<string, ConstraintsRequest>();
    for (const impl of impls) {
      const question = candidateQuestion(impl);
      if (question === undefined) continue;
      const same = byLayouts.get(layoutsKey(question)) ?? byResults.get(resultsKey(question)) ?? [];
      for (const [key, open] of same) found.set(key, open);
    }
    return [...found].map(([key, question]) => ({ key, question }));
  }

  /** Ways that the rule book takes and the backend does not. */
  get refused(): readonly { readonly op: string; readonly words: string }[] {
    return [...this.#refused.values()];
  }

  refusalOf(candidate: Candidate): string | undefined {
    const question = candidateQuestion(candidate);
    if (question === undefined) return undefined;
    const key = JSON.stringify(question);
    const verdict = this.#known(key);
    if (verdict === undefined) {
      this.#open.set(key, question);
      return undefined;
    }
    const words = refusalIn(verdict, candidate);
    if (words !== undefined) this.#refused.set(key, { op: candidate.op.name, words });
    return words;
  }
}

function layoutsKey({ op, operands, results }: ConstraintsRequest): string {
  return JSON.stringify([op, operands, results]);
}

function resultsKey({ op, operands, results }: ConstraintsRequest): string {
  const shapes = operands.map((operand) => "shape" in operand ? operand.shape : undefined);
  return JSON.stringify([op, shapes, results]);
}

function refusalIn(
  verdict: BackendVerdict,
  { outputs, chip, usableL1Bytes }: Candidate,
): string | undefined {
  if ("unaskable" in verdict) return undefined;
  if ("refusal" in verdict) return verdict.refusal;
  if (verdict.peak > usableL1Bytes) return `it takes ${verdict.peak} B of L1 per core, of ${usableL1Bytes}`;
  const ours = describeLayouts(outputs, chip);
  return outputs.length === 0 || verdict.layouts === ours
    ? undefined
    : `its result is ${verdict.layouts}, not ${ours}`;
}
