// SPDX-License-Identifier: Apache-2.0
import { three } from "./zoo_function.ts";
import { type Image, type TensorValue, type ZooFunction, ZooModule } from "./builder.ts";

/** A stage of the encoder. */
interface Stage {
  readonly channels: number;
  readonly heads: number;
  /** Of keys and values, in both directions. */
  readonly reduction: number;
  readonly kernel: number;
  readonly stride: number;
}

/** SegFormer-B0 (Xie et al. 2021, table 6). */
const STAGES: readonly [Stage, ...Stage[]] = [
  { channels: 32, heads: 1, reduction: 8, kernel: 7, stride: 4 },
  { channels: 64, heads: 2, reduction: 4, kernel: 3, stride: 2 },
  { channels: 160, heads: 5, reduction: 2, kernel: 3, stride: 2 },
  { channels: 256, heads: 8, reduction: 1, kernel: 3, stride: 2 },
];
const [DECODER, CLASSES] = [256, 150];
const EPSILON = 1e-5;

/**
 * The first block of SegFormer-B0's encoder on a 512x512 image: overlapping patch embedding, attention with keys and
 * values reduced eightfold in both directions, and a mix-FFN with a depthwise convolution (Xie et al. 2021).
 */
export function segformerBlock(): string {
  const module = new ZooModule("SegformerBlock");
  const f = module.forward();
  const pixels = f.flatten(f.toLayout(f.input("pixel_values", [1, 3, 512, 512])));
  const features = encoderStage(f, pixels, STAGES[0], 0, 1);
  f.return(channelsFirst(f, features));
  return module.write();
}

/** SegFormer-B0 for 150 classes on a 512x512 image, the decoder's batch norm folded. */
export function segformerB0(): string {
  const module = new ZooModule("SegformerB0");
  const f = module.forward();
  let image = f.flatten(f.toLayout(f.input("pixel_values", [1, 3, 512, 512])));
  const levels = STAGES.map((stage, index) => {
    const encoded = encoderStage(f, image, stage, index, 2);
    image = imageOf(f, encoded.tensor, encoded, stage.channels);
    const tokens = f.reshape(encoded.tensor, [1, image.height * image.width, stage.channels]);
    const projected = f.dense(`decode_head.linear_c.${index}.proj`, tokens, DECODER);
    const shaped = f.reshape(projected, [1, image.height, image.width, DECODER]);
    return f.upsample(shaped, 128 / image.height);
  });
  const joined = f.reshape(f.concat(levels.toReversed(), 3), [1, 1, 128 * 128, STAGES.length * DECODER]);
  const features: Image = {
    tensor: joined,
    batch: 1,
    height: 128,
    width: 128,
    channels: STAGES.length * DECODER,
  };
  const fused = f.conv2d("decode_head.linear_fuse", features, DECODER, { kernel: [1, 1] }, "relu");
  f.return(channelsFirst(f, f.conv2d("decode_head.classifier", fused, CLASSES, { kernel: [1, 1] })));
  return module.write();
}

function channelsFirst(f: ZooFunction, { tensor, height, width, channels }: Image): TensorValue {
  return f.permute(f.reshape(tensor, [1, height, width, channels]), [0, 3, 1, 2]);
}

/** Overlapping patches, blocks, and a norm. */
function encoderStage(f: ZooFunction, input: Image, stage: Stage, index: number, blocks: number): Image {
  const { channels, kernel, stride } = stage;
  const name = `patch_embeddings.${index}`;
  const half = (kernel - 1) / 2;
  const window = { kernel: [kernel, kernel], stride: [stride, stride], padding: [half, half] } as const;
  const patches = f.conv2d(`${name}.proj`, input, channels, window);
  const shape: Image = { ...patches, channels };
  let value = f.layerNorm(`${name}.layer_norm`, tokensOf(f, patches), EPSILON);
  for (let block = 0; block < blocks; block++) {
    const at = `block.${index}.${block}`;
    const attended = f.add(
      attention(f, at, f.layerNorm(`${at}.layer_norm_1`, value, EPSILON), shape, stage),
      value,
    );
    value = f.add(
      mixFfn(f, at, f.layerNorm(`${at}.layer_norm_2`, attended, EPSILON), shape, stage),
      attended,
    );
  }
  return { ...shape, tensor: f.layerNorm(`layer_norm.${index}`, value, EPSILON) };
}

function attention(
  f: ZooFunction,
  block: string,
  input: TensorValue,
  shape: Image,
  stage: Stage,
): TensorValue {
  const { channels, heads, reduction } = stage;
  const name = `${block}.attention`;
  const query = f.dense(`${name}.self.query`, input, channels);
  const short = reduction === 1
    ? input
    : reduced(f, `${name}.self`, imageOf(f, input, shape, channels), stage);
  const key = f.dense(`${name}.self.key`, short, channels);
  const value = f.dense(`${name}.self.value`, short, channels);
  const [queries, keys, values] = three(
    [query, key, value].map((part) => heads === 1 ? part : perHead(f, part, heads)),
  );
  const scale = f.number(queries.type.shape.map(() => 1), 1 / Math.sqrt(channels / heads));
  const scores = f.multiply(f.matmul(queries, f.transpose(keys)), scale);
  const mixed = f.matmul(f.softmax(scores), values);
  const joined = heads === 1
    ? mixed
    : f.reshape(f.permute(mixed, [0, 2, 1, 3]), [1, query.type.shape[1] ?? 1, channels]);
  return f.dense(`${name}.output.dense`, joined, channels);
}

function perHead(f: ZooFunction, part: TensorValue, heads: number): TensorValue {
  const [, rows = 1, width = 1] = part.type.shape;
  return f.permute(f.reshape(part, [1, rows, heads, width / heads]), [0, 2, 1, 3]);
}

/** Rows of a smaller image for keys and values. */
function reduced(f: ZooFunction, name: string, image: Image, stage: Stage): TensorValue {
  const extents = [stage.reduction, stage.reduction] as const;
  const small = f.conv2d(`${name}.sr`, image, stage.channels, { kernel: extents, stride: extents });
  return f.layerNorm(`${name}.layer_norm`, tokensOf(f, small), EPSILON);
}

function mixFfn(f: ZooFunction, block: string, input: TensorValue, shape: Image, stage: Stage): TensorValue {
  const width = 4 * stage.channels;
  const name = `${block}.mlp`;
  const wide = f.dense(`${name}.dense1`, input, width);
  const depthwise = f.conv2d(`${name}.dwconv`, imageOf(f, wide, shape, width), width, {
    kernel: [3, 3],
    padding: [1, 1],
    groups: width,
  });
  const activated = f.reshape(f.unary("gelu", depthwise.tensor), [1, shape.height * shape.width, width]);
  return f.dense(`${name}.dense2`, activated, stage.channels);
}

function imageOf(f: ZooFunction, tokens: TensorValue, { height, width }: Image, channels: number): Image {
  return { tensor: f.reshape(tokens, [1, 1, height * width, channels]), batch: 1, height, width, channels };
}

function tokensOf(f: ZooFunction, { tensor, height, width, channels }: Image): TensorValue {
  return f.reshape(tensor, [1, height * width, channels]);
}
