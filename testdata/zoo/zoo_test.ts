// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseModule, printGeneric } from "../../lib/ir/mod.ts";
import { toolTest } from "../../testing/corpus.ts";
import { TtnnFunction } from "../../lib/ttnn/function.ts";
import { NO_TEXT, tensorType, ZooFunction } from "./builder.ts";
import { bertLarge } from "./bert_base.ts";
import { llama8bDecode } from "./llama_3_2_1b.ts";
import { mobilenetV2 } from "./mobilenet_v2.ts";
import { segformerB0 } from "./segformer_block.ts";
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

/** Elements of all parameters whose name ends so. */
function parametersOf(text: string, name: string): number {
  const named = String.raw`argument_type<parameter>[^}]*ttir\.name = "[^"]*${name}"`;
  const pattern = new RegExp(String.raw`tensor<([\dx]+)xbf16, #ttnn_layout\d*> \{[^}]*${named}`, "g");
  return [...text.matchAll(pattern)]
    .map((match) => (match[1] ?? "").split("x").reduce((product, extent) => product * Number(extent), 1))
    .reduce((sum, count) => sum + count, 0);
}

/** Products of all convolutions: rows of the result by elements of the weight. */
function multiplyAdds(text: string): number {
  const convolutions = text.matchAll(
    /"ttnn\.conv2d".*: \(tensor<[^>]*>, tensor<([\dx]+)xbf16.*-> tensor<1x1x(\d+)x/g,
  );
  return [...convolutions].reduce(
    (sum, [, weight = "", rows]) =>
      sum + weight.split("x").reduce((product, extent) => product * Number(extent), Number(rows)),
    0,
  );
}

Deno.test("the zoo's ResNet-50 has the convolutions and parameters of the paper", () => {
  const text = ZOO.get("resnet50")?.() ?? "";
  assertEquals(text.match(/"ttnn\.conv2d"/g)?.length, 53);
  // 25,557,032 parameters (torchvision) minus batch norms and the bias of the classifier.
  assertEquals(parametersOf(text, "weight"), 25_557_032 - 53_120 - 1000);
});

Deno.test("the zoo's MobileNetV2 has the convolutions, parameters and operations of the paper", () => {
  const text = mobilenetV2(1);
  assertEquals(text.match(/"ttnn\.conv2d"/g)?.length, 52);
  // 3,504,872 parameters (torchvision), of which 34,112 are batch norms and 1,000 the bias of the classifier.
  assertEquals(parametersOf(text, "weight"), 3_504_872 - 34_112 - 1000);
  // 300 million multiply-adds of one image, with those of the classifier (table 4).
  assertEquals(Math.round((multiplyAdds(text) + 1280 * 1000) / 1e7), 30);
});

Deno.test("the zoo's BERT-large and Llama 3.1 8B have the parameters of the papers", () => {
  // 335 million without the pooler (Devlin et al. 2018), of which positions are given for this sequence only.
  const bert = bertLarge();
  const positions = (512 - 384) * 1024;
  const answers = 2 * 1024 + 2;
  assertEquals(parametersOf(bert, "") + positions - answers, 334_092_288);
  // 8,030,261,248 parameters: 32 layers, two tables of 128,256 tokens, the last norm (Meta's `config.json`).
  assertEquals(32 * parametersOf(llama8bDecode(), "weight") + 2 * 128_256 * 4096 + 4096, 8_030_261_248);
});

Deno.test("the zoo's SegFormer-b0 has the parameters of the published model", () => {
  // 3,752,694 (transformers), of which the decoder's batch norm has 512; folded, it is a bias of 256.
  assertEquals(parametersOf(segformerB0(), ""), 3_752_694 - 512 + 256);
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
