// SPDX-License-Identifier: Apache-2.0
import { ttnnLayoutText } from "../../lib/dialect/ttnn_layout_text.ts";
import { HEAD_PROFILE } from "../../lib/dialect/ttnn_profile.ts";
import { attributeText } from "../../lib/ir/mod.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { opConfigProperties } from "../../lib/op_config/print.ts";
import type { Candidate } from "../../lib/opmodel/candidate_filter.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import type { ConstraintsRequest, WireValue } from "../op_model_pipe/request.ts";

/**
 * Families that run nothing or that a single mock device cannot answer: bookkeeping, creation, collectives.
 */
const NOT_ASKED: ReadonlySet<string> = new Set(["fixed", "opaque", "creation", "empty", "rand"]);

/**
 * The op-model-pipe query for a candidate; its config is among the attributes.
 *
 * @returns `undefined` for ops that are not queried, and if a tensor has no layout
 */
export function candidateQuestion(
  { op, inputs, outputs, config, chip, usableL1Bytes }: Candidate,
): ConstraintsRequest | undefined {
  const { family } = definitionOf(op.name);
  if (NOT_ASKED.has(family)) return undefined;
  const wire = (
    tensors: readonly (TensorShape | undefined)[],
    layouts: readonly (TtnnLayout | undefined)[],
  ): readonly WireValue[] | undefined => {
    const values = tensors.map((tensor, index) => wireValue(tensor, layouts[index], chip));
    const known = values.filter((value) => value !== undefined);
    return known.length === values.length ? known : undefined;
  };
  const operands = wire(op.operands, inputs);
  const results = wire(op.results, outputs);
  if (operands === undefined || results === undefined) return undefined;
  const [first] = results;
  const decided = config === undefined
    ? []
    : opConfigProperties(op.name, config, HEAD_PROFILE, { attributes: op.attributes, alias: (text) => text });
  return {
    kind: "constraints",
    op: op.name,
    attrs: Object.fromEntries([
      ...[...op.attributes].map(([name, attribute]) => [name, attributeText(attribute)] as const),
      ...decided.map(({ key, value }) => [key, value] as const),
    ]),
    operands,
    results,
    outputLayout: first !== undefined && "shape" in first ? first.layout : null,
    opConfig: { kind: "none" },
    additionalL1: 0,
    usableL1: usableL1Bytes,
    liveRecords: null,
  };
}

function wireValue(
  tensor: TensorShape | undefined,
  layout: TtnnLayout | undefined,
  { workerGrid }: Candidate["chip"],
): WireValue | undefined {
  if (tensor === undefined) return { type: "!ttnn.device" };
  if (layout === undefined) return undefined;
  const text = ttnnLayoutText(layout, tensor.shape, { generation: "G4", dialect: "ttcore", workerGrid });
  return { shape: tensor.shape, elementType: layout.dataType, layout: { text } };
}
