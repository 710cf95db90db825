// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { interpret } from "../../../../testing/interpreter/interpret.ts";
import { build } from "../../../../testing/interpreter/tensor.ts";
import { parseModule } from "../../../ir/mod.ts";
import { passed, passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseFunction } from "./fuse_function.ts";

function formula(cubic: string, half: string = "5.000000e-01", root: string = "0.797884583"): string {
  const x = "T<1x64>";
  const full = (name: string, value: string): string =>
    `${name} = "ttnn.full"(%d) <{fill_value = ${value} : f32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> T<1x1>`;
  const binary = (name: string, op: string, a: string, b: string): string =>
    `${name} = "ttnn.${op}"(${a}, ${b}) : (${x}, T<1x1>) -> ${x}`;
  return ttnnModule(`(%x: ${x}) -> ${x}`, [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    full("%c0", half),
    full("%c1", cubic),
    full("%c2", root),
    full("%c3", "1.000000e+00"),
    binary("%0", "multiply", "%x", "%c0"),
    `%1 = "ttnn.pow_scalar"(%x) <{rhs = 3.000000e+00 : f32}> : (${x}) -> ${x}`,
    binary("%2", "multiply", "%1", "%c1"),
    `%3 = "ttnn.add"(%x, %2) : (${x}, ${x}) -> ${x}`,
    binary("%4", "multiply", "%3", "%c2"),
    `%5 = "ttnn.tanh"(%4) : (${x}) -> ${x}`,
    binary("%6", "add", "%5", "%c3"),
    `%7 = "ttnn.multiply"(%0, %6) : (${x}, ${x}) -> ${x}`,
    `return %7 : ${x}`,
  ]);
}

Deno.test("the formula with tanh is gelu, to less than 0.001", () => {
  const text = formula("4.471500e-02");
  const after = passed(text, fuseFunction).text;
  assert(after.includes('"ttnn.gelu"(%x)') && !after.includes("tanh"));
  const inputs = [build([1, 64], ([, column = 0]) => (column - 32) / 6)];
  const [before, fused] = [text, after].map((each) =>
    interpret(parseModule(each, "t.mlir"), "main", inputs)[0]?.data ?? []
  );
  const differences = [...before ?? []].map((value, index) => Math.abs(value - (fused?.[index] ?? NaN)));
  assertEquals(differences.filter((difference) => !(difference < 0.001)), []);
});

Deno.test("numbers that are none of gelu's leave the formula", () => {
  assertEquals(passedBody(formula("5.471500e-02"), fuseFunction).length, 14);
  assertEquals(passedBody(formula("4.471500e-02", "2.500000e-01"), fuseFunction).length, 14);
  assertEquals(passedBody(formula("4.471500e-02", "5.000000e-01", "8.500000e-01"), fuseFunction).length, 14);
});

/** Gelu by its definition: factors in some order, the gate by `erf` or `erfc`. */
function definition(order: "x first" | "half first" | "half last", gate: "erf" | "erfc"): string {
  const x = "T<2x3>";
  const full = (name: string, value: string): string =>
    `${name} = "ttnn.full"(%d) <{fill_value = ${value} : f32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> T<1x1>`;
  const scaled = (name: string, a: string, number: string, op: string = "multiply"): string =>
    `${name} = "ttnn.${op}"(${a}, ${number}) : (${x}, T<1x1>) -> ${x}`;
  const times = (name: string, a: string, b: string): string =>
    `${name} = "ttnn.multiply"(${a}, ${b}) : (${x}, ${x}) -> ${x}`;
  return ttnnModule(`(%x: ${x}) -> ${x}`, [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    full("%half", "5.000000e-01"),
    full("%one", "1.000000e+00"),
    full("%root", "1.41421356"),
    scaled("%a", "%x", "%root", "divide"),
    ...(gate === "erf"
      ? [`%e = "ttnn.erf"(%a) : (${x}) -> ${x}`, scaled("%g", "%e", "%one", "add")]
      : [`%m = "ttnn.neg"(%a) : (${x}) -> ${x}`, `%g = "ttnn.erfc"(%m) : (${x}) -> ${x}`]),
    ...(order === "half first"
      ? [scaled("%h", "%x", "%half"), times("%r", "%g", "%h")]
      : order === "x first"
      ? [scaled("%h", "%g", "%half"), times("%r", "%x", "%h")]
      : [times("%h", "%x", "%g"), scaled("%r", "%h", "%half")]),
    `return %r : ${x}`,
  ]);
}

for (const order of ["x first", "half first", "half last"] as const) {
  for (const gate of ["erf", "erfc"] as const) {
    Deno.test(`gelu by its definition: ${order}, ${gate}`, () => {
      const text = definition(order, gate);
      const after = passed(text, fuseFunction).text;
      assert(after.includes('"ttnn.gelu"(%x)') && !after.includes(`"ttnn.${gate}"`), after);
      const inputs = [build([2, 3], ([row = 0, column = 0]) => row - column + 0.3)];
      const [before, fused] = [text, after].map((
        each,
      ) => [...interpret(parseModule(each, "t.mlir"), "main", inputs)[0]?.data ?? []]);
      // The root of two is an f32 in the text.
      before?.forEach((value, index) => assert(Math.abs(value - (fused?.[index] ?? NaN)) < 1e-7));
    });
  }
}
