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

interface Counts {
  questions: number;
  valid: number;
  falseAccepts: number;
  figures: Map<Figure, { equal: number; of: number }>;
}

/** Counts comparisons by family. */
export class AgreementTally {
  readonly #families = new Map<string, Counts>();
  readonly #misses: AnswerMiss[] = [];

  add(row: RecordedRow, judgement: Comparison): void {
    const family = familyOf(row.question);
    const counts = this.#families.get(family) ??
      { questions: 0, valid: 0, falseAccepts: 0, figures: new Map() };
    this.#families.set(family, counts);
    counts.questions++;
    const { backendAccepts, oursAccepts, reason } = judgement;
    if (backendAccepts === oursAccepts) counts.valid++;
    else {
      if (oursAccepts) counts.falseAccepts++;
      this.#misses.push({
        family,
        row,
        figure: "valid",
        backend: backendAccepts ? "accepts" : "refuses",
        ours: oursAccepts ? "accepts" : "refuses",
        reason,
      });
    }
    for (const { figure, backend, ours } of judgement.compared) {
      const share = counts.figures.getOrInsert(figure, { equal: 0, of: 0 });
      share.of++;
      if (backend === ours) share.equal++;
      else this.#misses.push({ family, row, figure, backend, ours, reason: undefined });
    }
  }

  /** Agreement of every family, by name. */
  families(): readonly Agreement[] {
    return [...this.#families.keys()].toSorted().map((family) => this.#agreement(family, [family]));
  }

  total(): Agreement {
    return this.#agreement("total", [...this.#families.keys()]);
  }

  /** In the order of the rows. */
  get misses(): readonly AnswerMiss[] {
    return this.#misses;
  }

  #agreement(name: string, families: readonly string[]): Agreement {
    const counted = families.map((family) => this.#families.get(family)).filter((counts) =>
      counts !== undefined
    );
    const sum = (of: (counts: Counts) => number) => counted.reduce((total, counts) => total + of(counts), 0);
    const share = (figure: Figure): Share => ({
      equal: sum(({ figures }) => figures.get(figure)?.equal ?? 0),
      of: sum(({ figures }) => figures.get(figure)?.of ?? 0),
    });
    const questions = sum((counts) => counts.questions);
    return {
      family: name,
      questions,
      valid: { equal: sum(({ valid }) => valid), of: questions },
      falseAccepts: sum(({ falseAccepts }) => falseAccepts),
      figures: byFigure(share),
    };
  }
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
