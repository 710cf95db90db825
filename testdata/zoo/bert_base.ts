// SPDX-License-Identifier: Apache-2.0
import { type ConstEval, tensorType, type TensorValue, type ZooFunction, ZooModule } from "./builder.ts";

const BATCH = 8;
const SEQUENCE = 384;
const EPSILON = 1e-12;

/** Sizes of a model (Devlin et al. 2018). */
interface BertSizes {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
}

/** BERT-base: {@linkcode bert}. */
export function bertBase(): string {
  return bert("BertBase", { layers: 12, hidden: 768, heads: 12 });
}

/** BERT-large: {@linkcode bert}. */
export function bertLarge(): string {
  return bert("BertLarge", { layers: 24, hidden: 1024, heads: 16 });
}

/**
 * BERT for question answering on 384 tokens, batch 8. Query, key and value weights
 * are joined once in const-eval functions, so that each layer has one projection and splits the heads in one op.
 */
function bert(name: string, { layers, hidden, heads }: BertSizes): string {
  const module = new ZooModule(name);
  const square = tensorType([hidden, hidden]);
  const row = tensorType([1, hidden]);
  const joined = (type: typeof square): ConstEval =>
    module.constEval([type, type, type], (body, parts) => body.concat(parts, 1));
  const projections = Array.from({ length: layers }, () => ({ weight: joined(square), bias: joined(row) }));
  const f = module.forward();
  let value = embeddings(f, hidden);
  const mask = f.constant("extended_attention_mask", [BATCH, 1, 1, SEQUENCE]);
  projections.forEach((projection, layer) => {
    value = encoderLayer(f, `encoder.layer.${layer}`, value, mask, heads, projection);
  });
  f.return(f.dense("qa_outputs", value, 2));
  return module.write();
}

function embeddings(f: ZooFunction, hidden: number): TensorValue {
  const indices = { dataType: "u32" } as const;
  const table = { rowMajor: true } as const;
  const words = f.embedding(
    f.input("input_ids", [BATCH, SEQUENCE], indices),
    f.parameter("embeddings.word_embeddings.weight", [30522, hidden], table),
  );
  const kinds = f.embedding(
    f.input("token_type_ids", [BATCH, SEQUENCE], indices),
    f.parameter("embeddings.token_type_embeddings.weight", [2, hidden], table),
  );
  const positions = f.parameter("embeddings.position_embeddings", [1, SEQUENCE, hidden]);
  return f.layerNorm("embeddings.LayerNorm", f.add(f.add(words, kinds), positions), EPSILON);
}

function encoderLayer(
  f: ZooFunction,
  name: string,
  input: TensorValue,
  mask: TensorValue,
  heads: number,
  projection: { readonly weight: ConstEval; readonly bias: ConstEval },
): TensorValue {
  const hidden = input.type.shape.at(-1) ?? 0;
  const parts = ["query", "key", "value"] as const;
  const self = `${name}.attention.self`;
  const weights = parts.map((part) => f.parameter(`${self}.${part}.weight`, [hidden, hidden]));
  const biases = parts.map((part) => f.parameter(`${self}.${part}.bias`, [1, hidden]));
  const weight = f.loadCached(projection.weight, ...weights);
  const fused = f.linear(input, weight, f.loadCached(projection.bias, ...biases));
  const [query, key, value] = f.splitHeads(fused, heads);
  const scale = f.number([1, 1, 1, 1], 1 / Math.sqrt(hidden / heads));
  const scores = f.add(f.multiply(f.matmul(query, key), scale), mask);
  const context = f.inferred("ttnn.concatenate_heads", [f.matmul(f.softmax(scores), value)]);
  const attended = f.add(f.dense(`${name}.attention.output.dense`, context, hidden), input);
  const middle = f.layerNorm(`${name}.attention.output.LayerNorm`, attended, EPSILON);
  const wide = f.dense(`${name}.intermediate.dense`, middle, 4 * hidden, { activation: "gelu" });
  const output = f.add(f.dense(`${name}.output.dense`, wide, hidden), middle);
  return f.layerNorm(`${name}.output.LayerNorm`, output, EPSILON);
}
