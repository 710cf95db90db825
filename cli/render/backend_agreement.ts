// SPDX-License-Identifier: Apache-2.0
import type { Agreement, AnswerMiss, Share } from "../../pipeline/backend_answers/agreement.ts";
import { nameOfRow } from "../../pipeline/backend_answers/ask_rule_book.ts";
import { type FittedCell, type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import type { Style } from "./style.ts";

/**
 * Agreement with the backend by family of ops, and over all. Figures are shares of questions that both
 * accept.
 */
export function renderAgreement(families: readonly Agreement[], total: Agreement, style: Style): string {
  const share = (of: (agreement: Agreement) => Share) => (agreement: Agreement): FittedCell => {
    const { equal, of: all } = of(agreement);
    if (all === 0) return { text: "-", paint: style.dim };
    return { text: percent(equal, all), ...(equal === all ? {} : { paint: style.yellow }) };
  };
  const columns: readonly FittedColumn<Agreement>[] = [
    left("Family", ({ family }) => family),
    right("n", ({ questions }) => String(questions)),
    right("Valid %", share(({ valid }) => valid)),
    right("False accepts %", ({ falseAccepts, questions }) => ({
      text: percent(falseAccepts, questions),
      ...(falseAccepts === 0 ? {} : { paint: style.yellow }),
    })),
    right("Buffers %", share(({ figures }) => figures.buffers)),
    right("Programs %", share(({ figures }) => figures.programs), { expendable: 2 }),
    right("Tensors %", share(({ figures }) => figures.tensors), { expendable: 3 }),
    right("Outputs %", share(({ figures }) => figures.outputs), { expendable: 4 }),
    right("Peak %", share(({ figures }) => figures.peak)),
    right("Layout %", share(({ figures }) => figures.layout)),
    right("Sequence %", share(({ figures }) => figures.events), { expendable: 1 }),
  ];
  const footer = columns.map((column) => {
    const cell = column.cell(total);
    return { text: typeof cell === "string" ? cell : cell.text, paint: style.bold };
  });
  return `${renderFittedTable(columns, families, style, [footer])}\n`;
}

/** `equal / all` in percent with one digit; never rounded up to 100 or down to 0. */
export function percent(equal: number, all: number): string {
  if (equal === all) return "100.0";
  const rounded = (100 * equal / all).toFixed(1);
  return rounded === "100.0" ? "99.9" : rounded === "0.0" && equal > 0 ? "0.1" : rounded;
}

/** Every question with differing answers, with the name of its row. */
export function renderAnswerMisses(misses: readonly AnswerMiss[], style: Style): string {
  return misses.map((miss) => {
    const { family, figure, backend, ours, reason, row } = miss;
    const words = reason === undefined ? "" : `: ${reason}`;
    const head = `${style.bold(`${family} ${figure}`)}  backend ${backend || "-"}  op model ${
      ours || "-"
    }${words}`;
    return `\n${head}\n${style.dim(nameOfRow(row))}\n`;
  }).join("");
}
