// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { toolTest } from "../../testing/corpus.ts";
import { f32Digits, f32Text } from "./float_text.ts";

Deno.test("f32Digits() prints six digits when they give the float back, nine or the bits otherwise", () => {
  // Recorded from mlir-opt 22.
  const expected: readonly (readonly [number, string])[] = [
    [1.0e-5, "9.99999974E-6"],
    [0.01, "0.00999999977"],
    [1.0e-12, "9.99999996E-13"],
    [0.1, "1.000000e-01"],
    [1, "1.000000e+00"],
    [2.0e-5, "2.000000e-05"],
    [0.9999999, "0.99999988"],
    [123456.7, "123456.703"],
    [3.0e10, "3.000000e+10"],
    [0.00012345678, "1.23456775E-4"],
    [1234567, "0x4996B438"],
    [16777216, "0x4B800000"],
    [65537, "6.553700e+04"],
    [0.7, "0.699999988"],
    [3.4028234e38, "3.40282347E+38"],
    [1.0e-45, "1.401300e-45"],
    [-0, "-0.000000e+00"],
    [0, "0.000000e+00"],
    [-Infinity, "0xFF800000"],
  ];
  for (const [value, text] of expected) assertEquals(f32Digits(value), text);
  assertEquals(f32Text(0.125), "1.250000e-01 : f32");
});

toolTest("mlir-opt-22", "f32Digits() agrees with mlir-opt on floats of every magnitude", (tool) => {
  const floats = fc.sample(fc.float({ noNaN: true, noDefaultInfinity: true }), { numRuns: 400, seed: 7 });
  const bits = floats.map((value) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value);
    return `0x${view.getUint32(0).toString(16).padStart(8, "0")} : f32`;
  });
  const path = Deno.makeTempFileSync({ suffix: ".mlir" });
  try {
    Deno.writeTextFileSync(path, `"test.op"() {values = [${bits.join(", ")}]} : () -> ()\n`);
    const run = new Deno.Command(tool, { args: ["--allow-unregistered-dialect", path] }).outputSync();
    const printed = new TextDecoder().decode(run.stdout).match(/\[(.*)\]/)?.[1] ?? "";
    assertEquals(floats.map(f32Text), printed.split(", "));
  } finally {
    Deno.removeSync(path);
  }
});
