// SPDX-License-Identifier: Apache-2.0
import { bertBase } from "./bert_base.ts";
import { llamaDecode, llamaPrefill } from "./llama_3_2_1b.ts";
import { mnist } from "./mnist.ts";
import { resnet50 } from "./resnet50.ts";
import { segformerBlock } from "./segformer_block.ts";
import { unet } from "./unet.ts";
import { vitB } from "./vit_b.ts";

/** The model zoo: file name (without `.mlir`) and what writes the text. */
export const ZOO: ReadonlyMap<string, () => string> = new Map([
  ["bert_base", bertBase],
  ["llama_3_2_1b_decode", llamaDecode],
  ["llama_3_2_1b_prefill", llamaPrefill],
  ["mnist", mnist],
  ["resnet50", resnet50],
  ["segformer_block", segformerBlock],
  ["unet", unet],
  ["vit_b", vitB],
]);

/** Folder of the written models. */
export const MODELS: URL = new URL("../models/", import.meta.url);
