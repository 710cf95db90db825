// SPDX-License-Identifier: Apache-2.0
import { hasLowering, keptOps, needsLowering } from "../../lib/lowering/mod.ts";
import { isUncoveredOp, knownOps } from "../../lib/ops/op_book.ts";
import { asProgram, parseInput } from "../load_input.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { printAnswer } from "../print_answer.ts";
import { type FittedColumn, left, renderFittedTable, right } from "../render/fitted_table.ts";

const UNCOVERED_COLUMNS: readonly FittedColumn<{ readonly name: string; readonly count: number }>[] = [
  left("Op", ({ name }) => name),
  right("Count", ({ count }) => String(count)),
];

export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const file = options.text("uncovered");
  if (file === undefined) {
    const book = knownOps().map(({ name, costClass, movable }) => ({ name, costClass, movable }));
    const columns: readonly FittedColumn<(typeof book)[number]>[] = [
      left("Op", ({ name }) => name),
      left("Cost class", ({ costClass }) => costClass),
      left("Layouts", ({ movable }) => movable ? "chosen" : "as the file has them"),
    ];
    return printAnswer(
      { host, options },
      () => ({
        schema: "tilewright.ops/1",
        input: null,
        device: null,
        summary: { ops: book.length },
        ops: book,
      }),
      (style) => `${renderFittedTable(columns, book, style)}\n`,
    );
  }
  const text = await asProgram({ host, options }, { file, text: await host.readText(file) });
  const module = parseInput({ host, options }, { file, text });
  const isTtir = needsLowering(module);
  const uncovered = countNames([
    ...module.operations.map((operation) => operation.name).filter(isUncoveredOp),
    ...keptOps(module).filter((name) => !isTtir || !hasLowering(name)),
  ]);
  printAnswer(
    { host, options },
    () => ({
      schema: "tilewright.ops-uncovered/1",
      input: file,
      device: null,
      summary: { uncoveredOps: uncovered.reduce((sum, { count }) => sum + count, 0) },
      uncovered,
    }),
    (style) => uncovered.length === 0 ? "" : `${renderFittedTable(UNCOVERED_COLUMNS, uncovered, style)}\n`,
  );
  if (uncovered.length === 0 && !options.flag("json")) {
    host.stderr.write(
      isTtir
        ? "Every TTIR op of the file has a lowering.\n"
        : "The rule book covers every TTNN op of the file.\n",
    );
  }
  return uncovered.length > 0 ? EXIT.finding : EXIT.ok;
}

function countNames(names: readonly string[]): readonly { readonly name: string; readonly count: number }[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, same]) => ({ name, count: same.length }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}
