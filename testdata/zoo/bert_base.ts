// SPDX-License-Identifier: Apache-2.0
import { type ConstEval, tensorType, type TensorValue, type ZooFunction, ZooModule } from "./builder.ts";

const BATCH = 8;
const SEQUENCE = 384;
const HIDDEN = 768;
const HEADS = 12;
const EPSILON = 1e-12;

/**
 * BERT-base for question answering on 384 tokens, batch 8: 12 layers (Devlin et al. 2018). Query, key and value weights
 * are joined once in const-eval functions, so that each layer has one projection and splits the heads in one op.
 */
export function bertBase(): string {
  const module = new ZooModule("BertBase");
  const square = tensorType([HIDDEN, HIDDEN]);
  const row = tensorType([1, HIDDEN]);
  const joined = (type: typeof square): ConstEval =>
    module.constEval([type, type, type], (body, [query, key, value]) => {
      if (query === undefined || key === undefined || value === undefined) {
        throw new RangeError("Cannot join projections: three expected");
      }
      return body.concat([query, key, value], 1);
    });
  const projections = Array.from({ length: 12 }, () => ({ weight: joined(square), bias: joined(row) }));
  const f = module.forward();
  let value = embeddings(f);
  const mask = f.constant("extended_attention_mask", [BATCH, 1, 1, SEQUENCE]);
  projections.forEach((projection, layer) => {
    value = encoderLayer(f, `encoder.layer.${layer}`, value, mask, projection);
  });
  f.return(
    f.linear(value, f.parameter("qa_outputs.weight", [HIDDEN, 2]), f.parameter("qa_outputs.bias", [2])),
  );
  return module.write();
}

function embeddings(f: ZooFunction): TensorValue {
  const indices = { dataType: "u32" } as const;
  const table = { rowMajor: true } as const;
  const words = f.embedding(
    f.input("input_ids", [BATCH, SEQUENCE], indices),
    f.parameter("embeddings.word_embeddings.weight", [30522, HIDDEN], table),
  );
  const kinds = f.embedding(
    f.input("token_type_ids", [BATCH, SEQUENCE], indices),
    f.parameter("embeddings.token_type_embeddings.weight", [2, HIDDEN], table),
  );
  const positions = f.parameter("embeddings.position_embeddings", [1, SEQUENCE, HIDDEN]);
  return norm(f, "embeddings.LayerNorm", f.add(f.add(words, kinds), positions));
}

function encoderLayer(
  f: ZooFunction,
  name: string,
  input: TensorValue,
  mask: TensorValue,
  projection: { readonly weight: ConstEval; readonly bias: ConstEval },
): TensorValue {
  const parts = ["query", "key", "value"] as const;
  const self = `${name}.attention.self`;
  const weights = parts.map((part) => f.parameter(`${self}.${part}.weight`, [HIDDEN, HIDDEN]));
  const biases = parts.map((part) => f.parameter(`${self}.${part}.bias`, [1, HIDDEN]));
  const weight = f.loadCached(projection.weight, ...weights);
  const fused = f.linear(input, weight, f.loadCached(projection.bias, ...biases));
  const [query, key, value] = f.splitHeads(fused, HEADS);
  const scale = f.number([1, 1, 1, 1], 1 / Math.sqrt(HIDDEN / HEADS));
  const scores = f.add(f.multiply(f.matmul(query, key), scale), mask);
  const context = f.concatenateHeads(f.matmul(f.softmax(scores), value));
  const attended = f.add(dense(f, `${name}.attention.output.dense`, context, HIDDEN), input);
  const middle = norm(f, `${name}.attention.output.LayerNorm`, attended);
  const wide = dense(f, `${name}.intermediate.dense`, middle, 4 * HIDDEN, "gelu");
  return norm(f, `${name}.output.LayerNorm`, f.add(dense(f, `${name}.output.dense`, wide, HIDDEN), middle));
}

function norm(f: ZooFunction, name: string, input: TensorValue): TensorValue {
  const weight = f.parameter(`${name}.weight`, [HIDDEN]);
  return f.layerNorm(input, weight, f.parameter(`${name}.bias`, [HIDDEN]), EPSILON);
}

function dense(
  f: ZooFunction,
  name: string,
  input: TensorValue,
  width: number,
  activation?: "gelu",
): TensorValue {
  const weight = f.parameter(`${name}.weight`, [input.type.shape.at(-1) ?? 1, width]);
  const bias = f.parameter(`${name}.bias`, [width]);
  return f.linear(input, weight, bias, activation === undefined ? {} : { activation });
}
