// SPDX-License-Identifier: Apache-2.0
import { parseOpConfig } from "../op_config/parse.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/** Ops whose configs are searched, and the kind of their configs. */
const SEARCHED: ReadonlyMap<string, "conv2d" | "conv3d" | "matmul"> = new Map([
  ["ttnn.conv2d", "conv2d"],
  ["ttnn.conv_transpose2d", "conv2d"],
  ["ttnn.conv3d", "conv3d"],
  ["ttnn.matmul", "matmul"],
  ["ttnn.linear", "matmul"],
]);

/** The config that an op of the input carries, for the ops whose configs are searched; `undefined` for all others. */
export function ownOpConfig(opName: string, attributes: AttributeMap): OpSpecificAttributes | undefined {
  const kind = SEARCHED.get(opName);
  return kind === undefined ? undefined : parseOpConfig(opName, attributes) ?? { kind };
}
