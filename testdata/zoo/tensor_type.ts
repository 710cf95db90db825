// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import { type TensorPlace, tensorType as typeOn } from "../../lib/ttnn/tensor_type.ts";
import type { TtnnTensorType } from "../../lib/ttnn/value.ts";
import { ZOO_CHIP } from "./chip.ts";

/** Where a tensor is, when it is not in DRAM, interleaved, in tiles; and what it holds, when that is not bf16. */
export interface ZooPlacement extends TensorPlace {
  readonly dataType?: DataType;
}

/** The type of a tensor of the zoo; bf16, DRAM, interleaved, tiles unless said otherwise. */
export function tensorType(shape: readonly number[], placement: ZooPlacement = {}): TtnnTensorType {
  return typeOn(ZOO_CHIP, shape, placement.dataType ?? "bf16", placement);
}
