// SPDX-License-Identifier: Apache-2.0
import { parseModule } from "../../lib/ir/mod.ts";
import { knownOps, uncoveredOps } from "../../lib/ops/op_book.ts";
import { EXIT, type ExitCode, type Invocation } from "../command.ts";
import { type FittedColumn, left, renderFittedTable, right } from "../render/fitted_table.ts";
import { styleOf } from "../render/style.ts";
import { jsonOutput } from "../json_output.ts";

const UNCOVERED_COLUMNS: readonly FittedColumn<{ readonly name: string; readonly count: number }>[] = [
  left("Op", ({ name }) => name),
  right("Count", ({ count }) => String(count)),
];

/** Runs `ops`. */
export async function run({ host, options }: Invocation): Promise<ExitCode> {
  const style = styleOf(host, options);
  const file = options.text("uncovered");
  const width = host.stdout.columns;
  if (file === undefined) {
    const book = knownOps().map(({ name, costClass, movable }) => ({ name, costClass, movable }));
    if (options.flag("json")) {
      host.stdout.write(jsonOutput({
        schema: "tilewright.ops/1",
        input: null,
        device: null,
        summary: { ops: book.length },
        ops: book,
      }));
      return EXIT.ok;
    }
    const columns: readonly FittedColumn<(typeof book)[number]>[] = [
      left("Op", ({ name }) => name),
      left("Cost class", ({ costClass }) => costClass),
      left("Layouts", ({ movable }) => movable ? "chosen" : "as the file has them"),
    ];
    host.stdout.write(`${renderFittedTable(columns, book, style, width)}\n`);
    return EXIT.ok;
  }
  const module = parseModule(await host.readText(file), file);
  const uncovered = uncoveredOps(module.operations.map((operation) => operation.name));
  if (options.flag("json")) {
    host.stdout.write(
      jsonOutput({
        schema: "tilewright.ops-uncovered/1",
        input: file,
        device: null,
        summary: { uncoveredOps: uncovered.reduce((sum, { count }) => sum + count, 0) },
        uncovered,
      }),
    );
  } else if (uncovered.length > 0) {
    host.stdout.write(`${renderFittedTable(UNCOVERED_COLUMNS, uncovered, style, width)}\n`);
  } else {
    host.stderr.write("The rule book covers every TTNN op of the file.\n");
  }
  return uncovered.length > 0 ? EXIT.finding : EXIT.ok;
}
