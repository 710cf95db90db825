// SPDX-License-Identifier: Apache-2.0
import {
  type TensorValue,
  type ZooFunction,
  ZooModule,
  type ZooPlacement,
} from "../../testdata/zoo/builder.ts";
import {
  BFP8,
  blocks,
  heights,
  L1,
  layerNorm,
  linear,
  multicast,
  product,
  reuse,
  run,
  softmaxInPlace,
} from "./hand_written.ts";

const BATCH = 8;
const TOKENS = 197;
const WIDTH = 768;
const HEADS = 12;
const GRID = [8, 8] as const;
/** Of what attention computes: one row of cores per image. */
const HEAD_GRID = [8, 6] as const;
const SHARDS = blocks(...GRID);
const PER_HEAD: ZooPlacement = {
  ...heights(48),
  coreRanges: [{ start: { x: 0, y: 0 }, end: { x: HEAD_GRID[1] - 1, y: HEAD_GRID[0] - 1 } }],
};

/**
 * ViT-B/16 with eight images as tt-metal's `vit` demo runs it on n150: 8 x 8 cores with shards of 224 x 96, 48 cores for
 * attention, everything but norm parameters in bfp8. It begins behind the fold of the image into patches, for which
 * TTNN has no op.
 */
export function vitByHand(): string {
  const module = new ZooModule("ViTByHand");
  const f = module.forward();
  let value = f.toMemoryConfig(embeddings(f), SHARDS);
  for (let layer = 0; layer < 12; layer++) value = encoderLayer(f, `encoder.layer.${layer}`, value);
  const classes = f.toMemoryConfig(layerNorm(f, "layernorm", [value], SHARDS), blocks(...HEAD_GRID));
  f.return(linear(f, "classifier", classes, 1152, {
    place: blocks(...HEAD_GRID),
    config: product(multicast({ grid: HEAD_GRID, k: 2, subblock: [1, 6], core: [7, 6] })),
  }));
  return module.write();
}

function embeddings(f: ZooFunction): TensorValue {
  const folded = f.input("patches", [BATCH * 196, 1024], L1);
  const tiles = run(f, "to_layout", [folded], { place: { ...L1, ...BFP8 } });
  const patches = linear(f, "patch_embeddings", tiles, WIDTH, {
    place: { ...L1, dataType: "bf16" },
    config: product(multicast({ grid: HEAD_GRID, k: 4, subblock: [1, 4], core: [7, 4] })),
  });
  const rows = run(f, "to_layout", [patches], { place: { ...L1, rowMajor: true } });
  const images = run(f, "reshape", [rows], {
    place: { ...L1, rowMajor: true },
    properties: { shape: [BATCH, TOKENS - 1, WIDTH] },
  });
  const token = f.parameter("cls_token", [BATCH, 1, WIDTH], { ...L1, rowMajor: true });
  const joined = run(f, "concat", [token, images], {
    place: { ...L1, rowMajor: true },
    properties: { dim: 1 },
  });
  const tiled = run(f, "to_layout", [joined], { place: L1 });
  const positions = f.parameter("position_embeddings", [1, TOKENS, WIDTH], BFP8);
  return run(f, "add", [tiled, positions], { place: { ...L1, ...BFP8 } });
}

function encoderLayer(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  const dense = (
    layer: string,
    x: TensorValue,
    width: number,
    [k, subblock, columns]: readonly [k: number, subblock: number, columns: number],
    activation: { readonly activation?: "gelu" } = {},
  ): TensorValue =>
    linear(f, `${name}.${layer}`, x, width, {
      place: SHARDS,
      config: product(
        multicast({ grid: GRID, k, subblock: [1, subblock], core: [7, columns], ...activation }),
      ),
    });
  const add = (a: TensorValue, b: TensorValue): TensorValue => run(f, "add", [a, b], { place: SHARDS });
  const before = layerNorm(f, `${name}.layernorm_before`, [input], SHARDS);
  const fused = dense("attention.query_key_value", before, 3 * WIDTH, [3, 3, 9]);
  const [query, key, value] = f.splitHeads(f.toMemoryConfig(fused, blocks(...HEAD_GRID)), HEADS, PER_HEAD);
  const perHead = (k: number, subblock: number, columns: number) => ({
    place: PER_HEAD,
    config: product(reuse({ grid: HEAD_GRID, k, subblock: [1, subblock], core: [14, columns] })),
  });
  const scores = run(f, "matmul", [query, key], perHead(2, 7, 7));
  const scale = f.number([1, 1, 1, 1], 1 / Math.sqrt(WIDTH / HEADS));
  const scaled = run(f, "multiply", [scores, scale], { place: PER_HEAD });
  const weights = run(f, "softmax", [scaled], softmaxInPlace(PER_HEAD, HEAD_GRID, [14, 7], 7));
  const mixed = run(f, "matmul", [weights, value], perHead(7, 2, 2));
  const joined = run(f, "concatenate_heads", [mixed], { place: blocks(...HEAD_GRID) });
  const output = dense("attention.output", f.toMemoryConfig(joined, SHARDS), WIDTH, [3, 3, 3]);
  const attended = add(output, input);
  const normed = layerNorm(f, `${name}.layernorm_after`, [attended], SHARDS);
  const wide = dense("intermediate", normed, 4 * WIDTH, [3, 6, 12], { activation: "gelu" });
  return add(dense("output", wide, WIDTH, [12, 3, 3]), attended);
}
