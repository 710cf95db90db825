// SPDX-License-Identifier: Apache-2.0

/**
 * Graph patterns that change nothing in the files of the corpus, on what front ends make of public models: each text is
 * how PyTorch's or JAX's lowering spells the lines that its source names.
 */

import { assertEquals } from "@std/assert";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { loadModule } from "./load_module.ts";

/** Lines of a public model as TTIR, and the patterns that have to find them. */
interface Spelling {
  /** Where the lines stand. */
  readonly source: string;
  readonly patterns: readonly string[];
  readonly signature: string;
  readonly lines: readonly string[];
}

/** An op of operands of one type each and one result, in the generic form. */
function op(result: string, call: string, from: string, to: string): string {
  const [name = "", operands = "", properties] = call.split(/[()]/);
  return `%${result} = "ttir.${name}"(${operands})${properties ?? ""} : (${from}) -> ${to}`;
}

/** A tensor of one number. */
function full(result: string, value: string, type: string): string {
  const shape = type.slice("tensor<".length).split("x").slice(0, -1).join(", ");
  return `%${result} = "ttir.full"() <{fill_value = ${value} : f32, shape = array<i32: ${shape}>}> : () -> ${type}`;
}

function shape(...extents: readonly number[]): string {
  return ` <{shape = [${extents.map((extent) => `${extent} : i32`).join(", ")}]}>`;
}

