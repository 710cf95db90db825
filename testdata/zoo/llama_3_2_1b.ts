// SPDX-License-Identifier: Apache-2.0
import { NORM_COMPUTE_CONFIG } from "../../lib/dialect/compute_config_text.ts";
import { tensorType, type TensorValue, type ZooFunction, ZooModule, type ZooPlacement } from "./builder.ts";

/** Sizes of a model (Meta's `config.json`). */
interface LlamaSizes {
  readonly hidden: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly feedForward: number;
}

const ONE_B: LlamaSizes = { hidden: 2048, heads: 32, keyValueHeads: 8, headSize: 64, feedForward: 8192 };
const EIGHT_B: LlamaSizes = { hidden: 4096, heads: 32, keyValueHeads: 8, headSize: 128, feedForward: 14336 };
const EPSILON = 1e-5;

/** Llama 3.2 1B: {@linkcode decodeLayer}. */
export function llamaDecode(): string {
  return decodeLayer("Llama32OneBDecode", ONE_B);
}

/** Llama 3.1 8B: {@linkcode decodeLayer}. */
export function llama8bDecode(): string {
  return decodeLayer("Llama31EightBDecode", EIGHT_B);
}

/** One decoder layer that makes one token for each of 32 users with a cache of 128 positions. */
function decodeLayer(name: string, sizes: LlamaSizes): string {
  const users = 32;
  const positions = 128;
  const { hidden: width, heads: queryHeads, keyValueHeads, headSize } = sizes;
  const keyValueWidth = keyValueHeads * headSize;
  const { module, f, qkvWeight } = begin(name, sizes);
  const hidden = f.toLayout(f.input("hidden_states", [users, width]));
  const position = f.input("cache_position", [users], { dataType: "si32" });
  const keys = f.cache("past_key", [users, keyValueHeads, positions, headSize]);
  const values = f.cache("past_value", [users, keyValueHeads, positions, headSize]);
  const angles = rotaryAngles(f, [1, 1, 1, headSize]);
  const mask = f.constant("attention_mask", [users, 1, 1, positions]);

  const projected = f.matmul(inputNorm(f, "input_layernorm", hidden), qkvWeight);
  const shardedOnUsers: ZooPlacement = {
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [users, 1],
  };
  const rotated = (begin: number, heads: number): TensorValue => {
    const part = f.slice(projected, 1, { from: begin, to: begin + heads * headSize });
    return rotate(f, f.reshape(part, [users, heads, 1, headSize]), angles);
  };
  const store = (cache: TensorValue, part: TensorValue): void => {
    const row = f.reshape(part, [1, users, keyValueHeads, headSize]);
    f.updateCache(cache, f.toMemoryConfig(row, shardedOnUsers), position);
  };
  store(values, f.slice(projected, 1, { from: width + keyValueWidth, to: width + 2 * keyValueWidth }));
  store(keys, rotated(width, keyValueHeads));
  const query = rotated(0, queryHeads);
  const groups = queryHeads / keyValueHeads;
  const repeated = (cache: TensorValue): TensorValue =>
    f.inferred("ttnn.repeat_interleave", [cache], { dim: 1, repeats: groups });
  const transposed = f.transpose(repeated(keys));
  const scale = f.number([1, 1, 1, 1], 1 / Math.sqrt(headSize));
  const scores = f.add(f.multiply(f.matmul(query, transposed), scale), mask);
  const mixed = f.matmul(f.softmax(scores), repeated(values));
  const attended = f.add(output(f, sizes, f.reshape(mixed, [users, width])), hidden);
  f.return(keys, values, feedForward(f, sizes, attended));
  return module.write();
}

/**
 * One decoder layer over a prompt that fills the cache.
 *
 * @param sequence tokens of the prompt
 */
