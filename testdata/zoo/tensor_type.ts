// SPDX-License-Identifier: Apache-2.0
import { tensorElementText } from "../../lib/dialect/data_type.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import type { BufferType, TensorMemoryLayout } from "../../lib/layout/ttnn_layout.ts";
import type { TtnnTensorType } from "../../lib/lowering/emit/ttnn_value.ts";
import { ZOO_CHIP } from "./chip.ts";

/** Where a tensor is, when it is not in DRAM, interleaved, in tiles. */
export interface Placement {
  readonly dataType?: DataType;
  readonly rowMajor?: boolean;
  readonly bufferType?: BufferType;
  readonly memoryLayout?: TensorMemoryLayout;
  readonly grid?: readonly [number, number];
}

/** The type of a tensor of the zoo; bf16, DRAM, interleaved, tiles unless said otherwise. */
export function tensorType(shape: readonly number[], placement: Placement = {}): TtnnTensorType {
  const dataType = placement.dataType ?? "bf16";
  const bufferType = placement.bufferType ?? "dram";
  const layout = makeLayout({
    shape,
    dataType,
    ...(placement.rowMajor === true ? { tile: null } : {}),
    bufferType,
    memoryLayout: bufferType === "system_memory" ? undefined : placement.memoryLayout ?? "interleaved",
    ...(placement.grid === undefined ? {} : { grid: placement.grid }),
  }, ZOO_CHIP.workerGrid);
  return { kind: "tensor", shape, element: tensorElementText(dataType), layout };
}
