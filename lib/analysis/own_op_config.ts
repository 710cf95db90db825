// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import {
  readComputeConfig,
  readConv2dConfig,
  readConv2dSliceConfig,
  readConv3dConfig,
  readMatmulConfig,
} from "../opmodel/config_attributes.ts";
import type { OpSpecificAttributes } from "../opmodel/op_config.ts";

/** The config that an op of the input carries, for the ops whose configs are searched; `undefined` for all others. */
export function ownOpConfig(opName: string, attributes: AttributeMap): OpSpecificAttributes | undefined {
  const computeConfig = readComputeConfig(attributes);
  const compute = computeConfig === undefined ? {} : { computeConfig };
  switch (opName) {
    case "ttnn.conv2d":
    case "ttnn.conv_transpose2d": {
      const conv2dConfig = readConv2dConfig(attributes);
      const sliceConfig = readConv2dSliceConfig(attributes);
      return {
        kind: "conv2d",
        ...(conv2dConfig === undefined ? {} : { conv2dConfig }),
        ...(sliceConfig === undefined ? {} : { sliceConfig }),
        ...compute,
      };
    }
    case "ttnn.conv3d": {
      const conv3dConfig = readConv3dConfig(attributes);
      return { kind: "conv3d", ...(conv3dConfig === undefined ? {} : { conv3dConfig }), ...compute };
    }
    case "ttnn.matmul":
    case "ttnn.linear": {
      const programConfig = readMatmulConfig(attributes);
      return { kind: "matmul", ...(programConfig === undefined ? {} : { programConfig }), ...compute };
    }
    default:
      return undefined;
  }
}
