// SPDX-License-Identifier: Apache-2.0

/** Shapes of activations in published models, by where they occur. */

/** Tokens by hidden size: BERT, ViT, GPT-2, Llama, SegFormer, Swin, CLIP, Whisper. */
export const TOKENS: readonly (readonly number[])[] = [
  [1, 384, 768],
  [8, 128, 768],
  [1, 197, 768],
  [8, 197, 1024],
  [1, 512, 1024],
  [1, 128, 2048],
  [1, 1, 32, 2048],
  [1, 1, 32, 4096],
  [1, 1024, 160],
  [1, 4096, 64],
  [1, 256, 256],
  [1, 3136, 96],
  [1, 784, 192],
  [2, 77, 768],
  [1, 1500, 384],
  [32, 3072],
  [1024, 1024],
  [64, 128],
];

/** Pixels by channels, in one row of pixels or by rows and columns: ResNet, U-Net, MobileNet. */
export const PIXELS: readonly (readonly number[])[] = [
  [1, 1, 3136, 64],
  [1, 1, 3136, 256],
  [1, 1, 784, 512],
  [1, 1, 196, 1024],
  [1, 1, 49, 2048],
  [1, 1, 12544, 32],
  [1, 56, 56, 64],
  [1, 28, 28, 128],
  [2, 14, 14, 256],
  [1, 7, 7, 512],
  [1, 32, 32, 320],
];

/** Heads apart: batch, heads, sequence, width of a head. */
export const HEADS: readonly (readonly number[])[] = [
  [1, 12, 384, 64],
  [8, 12, 128, 64],
  [1, 12, 197, 64],
  [1, 32, 128, 64],
  [1, 8, 512, 128],
  [1, 16, 256, 96],
  [2, 8, 1024, 40],
];

/** Scores of attention. */
export const SCORES: readonly (readonly number[])[] = [
  [1, 12, 384, 384],
  [8, 12, 128, 128],
  [1, 12, 197, 197],
  [1, 1, 4096, 64],
  [1, 5, 1024, 256],
  [64, 3, 49, 49],
];

/** Any activation. */
export const ACTIVATIONS: readonly (readonly number[])[] = [...TOKENS, ...PIXELS, ...HEADS, ...SCORES];
