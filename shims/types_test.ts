// SPDX-License-Identifier: Apache-2.0

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

/** Wrong uses, one per line, of every name that resolves through `links`; each must be rejected. */
const WRONG_USES: readonly string[] = [
  `import { assertAlmostEquals, assertThrows } from "@std/assert"; assertAlmostEquals("1", 1);`,
  `assertThrows("not a function");`,
  `import { parseArgs } from "@std/cli/parse-args"; const json: string = parseArgs([], { boolean: ["json"] }).json;`,
  `const output: string = parseArgs([], { string: ["output"] }).output;`,
  `parseArgs([], { string: ["a"] }).b;`,
  `import { parseArgs as parse } from "@std/cli/parse-args"; parse("not a list");`,
  `import { unicodeWidth } from "@std/cli/unicode-width"; unicodeWidth(1);`,
  `import { closestString } from "@std/text/closest-string"; closestString("a", "b");`,
  `import { levenshteinDistance } from "@std/text/levenshtein-distance"; const far: string = levenshteinDistance("a", "b");`,
  `import { red } from "@std/fmt/colors"; red(1);`,
  `import { parse as parseCsv } from "@std/csv/parse"; const cells: number[][] = parseCsv("");`,
  `import { stringify } from "@std/csv/stringify"; stringify("a,b");`,
  `import { join } from "@std/path"; const joined: number = join("a", "b");`,
  `import { join as posixJoin } from "@std/path/posix"; posixJoin(1);`,
  `import { nothing } from "@std/path";`,
  `import { spy } from "@std/testing/mock"; spy(() => 1).calls.missing;`,
  `import { Cell, Table } from "@cliffy/table"; new Table().padding("1");`,
  `new Cell({});`,
  `new Table().columns([{ maxWidth: "1" }]);`,
];

const CONFIG = fromFileUrl(new URL("../deno.json", import.meta.url));

async function rejectedLines(source: string): Promise<number[]> {
  const dir = await Deno.makeTempDir();
  try {
    const file = join(dir, "probe.ts");
    await Deno.writeTextFile(file, source);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--no-lock", `--config=${CONFIG}`, file],
      env: { NO_COLOR: "1" },
    }).output();
    const lines = [...new TextDecoder().decode(stderr).matchAll(/probe\.ts:(\d+):\d+/g)].map((m) =>
      Number(m[1])
    );
    assertEquals(code !== 0, lines.length > 0);
    return [...new Set(lines)].sort((a, b) => a - b);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("types are enforced through the linked packages: each wrong use fails deno check", async () => {
  assertEquals(await rejectedLines(WRONG_USES.join("\n")), WRONG_USES.map((_, index) => index + 1));
});

Deno.test("types are enforced through the linked packages: right uses pass deno check", async () => {
  const right = `
    import { assertEquals, assertThrows } from "@std/assert";
    import { parseArgs } from "@std/cli/parse-args";
    import { unicodeWidth } from "@std/cli/unicode-width";
    import { fromFileUrl, join } from "@std/path";
    import { spy } from "@std/testing/mock";
    import { Cell, type RowType, Table } from "@cliffy/table";
    const args = parseArgs(["--json", "-o", "x"], {
      boolean: ["json"], string: ["output", "op"], collect: ["op"], alias: { output: "o" }, default: { output: "-" },
    });
    const json: boolean = args.json, output: string = args.output, ops: string[] = args.op;
    const error: TypeError = assertThrows(() => null, TypeError, "x");
    const log = spy(() => {});
    assertEquals([json, output, ops, unicodeWidth("a"), join(fromFileUrl(import.meta.url)), error, log.calls], []);
    const table = new Table<RowType>().columns([{ minWidth: 1 }]).padding(2);
    table.push([new Cell(1).colSpan(2)]);
    table.toString();
  `;
  assert((await rejectedLines(right)).length === 0);
});
