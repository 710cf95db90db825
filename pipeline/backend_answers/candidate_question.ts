// SPDX-License-Identifier: Apache-2.0
import { ttnnLayoutText } from "../../lib/dialect/ttnn_layout_text.ts";
import { HEAD_PROFILE } from "../../lib/dialect/ttnn_profile.ts";
import { attributeText } from "../../lib/ir/mod.ts";
import type { WorkerGrid } from "../../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { opConfigProperties } from "../../lib/op_config/print.ts";
import type { Candidate } from "../../lib/opmodel/candidate_filter.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import type { ConstraintsRequest, WireLayoutText, WireTensor, WireValue } from "../op_model_pipe/request.ts";

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
  return {
    kind: "constraints",
    op: op.name,
    attrs: attributeTexts(op, config),
    operands,
    results,
    outputLayout: first !== undefined && "shape" in first ? first.layout : null,
    opConfig: { kind: "none" },
    additionalL1: 0,
    usableL1: usableL1Bytes,
    liveRecords: null,
  };
}

/** Attributes of an op as MLIR text, those of a config in the place of its own. */
export function attributeTexts(
  { name, attributes }: Pick<OpSignature, "name" | "attributes">,
  config: OpSpecificAttributes | undefined,
): Readonly<Record<string, string>> {
  const decided = config === undefined
    ? []
    : opConfigProperties(name, config, HEAD_PROFILE, { attributes, alias: (text) => text });
  return Object.fromEntries([
    ...[...attributes].map(([key, attribute]) => [key, attributeText(attribute)] as const),
    ...decided.map(({ key, value }) => [key, value] as const),
  ]);
}

function wireValue(
  tensor: TensorShape | undefined,
  layout: TtnnLayout | undefined,
  { workerGrid }: Candidate["chip"],
): WireValue | undefined {
  if (tensor === undefined) return { type: "!ttnn.device" };
  return layout && wireTensor(tensor.shape, layout, workerGrid);
}

/** A tensor with its layout. */
export function wireTensor(
  shape: readonly number[],
  layout: TtnnLayout,
  workerGrid: WorkerGrid,
): WireTensor & { readonly layout: WireLayoutText } {
  const text = ttnnLayoutText(layout, shape, { generation: "G4", dialect: "ttcore", workerGrid });
  return { shape, elementType: layout.dataType, layout: { text } };
}
