// SPDX-License-Identifier: Apache-2.0
import { type Image, type TensorValue, type ZooFunction, ZooModule } from "./builder.ts";

const SIZE = 128;
const TOKENS = SIZE * SIZE;
const HIDDEN = 32;
const REDUCTION = 8;
const EPSILON = 1e-5;

/**
 * The first block of SegFormer-B0's encoder on a 512x512 image: overlapping patch embedding, attention with keys and
 * values reduced eightfold in both directions, and a mix-FFN with a depthwise convolution (Xie et al. 2021).
 */
export function segformerBlock(): string {
  const module = new ZooModule("SegformerBlock");
  const f = module.forward();
  const pixels = f.flatten(f.toLayout(f.input("pixel_values", [1, 3, 512, 512])));
  const patches = f.conv2d(
    pixels,
    f.convWeight("patch_embeddings.0.proj.weight", [HIDDEN, 3, 7, 7]),
    f.parameter("patch_embeddings.0.proj.bias", [1, 1, 1, HIDDEN]),
    { kernel: [7, 7], stride: [4, 4], padding: [3, 3] },
  );
  const tokens = f.reshape(patches.tensor, [1, TOKENS, HIDDEN]);
  const embedded = norm(f, "patch_embeddings.0.layer_norm", tokens);
  const attended = f.add(attention(f, norm(f, "block.0.0.layer_norm_1", embedded)), embedded);
  const mixed = f.add(mixFfn(f, norm(f, "block.0.0.layer_norm_2", attended)), attended);
  const normed = norm(f, "layer_norm.0", mixed);
  f.return(f.permute(f.reshape(normed, [1, SIZE, SIZE, HIDDEN]), [0, 3, 1, 2]));
  return module.write();
}

function attention(f: ZooFunction, input: TensorValue): TensorValue {
  const name = "block.0.0.attention";
  const query = dense(f, `${name}.self.query`, input, HIDDEN);
  const reduced = f.conv2d(
    image(f, input, HIDDEN),
    f.convWeight(`${name}.self.sr.weight`, [HIDDEN, HIDDEN, REDUCTION, REDUCTION]),
    f.parameter(`${name}.self.sr.bias`, [1, 1, 1, HIDDEN]),
    { kernel: [REDUCTION, REDUCTION], stride: [REDUCTION, REDUCTION] },
  );
  const short = f.reshape(reduced.tensor, [1, TOKENS / REDUCTION ** 2, HIDDEN]);
  const normed = norm(f, `${name}.self.layer_norm`, short);
  const key = dense(f, `${name}.self.key`, normed, HIDDEN);
  const value = dense(f, `${name}.self.value`, normed, HIDDEN);
  const scale = f.number([1, 1, 1], 1 / Math.sqrt(HIDDEN));
  const scores = f.multiply(f.matmul(query, f.transpose(key)), scale);
  return dense(f, `${name}.output.dense`, f.matmul(f.softmax(scores), value), HIDDEN);
}

function mixFfn(f: ZooFunction, input: TensorValue): TensorValue {
  const width = 4 * HIDDEN;
  const name = "block.0.0.mlp";
  const wide = dense(f, `${name}.dense1`, input, width);
  const depthwise = f.conv2d(
    image(f, wide, width),
    f.convWeight(`${name}.dwconv.weight`, [width, 1, 3, 3]),
    f.parameter(`${name}.dwconv.bias`, [1, 1, 1, width]),
    { kernel: [3, 3], padding: [1, 1], groups: width },
  );
  const activated = f.reshape(f.unary("gelu", depthwise.tensor), [1, TOKENS, width]);
  return dense(f, `${name}.dense2`, activated, HIDDEN);
}

function image(f: ZooFunction, tokens: TensorValue, channels: number): Image {
  const tensor = f.reshape(tokens, [1, 1, TOKENS, channels]);
  return { tensor, batch: 1, height: SIZE, width: SIZE, channels };
}

function norm(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  const weight = f.parameter(`${name}.weight`, [HIDDEN]);
  return f.layerNorm(input, weight, f.parameter(`${name}.bias`, [HIDDEN]), EPSILON);
}

function dense(f: ZooFunction, name: string, input: TensorValue, width: number): TensorValue {
  const weight = f.parameter(`${name}.weight`, [input.type.shape.at(-1) ?? 1, width]);
  return f.linear(input, weight, f.parameter(`${name}.bias`, [width]));
}
