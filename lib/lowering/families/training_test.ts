// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../../diagnostics/diagnostic.ts";
import { loweredBody, ttirFunction } from "../testing/lowered_body.ts";

const T = "tensor<64x64xbf16>";
const NUMBERS =
  "lr = 1.000000e-03 : f32, beta1 = 5.000000e-01 : f32, beta2 = 2.500000e-01 : f32, beta1_pow = 5.000000e-01 : f32, " +
  "beta2_pow = 2.500000e-01 : f32, epsilon = 1.000000e-08 : f32, weight_decay = 1.000000e-02 : f32";

Deno.test("adamw writes parameter and moments in place, behind what reads them before and in front of what reads them after", () => {
  const step = (gradient: string): readonly string[] =>
    loweredBody(ttirFunction(
      `(%param: ${T}, %grad: ${gradient}, %m: ${T}, %v: ${T}) -> (${T}, ${T}, ${T})`,
      [
        `%0 = "ttir.abs"(%param) : (${T}) -> ${T}`,
        `%1:3 = "ttir.adamw"(%param, %grad, %m, %v) <{${NUMBERS}}> : (${T}, ${gradient}, ${T}, ${T}) -> (${T}, ${T}, ${T})`,
        `%2 = "ttir.neg"(%1#2) : (${T}) -> ${T}`,
        `return %1#0, %0, %2 : ${T}, ${T}, ${T}`,
      ],
    ));
  const text = step(T);
  assertEquals(text[0], `%0 = "ttnn.abs"(%arg0) : (${T}) -> ${T}`);
  assertEquals(
    text[1]?.replace(/<{.*}>/, "…"),
    `"ttnn.adamw"(%arg0, %arg1, %arg2, %arg3) … : (${T}, ${T}, ${T}, ${T}) -> ()`,
  );
  assertEquals(text.slice(2), [
    `%1 = "ttnn.neg"(%arg3) : (${T}) -> ${T}`,
    `return %arg0, %0, %1 : ${T}, ${T}, ${T}`,
  ]);
  assertEquals(
    step("tensor<64x64xf32>").filter((line) => line.includes("typecast")).length,
    1,
  );
});

Deno.test("an op of a training step with too few operands is refused as given", () => {
  const [logits, classes] = ["tensor<4x1x32x64xbf16>", "tensor<4x32xui32>"];
  const text = ttirFunction(`(%x: ${logits}, %t: ${classes}) -> ${logits}`, [
    `%0 = "ttir.cross_entropy_bw"(%x, %t) <{scaler = 5.000000e-01 : f32}> : (${logits}, ${classes}) -> ${logits}`,
    `return %0 : ${logits}`,
  ]);
  assertThrows(() => loweredBody(text), DiagnosticError, "it has 2 operands, expected 3");
});

Deno.test("a loss is computed in bf16, and its classes are read in rows", () => {
  const [logits, classes, one] = ["tensor<4x1x32x64xf32>", "tensor<4x32xui32>", "tensor<1x1x1x1xf32>"];
  const text = loweredBody(ttirFunction(
    `(%x: ${logits}, %t: ${classes}, %g: ${one}) -> ${logits}`,
    [
      `%0 = "ttir.cross_entropy_bw"(%x, %t, %g) <{scaler = 5.000000e-01 : f32}> : (${logits}, ${classes}, ${one}) -> ${logits}`,
      `return %0 : ${logits}`,
    ],
  ));
  const op = (word: string): string => text.find((line) => line.includes(word)) ?? "";
  assertEquals(
    op("cross_entropy_bw").replace(/^.*? = /, ""),
    '"ttnn.cross_entropy_bw"(%0, %1, %2) <{scaler = 5.000000e-01 : f32}> : (tensor<4x1x32x64xbf16>, ' +
      "tensor<4x32xui32, rm>, tensor<1x1x1x1xbf16>) -> tensor<4x1x32x64xbf16>",
  );
  assertEquals(op("%4 ="), `%4 = "ttnn.typecast"(%3) : (tensor<4x1x32x64xbf16>) -> ${logits}`);
});

Deno.test("a norm of training keeps its statistics as further results", () => {
  const [x, w, s] = ["tensor<1x1x128x256xbf16>", "tensor<1x1x1x256xbf16>", "tensor<1x1x128x1xbf16>"];
  const properties = "epsilon = 2.500000e-01 : f32, return_mean_rstd = true";
  const text = loweredBody(ttirFunction(`(%x: ${x}, %w: ${w}, %b: ${w}) -> (${x}, ${s}, ${s})`, [
    `%0:3 = "ttir.layernorm_fw"(%x, %w, %b) <{${properties}}> : (${x}, ${w}, ${w}) -> (${x}, ${s}, ${s})`,
    `return %0#0, %0#1, %0#2 : ${x}, ${s}, ${s}`,
  ]));
  assertEquals(
    text[0],
    `%0:3 = "ttnn.layernorm_fw"(%arg0, %arg1, %arg2) <{${properties}}> : (${x}, ${w}, ${w}) -> (${x}, ${s}, ${s})`,
  );
});

