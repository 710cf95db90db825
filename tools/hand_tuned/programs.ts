// SPDX-License-Identifier: Apache-2.0
import { constEval } from "../../lib/passes/const_eval.ts";
import { prepareConvolutionWeights } from "../../lib/passes/prepare_convolution_weights.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { afterPasses } from "../../pipeline/decided_graph.ts";
import { loadModule } from "../../pipeline/load_module.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import type { Timeline } from "../../sim/timeline/timeline.ts";
import { bertLargeByHand } from "./bert_large.ts";
import { llama8bByHand } from "./llama_8b.ts";
import { mobilenetV2ByHand } from "./mobilenet_v2.ts";
import { resnet50ByHand } from "./resnet50.ts";
import { unetByHand } from "./unet.ts";
import { vitByHand } from "./vit_b.ts";

/** A program as it was written by hand, beside its published time. */
export interface HandTuned {
  readonly model: string;
  readonly us: number;
  /** Differences between the measured program and this one. */
  readonly differs: string;
  readonly text: string;
}

/** On n150; all but the last published times are of kernels alone. */
export const BY_HAND: readonly HandTuned[] = [
  {
    model: "ResNet-50, batch 16",
    us: 2526,
    differs: "lacks the fold of the image; no words for `full_inner_dim` and reuse of activations",
    text: resnet50ByHand(),
  },
  {
    model: "U-Net 480x640, batch 1",
    us: 4975,
    differs: "lacks the turns of channels at both ends",
    text: unetByHand(),
  },
  {
    model: "MobileNetV2, batch 10",
    us: 2681,
    differs: "begins with the image in shards, where the measured program has it from the host",
    text: mobilenetV2ByHand(),
  },
  {
    model: "BERT-large, sequence 384, batch 8",
    us: 23_529,
    differs: "lacks scale and mask in the softmax; splits heads over the network instead of within cores",
    text: bertLargeByHand(),
  },
  {
    model: "ViT-B, batch 8",
    us: 5517,
    differs: "lacks the fold into patches; softmax and norms without their sharded program configs",
    text: vitByHand(),
  },
  {
    model: "Llama 3.1 8B, 32 users, a step",
    us: 38_460,
    differs:
      "lacks host, transfer and the choice of a token, which the published time holds; 256 positions are read",
    text: llama8bByHand(),
  },
];

/** The program as it is, with the weights of convolutions prepared once. */
export function asWritten({ text }: HandTuned): Timeline {
  const loaded = loadModule(text, { device: "n150", passes: "none" });
  const workbench = afterPasses(loaded, [prepareConvolutionWeights, constEval], DEFAULT_POLICY_OPTIONS) ??
    loaded;
  return simulateGraph(workbench.binding.graph, undefined, workbench);
}
