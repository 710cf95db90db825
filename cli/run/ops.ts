// SPDX-License-Identifier: Apache-2.0
import { parseModule } from "../../lib/ir/mod.ts";
import { knownOps, uncoveredOps } from "../../lib/ops/op_book.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { type FittedColumn, renderFittedTable } from "../render/fitted_table.ts";
import { createStyle } from "../render/style.ts";

const BOOK_COLUMNS: readonly FittedColumn[] = [
  { title: "Op", align: "left", expendable: 0 },
  { title: "Cost class", align: "left", expendable: 0 },
  { title: "Layouts", align: "left", expendable: 0 },
];

const UNCOVERED_COLUMNS: readonly FittedColumn[] = [
  { title: "Op", align: "left", expendable: 0 },
  { title: "Count", align: "right", expendable: 0 },
];

/** Runs `ops`. */
export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const style = createStyle(
    options.text("color") ?? "auto",
    host.environment("NO_COLOR") !== undefined,
    host.stdout,
  );
  const file = options.text("uncovered");
  const width = host.stdout.columns;
  if (file === undefined) {
    const book = knownOps().map(({ name, costClass, movable }) => ({ name, costClass, movable }));
    if (options.flag("json")) {
      host.stdout.write(`${JSON.stringify({ schema: "tilewright.ops/1", ops: book }, null, 2)}\n`);
      return EXIT.ok;
    }
    const body = book.map(({ name, costClass, movable }) => [
      { text: name },
      { text: costClass },
      { text: movable ? "chosen" : "as the file has them" },
    ]);
    host.stdout.write(`${renderFittedTable(BOOK_COLUMNS, { body, footer: [] }, style, width)}\n`);
    return EXIT.ok;
  }
  const module = parseModule(await host.readText(file), file);
  const uncovered = uncoveredOps(module.operations.map((operation) => operation.name));
  if (options.flag("json")) {
    host.stdout.write(
      `${JSON.stringify({ schema: "tilewright.ops-uncovered/1", file, uncovered }, null, 2)}\n`,
    );
  } else if (uncovered.length > 0) {
    const body = uncovered.map(({ name, count }) => [{ text: name }, { text: String(count) }]);
    host.stdout.write(`${renderFittedTable(UNCOVERED_COLUMNS, { body, footer: [] }, style, width)}\n`);
  } else {
    host.stderr.write("The rule book covers every TTNN op of the file.\n");
  }
  return uncovered.length > 0 ? EXIT.finding : EXIT.ok;
}