Deno.test("a step whose rate and powers are operands keeps them there, and AMSGrad's moment is the last", () => {
  const [f, one] = ["tensor<64x64xf32>", "tensor<1xf32>"];
  const numbers =
    "beta1 = 5.000000e-01 : f32, beta2 = 2.500000e-01 : f32, epsilon = 1.250000e-01 : f32, stochastic_rounding = false, weight_decay = 6.250000e-02 : f32";
  const operands = [f, f, f, f, one, one, one, f].join(", ");
  const text = loweredBody(ttirFunction(
    `(%p: ${f}, %g: ${f}, %m: ${f}, %v: ${f}, %lr: ${one}, %b1: ${one}, %b2: ${one}, %x: ${f}) -> (${f}, ${f})`,
    [
      `%0:4 = "ttir.adamw"(%p, %g, %m, %v, %lr, %b1, %b2, %x) <{${numbers}}> : (${operands}) -> (${f}, ${f}, ${f}, ${f})`,
      `return %0#0, %0#3 : ${f}, ${f}`,
    ],
  ));
  assertEquals(text, [
    `%0 = "ttnn.typecast"(%arg1) : (${f}) -> ${T}`,
    `"ttnn.adamw"(%arg0, %0, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7) <{${numbers}}> : ` +
    `(${operands.replace(`${f}, ${f}`, `${f}, ${T}`)}) -> ()`,
    `return %arg0, %arg7 : ${f}, ${f}`,
  ]);
});

Deno.test("a step whose rate is a property and whose powers are operands is the same, and one without either is an error", () => {
  const [f, one] = ["tensor<64x64xf32>", "tensor<1xf32>"];
  const numbers = "beta1 = 0.5 : f32, beta2 = 0.25 : f32, epsilon = 0.125 : f32, weight_decay = 0.5 : f32";
  const step = (rate: string): readonly string[] => {
    const operands = [f, f, f, f, one, one].join(", ");
    return loweredBody(ttirFunction(
      `(%p: ${f}, %g: ${f}, %m: ${f}, %v: ${f}, %b1: ${one}, %b2: ${one}) -> ${f}`,
      [
        `%0:3 = "ttir.adamw"(%p, %g, %m, %v, %b1, %b2) <{${numbers}${rate}}> : (${operands}) -> (${f}, ${f}, ${f})`,
        `return %0#0 : ${f}`,
      ],
    ));
  };
  const written = step(", lr = 1.000000e+00 : f32").find((line) => line.includes("ttnn.adamw")) ?? "";
  assertEquals(written.includes("(%arg0, %0, %arg2, %arg3, %arg4, %arg5)"), true, written);
  assertEquals(written.includes("lr = 1.000000e+00 : f32"), true, written);
  assertThrows(
    () => step(""),
    DiagnosticError,
    "expected 7 or 8, as lr, beta1_pow, beta2_pow must be operands",
  );
});

Deno.test("kernels of training take four dimensions; losses one head of rows", () => {
  const [logits, classes, loss] = ["tensor<6x32x64xbf16>", "tensor<6x32xui32>", "tensor<6x32x1xbf16>"];
  const forward = loweredBody(ttirFunction(`(%x: ${logits}, %t: ${classes}) -> ${loss}`, [
    `%0 = "ttir.cross_entropy_fw"(%x, %t) : (${logits}, ${classes}) -> ${loss}`,
    `return %0 : ${loss}`,
  ]));
  assertEquals(
    forward.find((line) => line.includes("cross_entropy_fw"))?.replace(/^.*? : /, ""),
    "(tensor<6x1x32x64xbf16>, tensor<6x32xui32, rm>) -> tensor<6x1x32x1xbf16>",
  );
  assertEquals(forward.at(-1), `return %3 : ${loss}`);
  const [x, w] = ["tensor<128x256xbf16>", "tensor<256xbf16>"];
  const norm = loweredBody(ttirFunction(`(%x: ${x}, %w: ${w}, %b: ${w}) -> ${x}`, [
    `%0 = "ttir.layernorm_fw"(%x, %w, %b) <{epsilon = 1.0 : f32, return_mean_rstd = false}> : (${x}, ${w}, ${w}) -> ${x}`,
    `return %0 : ${x}`,
  ]));
  const row = "tensor<1x1x1x256xbf16>";
  assertEquals(
    norm.find((line) => line.includes("layernorm_fw"))?.replace(/^.*? : \(/, "("),
    `(tensor<1x1x128x256xbf16>, ${row}, ${row}) -> tensor<1x1x128x256xbf16>`,
  );
});
