// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning, type PassCase } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { narrowReduction } from "./narrow_reduction.ts";

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
