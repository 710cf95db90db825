// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { ConstraintsRequest } from "../op_model_pipe/request.ts";
import { byFigure, type Comparison, type Figure } from "./compare_answer.ts";
import type { RecordedRow } from "./recorded_answer.ts";

/** Number of equal answers among comparable ones. */
export interface Share {
  readonly equal: number;
  readonly of: number;
}

/** Agreement of the rule book with the backend in one family of ops, or in all. */
export interface Agreement {
  /** As `familyOf` names it. */
  readonly family: string;
  readonly questions: number;
  /** Queries that both accept or both refuse. */
  readonly valid: Share;
  /** Queries that the rule book accepts and the backend refuses. */
  readonly falseAccepts: number;
  /** Equal figures of queries that both accept. */
  readonly figures: Readonly<Record<Figure, Share>>;
}

/** A figure of a query on which they differ; a query may have several. */
export interface AnswerMiss {
  readonly family: string;
  readonly row: RecordedRow;
  /** `valid`, or the figure that differs. */
  readonly figure: "valid" | Figure;
  readonly backend: string;
  readonly ours: string;
  /** Why one of them refuses, for `valid`. */
  readonly reason: string | undefined;
}

/** A question with both answers to it. */
interface ComparedRow {
  readonly family: string;
  readonly row: RecordedRow;
  readonly judgement: Comparison;
}

/** Counts comparisons by family. */
export class AgreementTally {
  readonly #compared: ComparedRow[] = [];

  add(row: RecordedRow, judgement: Comparison): void {
    this.#compared.push({ family: familyOf(row.question), row, judgement });
  }

  /** Agreement of every family, by name. */
  families(): readonly Agreement[] {
    const byFamily = Map.groupBy(this.#compared, ({ family }) => family);
    return [...byFamily.keys()].toSorted().map((family) => agreementOf(family, byFamily.get(family) ?? []));
  }

  total(): Agreement {
    return agreementOf("total", this.#compared);
  }

  /** In the order of the rows. */
  get misses(): readonly AnswerMiss[] {
    return this.#compared.flatMap(missesOf);
  }
}

function agreementOf(family: string, rows: readonly ComparedRow[]): Agreement {
  const judgements = rows.map(({ judgement }) => judgement);
  const compared = Map.groupBy(judgements.flatMap((each) => each.compared), ({ figure }) => figure);
  return {
    family,
    questions: rows.length,
    valid: shareOf(judgements, ({ backendAccepts, oursAccepts }) => backendAccepts === oursAccepts),
    falseAccepts:
      shareOf(judgements, ({ backendAccepts, oursAccepts }) => oursAccepts && !backendAccepts).equal,
    figures: byFigure((figure) =>
      shareOf(compared.get(figure) ?? [], ({ backend, ours }) => backend === ours)
    ),
  };
}

function shareOf<Item>(items: readonly Item[], isEqual: (item: Item) => boolean): Share {
  return { equal: items.filter(isEqual).length, of: items.length };
}

function missesOf({ family, row, judgement }: ComparedRow): readonly AnswerMiss[] {
  const { backendAccepts, oursAccepts, reason, compared } = judgement;
  const verdict = (accepts: boolean): string => accepts ? "accepts" : "refuses";
  const answers = [
    { figure: "valid" as const, backend: verdict(backendAccepts), ours: verdict(oursAccepts), reason },
    ...compared.map((each) => ({ ...each, reason: undefined })),
  ];
  return answers.filter(({ backend, ours }) => backend !== ours).map((missed) => ({
    family,
    row,
    ...missed,
  }));
}

/** Names of matmul program configs, each with its part of a family's name. */
const PROGRAM_CONFIGS: readonly (readonly [part: string, name: string])[] = [
  ["dram_sharded_program_config", "dram_sharded"],
  ["multi_cast_1d_program_config", "1d"],
  ["multi_cast_program_config", "2d"],
  ["reuse_program_config", "reuse"],
];

/**
 * The family that an answer counts for: the op's rule, and for matmuls the kind of program config, because
 * each kind has its own checks.
 */
export function familyOf(
  { op, attrs, opConfig }: Pick<ConstraintsRequest, "op" | "attrs" | "opConfig">,
): string {
  const { family } = definitionOf(op);
  if (family !== "matmul") return family;
  const config = opConfig["matmulProgramConfig"] ?? attrs["matmul_program_config"] ?? "";
  const kind = PROGRAM_CONFIGS.find(([part]) => config.includes(part))?.[1] ?? "auto";
  return `${op.replace("ttnn.", "")}_${kind}`;
}
