// SPDX-License-Identifier: Apache-2.0
import { three } from "../../testdata/zoo/zoo_function.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import { overBanks } from "../../lib/passes/shard_weights.ts";
import { ZOO_CHIP } from "../../testdata/zoo/tensors.ts";
import { tensorType, type TensorValue, type ZooFunction, ZooModule } from "../../testdata/zoo/builder.ts";
import { dramSharded, heights, product, run, widths } from "./hand_written.ts";

const [USERS, WIDTH, WIDE, HEADS, KEY_HEADS, SIZE, POSITIONS] = [32, 4096, 14336, 32, 8, 128, 256];
const LAYERS = 32;
const ROW = widths(32);
const PER_USER = heights(USERS);

/**
 * One decoding step of Llama 3.1 8B for 32 users as tt-metal's `tt_transformers` runs it on n150, table of tokens
 * included: rows over 32 cores, every weight in shards over the banks of DRAM, up and gate in bfp4 and LoFi, the rest
 * in bfp8 and HiFi2. Choice of the token and host time are no part of it.
 */
export function llama8bByHand(): string {
  const module = new ZooModule("Llama31EightBByHand");
  const f = module.forward();
  let hidden = f.input("hidden_states", [1, 1, USERS, WIDTH], { ...ROW, rowMajor: false });
  const positions = f.input("positions", [USERS], { dataType: "si32" });
  const tables = ["cos", "sin"].map((name) =>
    f.input(name, [1, USERS, 1, SIZE], { ...PER_USER, rowMajor: false })
  );
  const turn = f.constant("transformation", [1, 1, USERS * 32, 32], PER_USER);
  for (let layer = 0; layer < LAYERS; layer++) {
    const name = `layers.${layer}`;
    const attended = attention(f, name, norm(f, `${name}.attention_norm`, hidden), positions, [
      ...tables,
      turn,
    ]);
    const middle = run(f, "add", [hidden, attended], { place: ROW });
    const normed = norm(f, `${name}.ffn_norm`, middle);
    hidden = run(f, "add", [middle, feedForward(f, name, normed)], { place: ROW });
  }
  const last = norm(f, "norm", hidden);
  // Eight parts of the table, each over the banks.
  const scores = Array.from(
    { length: 8 },
    (_, part) => weighted(f, `output.${part}`, last, 128_256 / 8, "bfp_bf8", [4, 501 / 32], "hifi2", 32),
  );
  f.return(...scores);
  return module.write();
}

/** A product with a weight over the banks, on as many cores as hold its operand. */
function weighted(
  f: ZooFunction,
  name: string,
  x: TensorValue,
  columns: number,
  dataType: DataType,
  [k, perCore]: readonly [k: number, perCore: number],
  fidelity: MathFidelity,
  cores: number,
): TensorValue {
  const rows = x.type.shape.at(-1) ?? 0;
  const weight = f.parameter(`${name}.weight`, [rows, columns], {
    dataType,
    ...overBanksPlace([rows, columns], dataType),
  });
  return run(f, "matmul", [x, weight], {
    place: widths(cores),
    config: product(dramSharded(k, Math.ceil(perCore)), fidelity),
  });
}

function overBanksPlace(shape: readonly number[], dataType: DataType) {
  const { layout } = overBanks(ZOO_CHIP, { shape, dataType });
  return { memoryLayout: "width_sharded", grid: [1, layout.gridShape[1] ?? 1] } as const;
}

function norm(f: ZooFunction, name: string, x: TensorValue): TensorValue {
  return run(f, "rms_norm", [x, f.parameter(`${name}.weight`, [WIDTH])], {
    place: ROW,
    properties: { epsilon: 1e-5, operandSegmentSizes: [1, 1, 0] },
    config: {
      kind: "norm",
      computeConfig: { mathFidelity: "hifi2", mathApproxMode: false, fp32DestAccEn: true, packerL1Acc: true },
    },
  });
}

function attention(
  f: ZooFunction,
  name: string,
  x: TensorValue,
  positions: TensorValue,
  turns: readonly TensorValue[],
): TensorValue {
  const fused = weighted(
    f,
    `${name}.wqkv`,
    x,
    (HEADS + 2 * KEY_HEADS) * SIZE,
    "bfp_bf8",
    [4, 6],
    "hifi2",
    32,
  );
  const types = [HEADS, KEY_HEADS, KEY_HEADS].map((heads) => tensorType([1, USERS, heads, SIZE], PER_USER));
  const properties = { num_heads: HEADS, num_kv_heads: KEY_HEADS };
  const [query, key, value] = three(
    f.insert("ttnn.nlp_create_qkv_heads_decode", [fused], types, properties).tensorResults,
  );
  const rotated = (heads: TensorValue): TensorValue =>
    run(f, "rotary_embedding_llama", [heads, ...turns], {
      place: PER_USER,
      properties: { is_decode_mode: true },
    });
  const cache = (part: string): TensorValue =>
    f.cache(`${name}.${part}`, [USERS, KEY_HEADS, POSITIONS, SIZE], { dataType: "bfp_bf8" });
  const [keys, values] = [cache("keys"), cache("values")];
  f.updateCache(keys, rotated(key), positions);
  f.updateCache(values, value, positions);
  const mixed = run(f, "scaled_dot_product_attention_decode", [rotated(query), keys, values, positions], {
    properties: { is_causal: true, scale: 1 / Math.sqrt(SIZE), operandSegmentSizes: [1, 1, 1, 0, 1, 0] },
    config: {
      kind: "sdpa",
      programConfig: {
        computeWithStorageGridSize: [8, 8],
        qChunkSize: 0,
        kChunkSize: 0,
        expApproxMode: false,
      },
    },
  });
  const joined = f.op(
    "ttnn.nlp_concat_heads_decode",
    [f.toMemoryConfig(mixed, PER_USER)],
    tensorType(
      [1, 1, USERS, WIDTH],
      ROW,
    ),
    { num_heads: HEADS },
  );
  return weighted(f, `${name}.wo`, joined, WIDTH, "bfp_bf8", [4, 4], "hifi2", 32);
}

function feedForward(f: ZooFunction, name: string, x: TensorValue): TensorValue {
  const spread = f.toMemoryConfig(x, widths(64));
  const wide = (part: string): TensorValue =>
    weighted(f, `${name}.${part}`, spread, WIDE, "bfp_bf4", [2, 7], "lofi", 64);
  const gated = run(f, "multiply", [wide("w1"), wide("w3")], {
    place: { ...widths(64), dataType: "bfp_bf8" },
    properties: { input_tensor_a_activations: "[#ttnn.unary_with_param<op_type = silu>]" },
  });
  return f.toMemoryConfig(weighted(f, `${name}.w2`, gated, WIDTH, "bfp_bf8", [7, 2], "hifi2", 64), ROW);
}
