// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { DEFAULT_PASS_OPTIONS } from "../pass_options.ts";
import { keepsMeaning, type PassCase } from "../testing/keeps_meaning.ts";
import { bodyLines, passed, ttnnModule } from "../testing/passed_body.ts";
import type { PassTools } from "../run_passes.ts";
import { narrowRows } from "./narrow_rows.ts";

const [NARROW, WIDE, ROW] = ["T<2x3x4>", "T<2x3x4, f32>", "T<4, f32>"];

/** Ops over rows in f32, with their properties and what they read beside the rows. */
const OPS: Readonly<Record<string, readonly [properties: string, parameters: number]>> = {
  softmax: ["dimension = 2 : si32, numericStable = true", 0],
  rms_norm: ["epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 0>", 1],
  layer_norm: ["epsilon = 1.0e-05 : f32, operandSegmentSizes = array<i32: 1, 1, 1>", 2],
};

interface Rows {
  readonly name: string;
  /** What follows the typecast back. */
  readonly then: "return" | "relu" | "typecast";
  readonly alsoWide?: boolean;
}

function rows({ name, then, alsoWide = false }: Rows): string {
  const [properties, count] = OPS[name] ?? ["", 0];
  const parameters = ["%g", "%b"].slice(0, count);
  const results = `${then === "typecast" ? WIDE : NARROW}${alsoWide ? `, ${WIDE}` : ""}`;
  return ttnnModule(`(%x: ${NARROW}, %g: ${ROW}, %b: ${ROW}) -> (${results})`, [
    `%w = "ttnn.typecast"(%x) : (${NARROW}) -> ${WIDE}`,
    `%r = "ttnn.${name}"(${["%w", ...parameters].join(", ")}) <{${properties}}> : (${
      [WIDE, ...parameters.map(() => ROW)].join(", ")
    }) -> ${WIDE}`,
    `%n = "ttnn.typecast"(%r) : (${WIDE}) -> ${NARROW}`,
    ...then === "return"
      ? []
      : [`%t = "ttnn.${then}"(%n) : (${NARROW}) -> ${then === "relu" ? NARROW : WIDE}`],
    `return ${then === "return" ? "%n" : "%t"}${alsoWide ? ", %r" : ""} : ${results}`,
  ]);
}

keepsMeaning(
  "norms and softmax with f32 around",
  [narrowRows],
  fc.record({
    name: fc.constantFrom(...Object.keys(OPS)),
    then: fc.constantFrom<Rows["then"]>("return", "relu"),
  }).map((given): PassCase => ({ text: rows(given), ops: [given.name] })),
  12,
);

function typecasts(given: Rows, tools: PassTools = {}): number {
  const { text } = passed(rows(given), narrowRows, DEFAULT_PASS_OPTIONS, tools);
  return bodyLines(text).filter((line) => /ttnn\.typecast.*2x3x4/.test(line)).length;
}

Deno.test("rows with an f32 reader, widened again, or not legal, stay", () => {
  for (const name of Object.keys(OPS)) {
    assertEquals(typecasts({ name, then: "return" }), 0);
    assertEquals(typecasts({ name, then: "return", alsoWide: true }), 2);
    assertEquals(typecasts({ name, then: "typecast" }), 3);
    assertEquals(typecasts({ name, then: "return" }, { isLegal: () => false }), 2);
  }
});
