// SPDX-License-Identifier: Apache-2.0
import { type LayoutRequest, makeLayout } from "../../lib/layout/make_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { type ProgramTensor, programTensor } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import type { KernelCost } from "../kernels/kernel.ts";
import { priceLaunch } from "../kernels/price_program.ts";

/** A tensor on a device, bf16 and DRAM interleaved unless asked otherwise. */
export function pricedTensor(
  device: Device,
  shape: readonly number[],
  request: Partial<LayoutRequest> = {},
): ProgramTensor {
  const { workerRows: rows, workerColumns: columns } = device.grid;
  const dataType = request.dataType ?? "bf16";
  const layout = makeLayout(
    { bufferType: "dram", memoryLayout: "interleaved", ...request, shape, dataType },
    { rows, columns },
    device.dram.banks,
  );
  return programTensor({ shape, dataType }, layout);
}

/** Cost of an op without attributes. */
export function kernelCost(
  device: Device,
  costClass: CostClass,
  name: string,
  inputs: readonly ProgramTensor[],
  output: ProgramTensor,
  config?: OpSpecificAttributes,
): KernelCost {
  return priceLaunch(costClass, { name, attributes: new Map(), inputs, outputs: [output], config }, device);
}
