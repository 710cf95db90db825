// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import type { Candidate, CandidateFilter } from "../../lib/opmodel/candidate_filter.ts";
import type { ConstraintsRequest } from "../op_model_pipe/request.ts";
import { candidateQuestion } from "./candidate_question.ts";
import { describeLayouts, describeResults } from "./compare_answer.ts";
import type { RecordedAnswer } from "./recorded_answer.ts";

/** The backend's verdict on a candidate. */
export type BackendVerdict =
  /** It runs: the result layouts in words, and the L1 peak in bytes per core. */
  | { readonly layouts: string; readonly peak: number }
  /** It is refused, with ttnn's message. */
  | { readonly refusal: string }
  /** It cannot be queried: the op has no Python call, or ttnn lacks an argument. */
  | { readonly unaskable: string };

/** The verdict that an answer gives on the results that its question declares. */
export function verdictOf(
  answer: RecordedAnswer | { readonly unaskable: string },
  { results }: ConstraintsRequest,
  chip: ChipDescription,
): BackendVerdict {
  if ("unaskable" in answer) return answer;
  if (!answer.ok) return { refusal: answer.reason };
  const { totalPeak: peak, results: made } = answer;
  if (peak === undefined || made === undefined) {
    return { unaskable: "the recording lacks its peak or results" };
  }
  return { layouts: describeResults(made.slice(0, results.length), chip), peak };
}

/** A query to make, with its text as the key. */
export interface OpenQuestion {
  readonly key: string;
  readonly question: ConstraintsRequest;
}

/** A candidate that the rule book accepts and the backend refuses, in the backend's words. */
export interface RefusedCandidate {
  readonly op: string;
  readonly words: string;
  readonly question: ConstraintsRequest;
}

/**
 * A filter that accepts a candidate unless the backend is known to refuse it, and records accepted candidates
 * without a verdict. A plan without open candidates was decided by the backend. Verdicts only forbid
 * candidates; so querying a plan's candidates, and deciding again if one is refused, ends with the same plan
 * as querying all candidates, with 1/100 of the queries. (Rejected: an op model that waits for each answer,
 * which would make all of its callers asynchronous.)
 */
export class AskedCandidates implements CandidateFilter {
  readonly readsAsRule = true;
  readonly #known: (question: string) => BackendVerdict | undefined;
  readonly #open: Map<string, ConstraintsRequest> = new Map();
  readonly #refused: Map<string, RefusedCandidate> = new Map();

  /** @param known the verdict on a question; `undefined` if it was never asked */
  constructor(known: (question: string) => BackendVerdict | undefined) {
    this.#known = known;
  }

  /** Number of accepted candidates without a verdict. */
  get openCount(): number {
    return this.#open.size;
  }

  /**
   * The open questions about candidates: with the same layouts and every config that was tried, so that the next
   * best configs are queried as well; where none has the same layouts, because the answer for operands that read
   * equally was reused ({@linkcode readsAsRule}), those with the same operand shapes and result layouts. With them
   * come as many other open questions about the same op as were refused so far: an op with n refused candidates
   * takes O(log n) searches, not n.
   */
  openAbout(impls: readonly Candidate[]): readonly OpenQuestion[] {
    const byLayouts = Map.groupBy(this.#open, ([, question]) => layoutsKey(question));
    const byResults = Map.groupBy(this.#open, ([, question]) => resultsKey(question));
    const byOp = Map.groupBy(this.#open, ([, question]) => opKey(question));
    const refusedByOp = Map.groupBy(this.#refused.values(), ({ question }) => opKey(question));
    const found = new Map<string, ConstraintsRequest>();
    for (const impl of impls) {
      const question = candidateQuestion(impl);
      if (question === undefined) continue;
      const same = byLayouts.get(layoutsKey(question)) ?? byResults.get(resultsKey(question)) ?? [];
      const refused = refusedByOp.get(opKey(question))?.length ?? 0;
      // None of the plan's own is open if all of them have verdicts: then nothing of this op is asked.
      const others = same.length === 0 ? [] : (byOp.get(opKey(question)) ?? []).slice(0, refused);
      for (const [key, open] of [...same, ...others]) found.set(key, open);
    }
    return [...found].map(([key, question]) => ({ key, question }));
  }

  /** Candidates that the rule book accepts and the backend refuses. */
  get refused(): readonly RefusedCandidate[] {
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
    if (words !== undefined) this.#refused.set(key, { op: candidate.op.name, words, question });
    return words;
  }
}

function layoutsKey({ op, operands, results }: ConstraintsRequest): string {
  return JSON.stringify([op, operands, results]);
}

function resultsKey(question: ConstraintsRequest): string {
  return JSON.stringify([opKey(question), question.results]);
}

/** The op and the shapes of its operands. */
function opKey({ op, operands }: ConstraintsRequest): string {
  return JSON.stringify([op, operands.map((operand) => "shape" in operand ? operand.shape : undefined)]);
}

function refusalIn(verdict: BackendVerdict, { outputs, chip, usableL1Bytes }: Candidate): string | undefined {
  if ("unaskable" in verdict) return undefined;
  if ("refusal" in verdict) return verdict.refusal;
  if (verdict.peak > usableL1Bytes) return `it takes ${verdict.peak} B of L1 per core, of ${usableL1Bytes}`;
  const ours = describeLayouts(outputs, chip);
  return outputs.length === 0 || verdict.layouts === ours
    ? undefined
    : `its result is ${verdict.layouts}, not ${ours}`;
}
