// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "./testing/lowered_body.ts";

const T = "tensor<32x32xbf16>";
const I = "tensor<i32>";

function constant(name: string, value: number): string {
  return `${name} = "ttir.constant"() <{value = dense<${value}> : ${I}}> : () -> ${I}`;
}

/** A loop over `%i` and `%a` from `%from`, with `%n` captured; `%x` and `%k` are arguments of the function. */
function loop(condition: readonly string[], counting: readonly string[], captured = "%n"): string {
  return ttirFunction(`(%x: ${T}, %k: ${I}) -> ${T}`, [
    constant("%from", 3),
    constant("%n", 9),
    `%r:2 = ttir.while inits(%from, %x : ${I}, ${T}) captures(${captured} : ${I})`,
    `cond {`,
    `^bb0(%i: ${I}, %a: ${T}, %m: ${I}):`,
    ...condition,
    `ttir.yield %p : tensor<i1>`,
    `} do {`,
    `^bb0(%i: ${I}, %a: ${T}, %m: ${I}):`,
    ...counting,
    `%g = "ttir.relu"(%a) : (${T}) -> ${T}`,
    `ttir.yield %j, %g : ${I}, ${T}`,
    `} -> (${I}, ${T})`,
    `return %r#1 : ${T}`,
  ]);
}

function binary(result: string, op: string, a: string, b: string, type = I): string {
  return `${result} = "ttir.${op}"(${a}, ${b}) : (${I}, ${I}) -> ${type}`;
}

const BELOW = [binary("%p", "lt", "%i", "%m", "tensor<i1>")];

function relus(text: string): number {
  const body = loweredBody(text);
  const names = body.map((line) => /"(ttnn\.\w+)"/.exec(line)?.[1]).filter((name) => name !== undefined);
  assertEquals(new Set(names), new Set(names.length === 0 ? [] : ["ttnn.relu"]), "numbers are no tensors");
  return names.length;
}

Deno.test("a counted loop becomes its body as often as it runs", () => {
  const step = (value: number) => [constant("%s", value), binary("%j", "add", "%i", "%s")];
  assertEquals(relus(loop(BELOW, step(1))), 6);
  assertEquals(relus(loop(BELOW, step(4))), 2);
  assertEquals(relus(loop([binary("%p", "le", "%i", "%m", "tensor<i1>")], step(2))), 4);
  assertEquals(relus(loop([binary("%p", "ne", "%i", "%m", "tensor<i1>")], step(3))), 2);
  assertEquals(relus(loop([binary("%p", "gt", "%i", "%m", "tensor<i1>")], step(1))), 0);
  const down = [constant("%s", 1), binary("%j", "subtract", "%i", "%s")];
  const positive = [constant("%z", 0), binary("%p", "gt", "%i", "%z", "tensor<i1>")];
  assertEquals(relus(loop(positive, down)), 3);
  const twice = [constant("%s", 2), binary("%j", "multiply", "%i", "%s")];
  assertEquals(relus(loop(BELOW, twice)), 2);
  const both = [
    binary("%q", "lt", "%i", "%m", "tensor<i1>"),
    constant("%l", 5),
    binary("%t", "lt", "%i", "%l", "tensor<i1>"),
    `%p = "ttir.logical_and"(%q, %t) : (tensor<i1>, tensor<i1>) -> tensor<i1>`,
  ];
  assertEquals(relus(loop(both, step(1))), 2);
});

Deno.test("each run reads what the one before it yields", () => {
  assertEquals(loweredBody(loop(BELOW, [constant("%s", 3), binary("%j", "add", "%i", "%s")])), [
    `%0 = "ttnn.relu"(%arg0) : (${T}) -> ${T}`,
    `%1 = "ttnn.relu"(%0) : (${T}) -> ${T}`,
    `return %1 : ${T}`,
  ]);
});

Deno.test("ops of functions that are called outside of loops do not count to what loops are unrolled to", () => {
  const levels = 12;
  const doubling = Array.from({ length: levels }, (_, level) => {
    const call = (result: string, input: string) =>
      level === 0
        ? `${result} = "ttir.relu"(${input}) : (${T}) -> ${T}`
        : `${result} = func.call @f${level - 1}(${input}) : (${T}) -> ${T}`;
    return `func.func private @f${level}(%a: ${T}) -> ${T} {\n${call("%b", "%a")}\n${
      call("%c", "%b")
    }\nreturn %c : ${T}\n}`;
  });
  const called = loop(BELOW, [constant("%s", 3), binary("%j", "add", "%i", "%s")])
    .replace("(%from, %x :", "(%from, %w :")
    .replace("%from =", `%w = func.call @f${levels - 1}(%x) : (${T}) -> ${T}\n%from =`)
    .replace("module {", `module {\n${doubling.join("\n")}`);
  assertEquals(relus(called), 2 ** levels + 2);
});

Deno.test("a loop whose count is not in the text is refused by name, with its place", () => {
  const step = [constant("%s", 1), binary("%j", "add", "%i", "%s")];
  const never = [constant("%s", 0), binary("%j", "add", "%i", "%s")];
  const cases: readonly (readonly [string, RegExp | string])[] = [
    [loop(BELOW, step, "%k"), "Cannot lower ttir.while: how often its body runs is known only at run time"],
    [loop(BELOW, never), "Cannot lower ttir.while: unrolled, it makes the module larger than 10000 ops"],
  ];
  for (const [text, message] of cases) {
    const error = assertThrows(() => loweredBody(text), DiagnosticError, String(message));
    assertEquals(error.diagnostics.map(({ code, location }) => [code, location !== undefined]), [
      ["lowering/control-flow", true],
    ]);
  }
});
