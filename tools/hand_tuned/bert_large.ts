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
const ROWS = 384;
const WIDTH = 1024;
const HEADS = 16;
const GRID = [8, 8] as const;
const SHARDS = blocks(...GRID);

/**
 * BERT-large as tt-metal's `metal_BERT_large_11` runs it on n150 in its configuration `BFLOAT8_B-SHARDED`: 8 x 8 cores
 * with shards of 384 x 128, weights interleaved in DRAM, everything but norm parameters and mask in bfp8. Scale and mask
 * are a part of its softmax, for which TTNN has no op: they are left out here.
 */
export function bertLargeByHand(): string {
  const module = new ZooModule("BertLargeByHand");
  const f = module.forward();
  let value = layerNorm(f, "embeddings.LayerNorm", [embeddings(f)], L1);
  for (let layer = 0; layer < 24; layer++) value = encoderLayer(f, `encoder.layer.${layer}`, value);
  f.return(linear(f, "qa_outputs", f.toMemoryConfig(value, L1), 32, { place: L1 }));
  return module.write();
}

function embeddings(f: ZooFunction): TensorValue {
  const table = { rowMajor: true } as const;
  const found = (name: string, rows: number): TensorValue => {
    const indices = f.input(`${name}_ids`, [BATCH, ROWS], { dataType: "u32" });
    const operands = [indices, f.parameter(`embeddings.${name}.weight`, [rows, WIDTH], table)];
    return run(f, "embedding", operands, { place: { ...L1, ...BFP8 } });
  };
  const sum = (a: TensorValue, b: TensorValue): TensorValue =>
    run(f, "add", [a, b], { place: { ...L1, ...BFP8 } });
  return sum(sum(found("word", 30522), found("token_type", 2)), found("position", 512));
}

function encoderLayer(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  const hidden = f.toMemoryConfig(input, SHARDS);
  const dense = (
    layer: string,
    x: TensorValue,
    width: number,
    [k, subblock, columns, activation]: Blocks,
  ): TensorValue =>
    linear(f, `${name}.${layer}`, x, width, {
      place: SHARDS,
      config: product(multicast({ grid: GRID, k, subblock, core: [12, columns], ...activation })),
    });
  const [query, key, value] = f.splitHeads(
    dense("attention.self", hidden, 3 * WIDTH, [4, [1, 6], 12, {}]),
    HEADS,
    heights(64),
  );
  const perHead: ZooPlacement = heights(64);
  const scores = run(f, "matmul", [query, key], {
    place: perHead,
    config: product(reuse({ grid: GRID, k: 2, subblock: [1, 6], core: [24, 12] })),
  });
  const weights = run(f, "softmax", [scores], softmaxInPlace(perHead, GRID, [24, 12], 6));
  const mixed = run(f, "matmul", [weights, value], {
    place: perHead,
    config: product(reuse({ grid: GRID, k: 12, subblock: [4, 2], core: [24, 2] })),
  });
  const context = run(f, "concatenate_heads", [mixed], { place: SHARDS });
  const attended = dense("attention.output.dense", context, WIDTH, [4, [2, 4], 4, {}]);
  const norm = (layer: string, x: TensorValue, residual: TensorValue): TensorValue =>
    layerNorm(f, `${name}.${layer}`, [x, residual], SHARDS);
  const middle = norm("attention.output.LayerNorm", hidden, attended);
  const wide = dense("intermediate.dense", middle, 4 * WIDTH, [4, [1, 8], 16, { activation: "gelu" }]);
  return norm("output.LayerNorm", middle, dense("output.dense", wide, WIDTH, [16, [2, 4], 4, {}]));
}

/** Tiles of K per step, subblock, and output columns of a core in tiles. */
type Blocks = readonly [
  k: number,
  subblock: readonly [number, number],
  columns: number,
  activation: { readonly activation?: "gelu" },
];
