// SPDX-License-Identifier: Apache-2.0
import { three } from "./zoo_function.ts";
import { type TensorValue, type ZooFunction, ZooModule } from "./builder.ts";

const HIDDEN = 768;
const HEADS = 12;
const TOKENS = 197;
const EPSILON = 1e-6;

/**
 * ViT-B/16 for 224x224 images: 12 encoder layers on 196 patches and a class token (Dosovitskiy et al. 2020).
 *
 * @param layers encoder layers; another number than 12 is no published model, but shows how work grows with depth
 */
export function vitB(layers: number = 12, batch: number = 8): string {
  const module = new ZooModule("ViTB16");
  const f = module.forward();
  const image = f.flatten(f.toLayout(f.input("pixel_values", [batch, 3, 224, 224])));
  const patches = f.conv2d("conv_proj", image, HIDDEN, { kernel: [16, 16], stride: [16, 16] });
  const classToken = f.repeat(f.parameter("class_token", [1, 1, HIDDEN]), [batch, 1, HIDDEN]);
  const tokens = f.concat([classToken, f.reshape(patches.tensor, [batch, TOKENS - 1, HIDDEN])], 1);
  let value = f.add(tokens, f.parameter("encoder.pos_embedding", [1, TOKENS, HIDDEN]));
  for (let layer = 0; layer < layers; layer++) value = encoderLayer(f, `encoder.layers.${layer}`, value);
  const normed = f.layerNorm("encoder.ln", value, EPSILON);
  const classRow = f.reshape(f.slice(normed, 1, { from: 0, to: 1 }), [batch, HIDDEN]);
  f.return(f.dense("heads", classRow, 1000));
  return module.write();
}

function encoderLayer(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  const normed = f.layerNorm(`${name}.ln_1`, input, EPSILON);
  const attended = f.add(attention(f, `${name}.self_attention`, normed), input);
  const wide = f.dense(`${name}.mlp.0`, f.layerNorm(`${name}.ln_2`, attended, EPSILON), 4 * HIDDEN);
  return f.add(f.dense(`${name}.mlp.3`, f.unary("gelu", wide), HIDDEN), attended);
}

/** Attention written out as upstream's level 0 leaves it: reshapes, permutes, two matmuls and a softmax. */
function attention(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  const [batch = 1] = input.type.shape;
  const [query, key, value] = three(["query", "key", "value"].map((part) => {
    const projected = f.dense(`${name}.${part}`, input, HIDDEN);
    return f.permute(f.reshape(projected, [batch, TOKENS, HEADS, HIDDEN / HEADS]), [0, 2, 1, 3]);
  }));
  const scale = f.number([1, 1, 1, 1], 1 / Math.sqrt(HIDDEN / HEADS));
  const scores = f.multiply(f.matmul(query, f.transpose(key)), scale);
  const mixed = f.matmul(f.softmax(scores), value);
  const joined = f.reshape(f.permute(mixed, [0, 2, 1, 3]), [batch, TOKENS, HIDDEN]);
  return f.dense(`${name}.out_proj`, joined, HIDDEN);
}