const PIXELS = "tensor<1x64x19x19xbf16>";
const APART = "tensor<1x64x19x1x19x1xbf16>";
const COPIES = "tensor<1x64x19x2x19x2xbf16>";
const CHANNELS = "tensor<1x64x112x112xbf16>";
const IMAGES = "tensor<2x144x56x56xbf16>";
const POINTWISE = " <{stride = array<i32: 1, 1>, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}>";
const SCORES = "tensor<64x3x49x49xbf16>";
const WINDOWS = "tensor<1x64x3x49x49xbf16>";
const HEADS = "tensor<64x3x49x32xbf16>";
const ROWS = "tensor<2x128xbf16>";
const TOKENS = "tensor<2x128x768xbf16>";
const ONE = "tensor<1xf32>";

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  "YOLOv4's upsampling": {
    source: "Tianxiaomo/pytorch-YOLOv4, tool/darknet2pytorch.py, Upsample_expand",
    patterns: ["fuse-upsample"],
    signature: `(%x: ${PIXELS}) -> tensor<1x64x38x38xbf16>`,
    lines: [
      op("0", `reshape(%x)${shape(1, 64, 19, 1, 19, 1)}`, PIXELS, APART),
      op("1", "broadcast(%0) <{broadcast_dimensions = array<i64: 1, 1, 1, 2, 1, 2>}>", APART, COPIES),
      op("2", `reshape(%1)${shape(1, 64, 38, 38)}`, COPIES, "tensor<1x64x38x38xbf16>"),
      "return %2 : tensor<1x64x38x38xbf16>",
    ],
  },
  "YOLOv4's mish": {
    source: "Tianxiaomo/pytorch-YOLOv4, tool/darknet2pytorch.py, Mish; softplus as PyTorch decomposes it",
    patterns: ["fuse-function"],
    signature: `(%x: ${PIXELS}) -> ${PIXELS}`,
    lines: [
      full("t", "20.0", PIXELS),
      op("0", "gt(%x, %t)", `${PIXELS}, ${PIXELS}`, "tensor<1x64x19x19xi1>"),
      op("1", "exp(%x)", PIXELS, PIXELS),
      op("2", "log1p(%1)", PIXELS, PIXELS),
      op("3", "where(%0, %x, %2)", `tensor<1x64x19x19xi1>, ${PIXELS}, ${PIXELS}`, PIXELS),
      op("4", "tanh(%3)", PIXELS, PIXELS),
      op("5", "multiply(%x, %4)", `${PIXELS}, ${PIXELS}`, PIXELS),
      `return %5 : ${PIXELS}`,
    ],
  },
  "MobileNetV3's gate": {
    source: "pytorch/pytorch, torch/_decomp/decompositions.py, hardsigmoid",
    patterns: ["fuse-function"],
    signature: `(%x: ${PIXELS}) -> ${PIXELS}`,
    lines: [
      full("3", "3.0", PIXELS),
      full("6", "6.0", PIXELS),
      op("0", "add(%x, %3)", `${PIXELS}, ${PIXELS}`, PIXELS),
      op("1", "clamp_scalar(%0) <{min = 0.0 : f32, max = 6.0 : f32}>", PIXELS, PIXELS),
      op("2", "div(%1, %6)", `${PIXELS}, ${PIXELS}`, PIXELS),
      `return %2 : ${PIXELS}`,
    ],
  },
  "EfficientNet's padding": {
    source: "huggingface/pytorch-image-models, timm/layers/conv2d_same.py: padded behind more than before",
    patterns: ["fold-pad-into-convolution"],
    signature: "(%x: tensor<1x112x112x32xbf16>, %w: tensor<64x32x3x3xbf16>) -> tensor<1x56x56x64xbf16>",
    lines: [
      op(
        "0",
        "pad(%x) <{padding = array<i32: 0, 0, 0, 1, 0, 1, 0, 0>, value = 0.0 : f32}>",
        "tensor<1x112x112x32xbf16>",
        "tensor<1x113x113x32xbf16>",
      ),
      op(
        "1",
        "conv2d(%0, %w) <{stride = array<i32: 2, 2>, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}>",
        "tensor<1x113x113x32xbf16>, tensor<64x32x3x3xbf16>",
        "tensor<1x56x56x64xbf16>",
      ),
      "return %1 : tensor<1x56x56x64xbf16>",
    ],
  },
  "pooling with TensorFlow's padding": {
    source:
      "huggingface/pytorch-image-models, timm/layers/pool2d_same.py, avg_pool2d_same: channels first, the kernel's last",
    patterns: ["fold-pad-into-pool"],
    signature: "(%x: tensor<1x112x112x64xbf16>) -> tensor<1x56x56x64xbf16>",
    lines: [
      op("0", "permute(%x) <{permutation = array<i64: 0, 3, 1, 2>}>", "tensor<1x112x112x64xbf16>", CHANNELS),
      op(
        "1",
        "pad(%0) <{padding = array<i32: 0, 0, 0, 0, 0, 1, 0, 1>, value = 0.0 : f32}>",
        CHANNELS,
        "tensor<1x64x113x113xbf16>",
      ),
      op(
        "2",
        "permute(%1) <{permutation = array<i64: 0, 2, 3, 1>}>",
        "tensor<1x64x113x113xbf16>",
        "tensor<1x113x113x64xbf16>",
      ),
      op(
        "3",
        `avg_pool2d(%2) <{kernel = array<i32: 3, 3>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>, ${"padding = array<i32: 0, 0, 0, 0>, ceil_mode = false, count_include_pad = true}>"}`,
        "tensor<1x113x113x64xbf16>",
        "tensor<1x56x56x64xbf16>",
      ),
      "return %3 : tensor<1x56x56x64xbf16>",
    ],
  },
  "squeeze and excitation of two images": {
    source:
      "huggingface/pytorch-image-models, timm/layers/squeeze_excite.py: a mean over pixels, PyTorch's as a sum",
    patterns: ["fuse-mean", "merge-pixels"],
    signature:
      `(%x: tensor<2x56x56x24xbf16>, %w: tensor<144x24x1x1xbf16>, %p: tensor<24x144x1x1xbf16>) -> ${"tensor<2x56x56x24xbf16>"}`,
    lines: [
      op(
        "0",
        `conv2d(%x, %w)${POINTWISE}`,
        "tensor<2x56x56x24xbf16>, tensor<144x24x1x1xbf16>",
        "tensor<2x56x56x144xbf16>",
      ),
      op("1", "permute(%0) <{permutation = array<i64: 0, 3, 1, 2>}>", "tensor<2x56x56x144xbf16>", IMAGES),
      op("2", "sum(%1) <{dim_arg = [2 : i32, 3 : i32], keep_dim = false}>", IMAGES, "tensor<2x144xbf16>"),
      full("n", "3136.0", "tensor<2x144xbf16>"),
      op("3", "div(%2, %n)", "tensor<2x144xbf16>, tensor<2x144xbf16>", "tensor<2x144xbf16>"),
      op("4", "sigmoid(%3)", "tensor<2x144xbf16>", "tensor<2x144xbf16>"),
      op("5", `reshape(%4)${shape(2, 144, 1, 1)}`, "tensor<2x144xbf16>", "tensor<2x144x1x1xbf16>"),
      op("6", "multiply(%1, %5)", `${IMAGES}, tensor<2x144x1x1xbf16>`, IMAGES),
      op("7", "permute(%6) <{permutation = array<i64: 0, 2, 3, 1>}>", IMAGES, "tensor<2x56x56x144xbf16>"),
      op(
        "8",
        `conv2d(%7, %p)${POINTWISE}`,
        "tensor<2x56x56x144xbf16>, tensor<24x144x1x1xbf16>",
        "tensor<2x56x56x24xbf16>",
      ),
      "return %8 : tensor<2x56x56x24xbf16>",
    ],
  },
  "Swin's shifted windows": {
    source: "pytorch/vision, torchvision/models/swin_transformer.py, shifted_window_attention",
    patterns: ["join-masks", "fuse-attention"],
    signature:
      `(%q: ${HEADS}, %k: ${HEADS}, %v: ${HEADS}, %b: tensor<1x3x49x49xbf16>, %m: tensor<64x49x49xbf16>) -> ${HEADS}`,
    lines: [
      op("0", "permute(%k) <{permutation = array<i64: 0, 1, 3, 2>}>", HEADS, "tensor<64x3x32x49xbf16>"),
      op("1", "matmul(%q, %0)", `${HEADS}, tensor<64x3x32x49xbf16>`, SCORES),
      op("2", "add(%1, %b)", `${SCORES}, tensor<1x3x49x49xbf16>`, SCORES),
      op("3", `reshape(%2)${shape(1, 64, 3, 49, 49)}`, SCORES, WINDOWS),
      op("4", `reshape(%m)${shape(1, 64, 1, 49, 49)}`, "tensor<64x49x49xbf16>", "tensor<1x64x1x49x49xbf16>"),
      op("5", "add(%3, %4)", `${WINDOWS}, tensor<1x64x1x49x49xbf16>`, WINDOWS),
      op("6", `reshape(%5)${shape(64, 3, 49, 49)}`, WINDOWS, SCORES),
      op("7", "softmax(%6) <{dimension = 3 : si32, numericStable = true}>", SCORES, SCORES),
      op("8", "matmul(%7, %v)", `${SCORES}, ${HEADS}`, HEADS),
      `return %8 : ${HEADS}`,
    ],
  },
  "a root mean square without kept dimensions": {
    source: "x · rsqrt(mean(x²) + ε)[..., None], as norms are written that keep no reduced dimension",
    patterns: ["fuse-mean", "fuse-rms-norm"],
    signature: `(%x: ${TOKENS}, %w: tensor<768xbf16>) -> ${TOKENS}`,
    lines: [
      full("n", "768.0", ROWS),
      full("e", "1.0e-05", ROWS),
      op("0", "multiply(%x, %x)", `${TOKENS}, ${TOKENS}`, TOKENS),
      op("1", "sum(%0) <{dim_arg = [2 : i32], keep_dim = false}>", TOKENS, ROWS),
      op("2", "div(%1, %n)", `${ROWS}, ${ROWS}`, ROWS),
      op("3", "add(%2, %e)", `${ROWS}, ${ROWS}`, ROWS),
      op("4", "rsqrt(%3)", ROWS, ROWS),
      op("5", `reshape(%4)${shape(2, 128, 1)}`, ROWS, "tensor<2x128x1xbf16>"),
      op("6", "multiply(%x, %5)", `${TOKENS}, tensor<2x128x1xbf16>`, TOKENS),
      op("7", "multiply(%6, %w)", `${TOKENS}, tensor<768xbf16>`, TOKENS),
      `return %7 : ${TOKENS}`,
    ],
  },
  "jnp.var's division": {
    source:
      "jax-ml/jax, jax/_src/numpy/reductions.py, _var: not a number where there is no degree of freedom",
    patterns: ["fold-numbers", "fold-known-selection"],
    signature: `(%x: ${ONE}) -> ${ONE}`,
    lines: [
      full("n", "768.0", ONE),
      full("d", "1.0", ONE),
      full("z", "0.0", ONE),
      full("nan", "0x7FC00000", ONE),
      op("0", "subtract(%n, %d)", `${ONE}, ${ONE}`, ONE),
      op("1", "gt(%0, %z)", `${ONE}, ${ONE}`, "tensor<1xi1>"),
      op("2", "div(%x, %0)", `${ONE}, ${ONE}`, ONE),
      op("3", "where(%1, %2, %nan)", `tensor<1xi1>, ${ONE}, ${ONE}`, ONE),
      `return %3 : ${ONE}`,
    ],
  },
  "probabilities of the next token": {
    source: "huggingface/transformers, generation/utils.py, _sample: softmax of logits in float32",
    patterns: ["spell-out-softmax"],
    signature: "(%x: tensor<1x128256xbf16>) -> tensor<1x128256xf32>",
    lines: [
      op("0", "typecast(%x)", "tensor<1x128256xbf16>", "tensor<1x128256xf32>"),
      op(
        "1",
        "softmax(%0) <{dimension = 1 : si32, numericStable = true}>",
        "tensor<1x128256xf32>",
        "tensor<1x128256xf32>",
      ),
      "return %1 : tensor<1x128256xf32>",
    ],
  },
};

for (const [name, { source, patterns, signature, lines }] of Object.entries(SPELLINGS)) {
  Deno.test(`${name}: ${patterns.join(", ")} (${source})`, () => {
    const text = `func.func @main${signature} {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;
    const applied = new Set(loadModule(text, { device: "n150" }).graphChanges.map(({ pass }) => pass));
    assertEquals(patterns.filter((pattern) => !applied.has(pattern)), []);
  });
}

const FORMS = new URL("../testdata/forms/", import.meta.url);

for (const { name } of Deno.readDirSync(FORMS)) {
  const pattern = name.replace(".mlir", "");
  Deno.test(`${pattern} changes the form of testdata/forms`, () => {
    const text = Deno.readTextFileSync(new URL(name, FORMS));
    const { graphChanges } = loadModule(text, { device: "n150", passes: DEFAULT_PASS_OPTIONS });
    assertEquals(graphChanges.some(({ pass }) => pass === pattern), true);
  });
}
