// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { pythonFloat, statementLines, WIDTH } from "./python_text.ts";

const WORD = fc.stringMatching(/^[a-z]{1,12}$/);

/** Expressions with brackets and strings in which commas and brackets stand. */
const { expression } = fc.letrec<{ readonly expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small" },
    WORD,
    fc.constantFrom('"a, b"', '")"', "1.5", "-3"),
    fc.tuple(WORD, fc.array(tie("expression"), { maxLength: 4 })).map(([f, items]) =>
      `${f}(${items.join(", ")})`
    ),
    fc.array(tie("expression"), { maxLength: 4 }).map((items) => `[${items.join(", ")}]`),
  ),
}));

Deno.test("a call over several lines says the same, and its lines are as long as they may be", () => {
  fc.assert(fc.property(fc.array(expression, { minLength: 1, maxLength: 12 }), WORD, (items, name) => {
    const text = `${name} = ttnn.call(${items.join(", ")})`;
    const lines = statementLines(text, "1x2", "    ");
    if (lines.length === 1) {
      assertEquals(lines, [`    ${text}  # 1x2`]);
      assert(text.length + 4 <= WIDTH);
      return;
    }
    assertEquals(lines[0], `    ${name} = ttnn.call(  # 1x2`);
    assertEquals(lines.slice(1, -1).map((line) => line.trim()).join(" "), `${items.join(", ")},`);
    for (const line of lines.slice(1, -1)) {
      assert(
        line.length <= WIDTH || items.includes(line.trim().slice(0, -1)),
        "only one item alone is longer",
      );
    }
  }));
});

Deno.test("a number has the digits that tell its f32 apart", () => {
  assertEquals([9.99999974e-6, 1e-12, 0.125, 2, -0.0].map(pythonFloat), [
    "0.00001",
    "1e-12",
    "0.125",
    "2.0",
    "-0.0",
  ]);
  fc.assert(fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
    const text = pythonFloat(value);
    assertEquals(Math.fround(Number(text)), value);
    assert(text.length <= String(value).length + 3);
  }));
});
