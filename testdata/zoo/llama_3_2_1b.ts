// SPDX-License-Identifier: Apache-2.0
import { type Placement, tensorType, type TensorValue, type ZooFunction, ZooModule } from "./builder.ts";

/** Sizes of Llama 3.2 1B (Meta's `config.json`). */
const HIDDEN = 2048;
const HEADS = 32;
const KEY_VALUE_HEADS = 8;
const HEAD_SIZE = 64;
const FEED_FORWARD = 8192;
const EPSILON = 1e-5;
const SCALE = 1 / Math.sqrt(HEAD_SIZE);
const KEY_VALUE_WIDTH = KEY_VALUE_HEADS * HEAD_SIZE;
const QKV_WIDTH = HIDDEN + 2 * KEY_VALUE_WIDTH;

/** One decoder layer that makes one token for each of 32 users with a cache of 128 positions. */
export function llamaDecode(): string {
  const users = 32;
  const positions = 128;
  const { module, f, qkvWeight } = begin("Llama32OneBDecode");
  const hidden = f.toLayout(f.input("hidden_states", [users, HIDDEN]));
  const position = f.input("cache_position", [users], { dataType: "si32" });
  const keys = f.cache("past_key", [users, KEY_VALUE_HEADS, positions, HEAD_SIZE]);
  const values = f.cache("past_value", [users, KEY_VALUE_HEADS, positions, HEAD_SIZE]);
  const angles = rotaryAngles(f, [1, 1, 1, HEAD_SIZE]);
  const mask = f.constant("attention_mask", [users, 1, 1, positions]);

  const projected = f.matmul(inputNorm(f, "input_layernorm", hidden), qkvWeight);
  const shardedOnUsers: Placement = {
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [users, 1],
  };
  const rotated = (begin: number, heads: number): TensorValue => {
    const part = f.slice(projected, 1, { from: begin, to: begin + heads * HEAD_SIZE });
    return rotate(f, f.reshape(part, [users, heads, 1, HEAD_SIZE]), angles);
  };
  const store = (cache: TensorValue, part: TensorValue): void => {
    const row = f.reshape(part, [1, users, KEY_VALUE_HEADS, HEAD_SIZE]);
    f.updateCache(cache, f.toMemoryConfig(row, shardedOnUsers), position);
  };
  store(values, f.slice(projected, 1, { from: HIDDEN + KEY_VALUE_WIDTH, to: QKV_WIDTH }));
  store(keys, rotated(HIDDEN, KEY_VALUE_HEADS));
  const query = rotated(0, HEADS);
  const groups = HEADS / KEY_VALUE_HEADS;
  const transposed = f.transpose(f.repeatInterleave(keys, 1, groups));
  const scale = f.number([1, 1, 1, 1], SCALE);
  const scores = f.add(f.multiply(f.matmul(query, transposed), scale), mask);
  const mixed = f.matmul(f.softmax(scores), f.repeatInterleave(values, 1, groups));
  const attended = f.add(output(f, f.reshape(mixed, [users, HIDDEN])), hidden);
  f.return(keys, values, feedForward(f, attended));
  return module.write();
}

/**
 * One decoder layer over a prompt that fills the cache.
 *
 * @param sequence tokens of the prompt
 */
export function llamaPrefill(sequence: number = 512): string {
  const { module, f, qkvWeight } = begin("Llama32OneBPrefill");
  const hidden = f.toLayout(f.input("hidden_states", [sequence, HIDDEN]));
  const keys = f.cache("past_key", [1, KEY_VALUE_HEADS, sequence, HEAD_SIZE]);
  const values = f.cache("past_value", [1, KEY_VALUE_HEADS, sequence, HEAD_SIZE]);
  const angles = rotaryAngles(f, [1, 1, sequence, HEAD_SIZE]);

  const projected = f.matmul(inputNorm(f, "input_layernorm", hidden), qkvWeight);
  const heads = (begin: number, count: number): TensorValue => {
    const part = f.slice(projected, 1, { from: begin, to: begin + count * HEAD_SIZE });
    return f.permute(f.reshape(part, [1, sequence, count, HEAD_SIZE]), [0, 2, 1, 3]);
  };
  const query = rotate(f, heads(0, HEADS), angles);
  const key = rotate(f, heads(HIDDEN, KEY_VALUE_HEADS), angles);
  const value = heads(HIDDEN + KEY_VALUE_WIDTH, KEY_VALUE_HEADS);
  f.fillCache(keys, key);
  f.fillCache(values, value);
  const mixed = f.attention(query, key, value, SCALE);
  const joined = f.reshape(f.concatenateHeads(mixed), [sequence, HIDDEN]);
  const attended = f.add(output(f, joined), hidden);
  f.return(keys, values, feedForward(f, attended));
  return module.write();
}

