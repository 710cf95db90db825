// SPDX-License-Identifier: Apache-2.0
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { layoutOf, type LayoutText, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import type { ChipDescription } from "../../device/chip_description.ts";
import type { Attribute } from "../../ir/attribute.ts";
import { DATA_TYPES, type DataType } from "../../layout/data_type.ts";
import { describeLayout } from "../../layout/describe.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../../op_config/op_config.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { createOpModel } from "../create_op_model.ts";

/** `64x1024 f32 hs 8x1`: shape, format (bf16 when absent), memory; `~hs 8x1` leaves the shards to the backend. */
export type TensorText = string;

/** A query with a recorded backend answer. */
export interface RecordedQuestion {
  readonly op: string;
  readonly inputs: readonly TensorText[];
  /** Result shapes and formats; the memory of the first is the hint, `null` for NULL. */
  readonly results: readonly TensorText[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly config?: OpSpecificAttributes;
  /** Default: n150. */
  readonly chip?: ChipDescription;
}

/** The refusing rule; or the reported circular buffers, L1 peak, result bytes and result layouts. */
export type StatedAnswer = string | {
  readonly bytes: readonly number[];
  readonly layouts: readonly string[];
};

/** Answers a recorded query. */
export function answerOf({ op, inputs, results, attributes, config, chip }: RecordedQuestion): StatedAnswer {
  const layouts = new LayoutTable();
  const model = createOpModel({ chip: chip ?? TEST_WORMHOLE, layouts });
  const on = ({ type, memory }: ParsedTensor) => {
    if (memory === "null") return undefined;
    if (!memory.startsWith("~")) return layoutOf(model, type, memory);
    const layout = layouts.get(layoutOf(model, type, memory.slice(1)));
    return layouts.intern({ ...layout, ignorePhysicalLayout: true });
  };
  const [operands, wanted] = [inputs.map(parse), results.map(parse)];
  const signature = signatureOf(
    `ttnn.${op}`,
    operands.map(({ type }) => type),
    wanted.map(({ type }) => type),
    attributes ?? {},
  );
  const [first] = wanted;
  const hint = first === undefined ? undefined : on(first);
  const answer = model.queryOpConstraints(signature, operands.map(on), hint, config);
  if (answer.status === "invalid") return answer.rule;
  return {
    bytes: [answer.cbPeakBytes, answer.tensorL1PeakBytes, answer.outputL1Bytes],
    layouts: answer.outputLayouts.map((id) => id === undefined ? "-" : describeLayout(layouts.get(id))),
  };
}

interface ParsedTensor {
  readonly type: TensorShape;
  readonly memory: LayoutText;
}

function parse(text: TensorText): ParsedTensor {
  const [shape = "", ...rest] = text.split(" ");
  const format: DataType | undefined = DATA_TYPES.find((name) => name === rest[0]);
  return {
    type: tensorOf(shape.split("x").map(Number), format ?? "bf16"),
    memory: rest.slice(format === undefined ? 0 : 1).join(" "),
  };
}
