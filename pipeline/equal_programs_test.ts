// SPDX-License-Identifier: Apache-2.0

/** Programs that say the same in other words, or do the same twice: what is predicted for them is the same, or twice. */

import { assertAlmostEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

function predicted(text: string): number {
  const workbench = loadModule(text, { device: "n150", fileName: "equal.mlir" });
  return optimizeModule(workbench, getPolicy("auto"), DEFAULT_POLICY_OPTIONS).timeline.inference.totalUs;
}

const IMAGE = "tensor<32x64x128xf32>";

/** A choice by one number, in a tensor of a type. */
function chosenBy(type: string): string {
  return `func.func @main(%c: ${type}, %x: tensor<1x128xf32>, %y: ${IMAGE}) -> ${IMAGE} {
  %0 = "ttir.where"(%c, %x, %y) : (${type}, tensor<1x128xf32>, ${IMAGE}) -> ${IMAGE}
  return %0 : ${IMAGE}
}
`;
}

Deno.test("a number without dimensions costs what a tensor of one number costs", () => {
  const wanted = predicted(chosenBy("tensor<1x1xf32>"));
  for (const type of ["tensor<f32>", "tensor<1xf32>"]) {
    assertAlmostEquals(predicted(chosenBy(type)), wanted, 1e-9, type);
  }
});

/** Attention as torch's math path spells it, keys permuted to columns in one step or two, scaled before the product. */
function attention(element: string, isPermutedAtOnce: boolean): string {
  const [rows, heads] = [`tensor<2x64x4x64x${element}>`, `tensor<2x4x64x64x${element}>`];
  const permuted = isPermutedAtOnce
    ? `%k2 = "ttir.permute"(%k) <{permutation = array<i64: 0, 2, 3, 1>}> : (${rows}) -> ${heads}`
    : `%k1 = "ttir.permute"(%k) <{permutation = array<i64: 0, 2, 1, 3>}> : (${rows}) -> ${heads}
  %k2 = "ttir.permute"(%k1) <{permutation = array<i64: 0, 1, 3, 2>}> : (${heads}) -> ${heads}`;
  const upright = (from: string, to: string) =>
    `${to} = "ttir.permute"(${from}) <{permutation = array<i64: 0, 2, 1, 3>}> : (${rows}) -> ${heads}`;
  const product = (result: string, a: string, b: string) =>
    `${result} = "ttir.matmul"(${a}, ${b}) : (${heads}, ${heads}) -> ${heads}`;
  const scaled = (result: string, from: string) =>
    `${result} = "ttir.multiply"(${from}, %half) : (${heads}, tensor<1x1x1x1x${element}>) -> ${heads}`;
  return `func.func @main(%q: ${rows}, %k: ${rows}, %v: ${rows}) -> ${heads} {
  %half = "ttir.full"() <{shape = array<i32: 1, 1, 1, 1>, fill_value = 5.0e-01 : f32}> : () -> tensor<1x1x1x1x${element}>
  ${upright("%q", "%q1")}
  ${scaled("%q2", "%q1")}
  ${permuted}
  ${scaled("%k3", "%k2")}
  ${product("%0", "%q2", "%k3")}
  %1 = "ttir.softmax"(%0) <{dimension = 3 : si32}> : (${heads}) -> ${heads}
  ${upright("%v", "%v1")}
  ${product("%2", "%1", "%v1")}
  return %2 : ${heads}
}
`;
}

Deno.test("attention costs the same with keys turned in one step or in two, in any type", () => {
  for (const element of ["bf16", "f32"]) {
    assertAlmostEquals(
      predicted(attention(element, true)),
      predicted(attention(element, false)),
      1e-9,
      element,
    );
  }
});