/** A module whose query, key and value weights are joined once in a const-eval function. */
function begin(name: string): {
  readonly module: ZooModule;
  readonly f: ZooFunction;
  readonly qkvWeight: TensorValue;
} {
  const module = new ZooModule(name);
  const types = [
    tensorType([HIDDEN, HIDDEN]),
    tensorType([HIDDEN, KEY_VALUE_WIDTH]),
    tensorType([HIDDEN, KEY_VALUE_WIDTH]),
  ];
  const joined = module.constEval(types, (body, [query, key, value]) => {
    if (query === undefined || key === undefined || value === undefined) {
      throw new RangeError("Cannot join projections: three expected");
    }
    return body.concat([query, key, value], 1);
  });
  const f = module.forward();
  const qkvWeight = f.loadCached(
    joined,
    f.parameter("self_attn.q_proj.weight", [HIDDEN, HIDDEN]),
    f.parameter("self_attn.k_proj.weight", [HIDDEN, KEY_VALUE_WIDTH]),
    f.parameter("self_attn.v_proj.weight", [HIDDEN, KEY_VALUE_WIDTH]),
  );
  return { module, f, qkvWeight };
}

interface RotaryAngles {
  readonly cos: TensorValue;
  readonly sin: TensorValue;
}

/** Cosine and sine of the positions' angles: computed in f32, used in bf16. */
function rotaryAngles(f: ZooFunction, shape: readonly number[]): RotaryAngles {
  const half = f.constant("rotary_emb.angles", [...shape.slice(0, -1), HEAD_SIZE / 2], { dataType: "f32" });
  const angles = f.concat([half, half], 3);
  return {
    cos: f.typecast(f.unary("cos", angles), "bf16"),
    sin: f.typecast(f.unary("sin", angles), "bf16"),
  };
}

/** `x * cos + rotate_half(x) * sin`, written out as upstream's level 0 leaves it. */
function rotate(f: ZooFunction, input: TensorValue, { cos, sin }: RotaryAngles): TensorValue {
  const first = f.slice(input, 3, { from: 0, to: HEAD_SIZE / 2 });
  const second = f.slice(input, 3, { from: HEAD_SIZE / 2, to: HEAD_SIZE });
  const permuted = f.concat([f.unary("neg", second), first], 3);
  return f.add(f.multiply(input, cos), f.multiply(permuted, sin));
}

function inputNorm(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  return f.rmsNorm(input, f.parameter(`${name}.weight`, [HIDDEN]), EPSILON);
}

function output(f: ZooFunction, input: TensorValue): TensorValue {
  return f.matmul(input, f.parameter("self_attn.o_proj.weight", [HIDDEN, HIDDEN]));
}

/** SwiGLU: `down(silu(gate(x)) * up(x))` and the residual. */
function feedForward(f: ZooFunction, input: TensorValue): TensorValue {
  const normed = inputNorm(f, "post_attention_layernorm", input);
  const gate = f.parameter("mlp.gate_proj.weight", [HIDDEN, FEED_FORWARD]);
  const gated = f.matmul(normed, gate, { activation: "silu" });
  const wide = f.multiply(gated, f.matmul(normed, f.parameter("mlp.up_proj.weight", [HIDDEN, FEED_FORWARD])));
  return f.add(f.matmul(wide, f.parameter("mlp.down_proj.weight", [FEED_FORWARD, HIDDEN])), input);
}