export function llamaPrefill(sequence: number = 512): string {
  const { hidden: width, heads: queryHeads, keyValueHeads, headSize } = ONE_B;
  const { module, f, qkvWeight } = begin("Llama32OneBPrefill", ONE_B);
  const hidden = f.toLayout(f.input("hidden_states", [sequence, width]));
  const keys = f.cache("past_key", [1, keyValueHeads, sequence, headSize]);
  const values = f.cache("past_value", [1, keyValueHeads, sequence, headSize]);
  const angles = rotaryAngles(f, [1, 1, sequence, headSize]);

  const projected = f.matmul(inputNorm(f, "input_layernorm", hidden), qkvWeight);
  const heads = (begin: number, count: number): TensorValue => {
    const part = f.slice(projected, 1, { from: begin, to: begin + count * headSize });
    return f.permute(f.reshape(part, [1, sequence, count, headSize]), [0, 2, 1, 3]);
  };
  const query = rotate(f, heads(0, queryHeads), angles);
  const key = rotate(f, heads(width, keyValueHeads), angles);
  const value = heads(width + keyValueHeads * headSize, keyValueHeads);
  f.fillCache(keys, key);
  f.fillCache(values, value);
  const mixed = f.inferred("ttnn.scaled_dot_product_attention", [query, key, value], {
    is_causal: true,
    operandSegmentSizes: [1, 1, 1, 0, 0],
    scale: 1 / Math.sqrt(headSize),
  });
  const joined = f.reshape(f.inferred("ttnn.concatenate_heads", [mixed]), [sequence, width]);
  const attended = f.add(output(f, ONE_B, joined), hidden);
  f.return(keys, values, feedForward(f, ONE_B, attended));
  return module.write();
}

/** A module whose query, key and value weights are joined once in a const-eval function. */
function begin(name: string, { hidden, keyValueHeads, headSize }: LlamaSizes): {
  readonly module: ZooModule;
  readonly f: ZooFunction;
  readonly qkvWeight: TensorValue;
} {
  const module = new ZooModule(name);
  const keyValueWidth = keyValueHeads * headSize;
  const types = [
    tensorType([hidden, hidden]),
    tensorType([hidden, keyValueWidth]),
    tensorType([hidden, keyValueWidth]),
  ];
  const joined = module.constEval(types, (body, parts) => body.concat(parts, 1));
  const f = module.forward();
  const qkvWeight = f.loadCached(
    joined,
    f.parameter("self_attn.q_proj.weight", [hidden, hidden]),
    f.parameter("self_attn.k_proj.weight", [hidden, keyValueWidth]),
    f.parameter("self_attn.v_proj.weight", [hidden, keyValueWidth]),
  );
  return { module, f, qkvWeight };
}

interface RotaryAngles {
  readonly cos: TensorValue;
  readonly sin: TensorValue;
}

/** Cosine and sine of the positions' angles: computed in f32, used in bf16. */
function rotaryAngles(f: ZooFunction, shape: readonly number[]): RotaryAngles {
  const half = f.constant("rotary_emb.angles", [...shape.slice(0, -1), (shape.at(-1) ?? 0) / 2], {
    dataType: "f32",
  });
  const angles = f.concat([half, half], 3);
  return {
    cos: f.typecast(f.unary("cos", angles), "bf16"),
    sin: f.typecast(f.unary("sin", angles), "bf16"),
  };
}

/** `x * cos + rotate_half(x) * sin`, written out as upstream's level 0 leaves it. */
function rotate(f: ZooFunction, input: TensorValue, { cos, sin }: RotaryAngles): TensorValue {
  const size = input.type.shape.at(-1) ?? 0;
  const first = f.slice(input, 3, { from: 0, to: size / 2 });
  const second = f.slice(input, 3, { from: size / 2, to: size });
  const permuted = f.concat([f.unary("neg", second), first], 3);
  return f.add(f.multiply(input, cos), f.multiply(permuted, sin));
}

function inputNorm(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  const weight = f.parameter(`${name}.weight`, [input.type.shape.at(-1) ?? 0]);
  return f.inferred("ttnn.rms_norm", [input, weight], {
    compute_config: NORM_COMPUTE_CONFIG,
    epsilon: EPSILON,
    operandSegmentSizes: [1, 1, 0],
  });
}

function output(f: ZooFunction, { hidden }: LlamaSizes, input: TensorValue): TensorValue {
  return f.matmul(input, f.parameter("self_attn.o_proj.weight", [hidden, hidden]));
}

/** SwiGLU: `down(silu(gate(x)) * up(x))` and the residual. */
function feedForward(
  f: ZooFunction,
  { hidden, feedForward: wider }: LlamaSizes,
  input: TensorValue,
): TensorValue {
  const normed = inputNorm(f, "post_attention_layernorm", input);
  const gate = f.parameter("mlp.gate_proj.weight", [hidden, wider]);
  const gated = f.matmul(normed, gate, { activation: "silu" });
  const wide = f.multiply(gated, f.matmul(normed, f.parameter("mlp.up_proj.weight", [hidden, wider])));
  return f.add(f.matmul(wide, f.parameter("mlp.down_proj.weight", [wider, hidden])), input);
}
