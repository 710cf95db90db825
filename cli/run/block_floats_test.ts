// SPDX-License-Identifier: Apache-2.0
import { assert, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost } from "../testing/project_host.ts";

/** What `optimize` says of a program under the policy that leaves graph passes alone. */
async function optimized(text: string, flags: readonly string[] = []): Promise<string> {
  const host = createProjectHost({ files: { "program.mlir": text } });
  const words = ["optimize", "program.mlir", "--policy", "dram", ...flags];
  const code = await runCommandLine(words, host, "0.0.0", COMMANDS);
  assert(code <= 1, host.err());
  return host.out();
}

function read(file: string): string {
  return Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", file));
}

/** A program whose tiles of bf16 hold block floats, which exist in tiles only. */
function inBlockFloats(text: string): string {
  const tiled = new Set<string>();
  return text.replaceAll(/^(#\w+) = #ttnn\.ttnn_layout<.*tile<32x32, bf16>.*$/gm, (line, name) => {
    tiled.add(name);
    return line.replace("tile<32x32, bf16>", "tile<32x32, bfp_bf8>");
  }).replaceAll(
    /xbf16, (#\w+)>/g,
    (type, name) => tiled.has(name) ? `x!ttcore.tile<32x32, bfp_bf8>, ${name}>` : type,
  );
}

const MODELS = ["bert_base", "llama_3_2_1b_decode", "segformer_block", "unet", "vit_b"];

for (const model of MODELS) {
  Deno.test(`${model} with activations in block floats gets a plan`, async () => {
    const text = inBlockFloats(read(`models/${model}.mlir`));
    assertStringIncludes(text, "bfp_bf8>, #");
    assertStringIncludes(await optimized(text), "L1  ");
  });
}

for (const file of ["mobilenet_v2", "vit_b"]) {
  Deno.test(`the hand-tuned program of ${file}, whose conversions stand between memories, gets a plan`, async () => {
    assertStringIncludes(await optimized(read(`hand_tuned/${file}.mlir`)), "L1  ");
  });
}
