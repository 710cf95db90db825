// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseModule, printGeneric } from "../../lib/ir/mod.ts";
import { toolTest } from "../../testing/corpus.ts";
import { TtnnFunction } from "../../lib/ttnn/function.ts";
import { NO_TEXT, tensorType, ZooFunction } from "./builder.ts";
import { MODELS, ZOO } from "./zoo.ts";

Deno.test("the zoo writes testdata/models byte by byte", async (t) => {
  for (const [name, write] of ZOO) {
    await t.step(name, () => {
      const written = Deno.readTextFileSync(new URL(`${name}.mlir`, MODELS));
      assert(written === write(), `${name}.mlir differs from what the zoo writes: run deno task zoo`);
    });
  }
});

Deno.test("testdata/models holds the zoo and nothing else", () => {
  const files = [...Deno.readDirSync(MODELS)].map(({ name }) => name).sort();
  assertEquals(files, [...ZOO.keys()].map((name) => `${name}.mlir`).sort());
});

Deno.test("the zoo's ResNet-50 has the convolutions and parameters of the paper", () => {
  const text = ZOO.get("resnet50")?.() ?? "";
  assertEquals(text.match(/"ttnn\.conv2d"/g)?.length, 53);
  const weights = [
    ...text.matchAll(/tensor<([\dx]+)xbf16, #ttnn_layout\d*> \{[^}]*ttir\.name = "[^"]*weight"/g),
  ];
  const parameters = weights
    .map((match) => (match[1] ?? "").split("x").reduce((product, extent) => product * Number(extent), 1))
    .reduce((sum, count) => sum + count, 0);
  // 25,557,032 parameters (torchvision) minus batch norms and the bias of the classifier.
  assertEquals(parameters, 25_557_032 - 53_120 - 1000);
});

toolTest("mlir-opt-22", "mlir-opt accepts every model of the zoo", (tool) => {
  for (const [name, write] of ZOO) {
    const path = Deno.makeTempFileSync({ suffix: ".mlir" });
    try {
      Deno.writeTextFileSync(path, printGeneric(parseModule(write(), name)));
      const run = new Deno.Command(tool, {
        args: ["--allow-unregistered-dialect", path, "-o", "/dev/null"],
        stderr: "piped",
      }).outputSync();
      assertEquals([name, new TextDecoder().decode(run.stderr).slice(0, 500)], [name, ""]);
    } finally {
      Deno.removeSync(path);
    }
  }
});

Deno.test("ZooFunction.binary() refuses shapes that do not broadcast", () => {
  const func = new TtnnFunction(NO_TEXT, { name: "f", kind: undefined, source: undefined });
  const f = new ZooFunction(func);
  const lhs = func.addArgument(tensorType([4, 32]));
  const rhs = func.addArgument(tensorType([3, 32]));
  assertThrows(() => f.add(lhs, rhs), RangeError, "shapes 4x32 and 3x32 do not broadcast");
});
