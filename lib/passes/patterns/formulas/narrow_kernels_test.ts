// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { bodyLines, passed, passedBody, ttnnModule } from "../../testing/passed_body.ts";
import type { PassTools } from "../../run_passes.ts";
import { narrowReduction, narrowRows } from "./narrow_kernels.ts";

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

interface Statistics {
  readonly reduction: string;
  readonly dims: readonly number[];
  readonly keepsDims: boolean;
  /** Element type of the input, and of the result. */
  readonly from?: string;
  readonly to?: string;
  /** Whether the f32 result is returned as well. */
  readonly alsoWide?: boolean;
  readonly config?: string;
}

const EXTENTS: readonly number[] = [2, 3, 4];

function statistics(
  { reduction, dims, keepsDims, from = "bf16", to = "bf16", alsoWide = false, config }: Statistics,
): string {
  const [input, wide] = [`T<2x3x4, ${from}>`, "T<2x3x4, f32>"];
  const kept = EXTENTS.map((extent, dim) => dims.includes(dim) ? 1 : extent);
  const shape = (keepsDims ? kept : EXTENTS.filter((_, dim) => !dims.includes(dim))).join("x");
  const [reduced, narrow] = [`T<${shape}, f32>`, `T<${shape}, ${to}>`];
  const given = config === undefined
    ? ""
    : `compute_config = #ttnn.device_compute_kernel_config<${config}>, `;
  const results = alsoWide ? `${narrow}, ${reduced}` : narrow;
  return ttnnModule(`(%x: ${input}) -> (${results})`, [
    `%w = "ttnn.typecast"(%x) : (${input}) -> ${wide}`,
    `%r = "ttnn.${reduction}"(%w) <{${given}dim_arg = [${
      dims.map((dim) => `${dim} : i32`).join(", ")
    }], keep_dim = ${keepsDims}}> : (${wide}) -> ${reduced}`,
    `%n = "ttnn.typecast"(%r) : (${reduced}) -> ${narrow}`,
    `return ${alsoWide ? "%n, %r" : "%n"} : ${results}`,
  ]);
}

keepsMeaning(
  "reductions with f32 in between",
  [narrowReduction],
  fc.record({
    reduction: fc.constantFrom("sum", "mean", "max", "min"),
    dims: fc.constantFrom([0], [1], [2]),
    keepsDims: fc.boolean(),
  }).map((given): PassCase => ({ text: statistics(given), ops: [given.reduction, "!typecast"] })),
);

function names(given: Partial<Statistics>): readonly string[] {
  const plain: Statistics = { reduction: "mean", dims: [2], keepsDims: true };
  const lines = passedBody(statistics({ ...plain, ...given }), narrowReduction);
  return lines.flatMap((line) => /ttnn\.(\w+)/.exec(line)?.[1] ?? []);
}

Deno.test("a reduction whose result is rounded elsewhere keeps f32", () => {
  const untouched = ["typecast", "mean", "typecast"];
  assertEquals(names({}), ["mean"]);
  assertEquals(names({ config: "math_fidelity = hifi4, fp32_dest_acc_en = true" }), ["mean"]);
  assertEquals(names({ config: "fp32_dest_acc_en = false" }), untouched);
  assertEquals(names({ dims: [1, 2] }), untouched, "two dimensions may be two programs");
  assertEquals(names({ alsoWide: true }), untouched);
  assertEquals(names({ to: "f16" }), untouched);
  assertEquals(names({ from: "f16" }), untouched);
});
