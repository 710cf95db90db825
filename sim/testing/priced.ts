// SPDX-License-Identifier: Apache-2.0
import { type LayoutRequest, makeLayout } from "../../lib/layout/make_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { Device } from "../devices/device.ts";
import type { KernelCost } from "../kernels/kernel.ts";
import { KERNELS } from "../kernels/kernel_table.ts";
import { type PricedTensor, priceTensor } from "../kernels/priced_op.ts";

/** A tensor on a device, bf16 and DRAM interleaved unless asked otherwise. */
export function pricedTensor(
  device: Device,
  shape: readonly number[],
  request: Partial<LayoutRequest> = {},
): PricedTensor {
  const { workerRows: rows, workerColumns: columns } = device.grid;
  const dataType = request.dataType ?? "bf16";
  const layout = makeLayout(
    { bufferType: "dram", memoryLayout: "interleaved", ...request, shape, dataType },
    { rows, columns },
    device.dram.banks,
  );
  return priceTensor({ shape, dataType }, layout);
}

/** Cost of an op without attributes. */
export function kernelCost(
  device: Device,
  costClass: keyof typeof KERNELS,
  name: string,
  inputs: readonly PricedTensor[],
  output: PricedTensor,
  config?: OpSpecificAttributes,
): KernelCost {
  return KERNELS[costClass]({ name, attributes: new Map(), inputs, outputs: [output], config }, device);
}
