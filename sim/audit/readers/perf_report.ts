// SPDX-License-Identifier: Apache-2.0
import type { DeviceOp, DeviceTensor } from "../device_op.ts";
import { integersIn, numberIn, textIn } from "../measured_ops/texts.ts";
import type { MeasuredRow } from "../measured_row.ts";

/**
 * Reads a row of `tt-perf-report`: tensors `in0`, `in1`, …, `out`, and the profiler's attributes, which the
 * report truncates.
 *
 * @returns `undefined` where cores, time or a part of a tensor are missing
 */
export function readPerfReportRow(row: MeasuredRow): DeviceOp | undefined {
  const [op = "", detail = ""] = row.op.split(":");
  const cores = /^(\d+) cores of \d+/.exec(row.grid)?.[1];
  const us = numberIn(row.measured, "us");
  const printed = textIn(row.config, "attributes");
  const [inputTypes = "", outputType = ""] = row.dtype.split(">");
  const types = inputTypes.split("+");
  const names = types.map((_, index) => `in${index}`).filter((name) => row.shapes[name] !== undefined);
  const inputs = names.map((name, index) => tensorOf(row, name, types[index] ?? ""));
  const outputs = row.shapes.out === undefined ? [] : [tensorOf(row, "out", outputType.split("+")[0] ?? "")];
  if (cores === undefined || us === undefined || [...inputs, ...outputs].includes(undefined)) {
    return undefined;
  }
  const attributes = attributesIn(printed);
  const program = /\bprogram_config=(\w+)\(/.exec(attributes)?.[1];
  return {
    op,
    chip: row.device,
    inputs: inputs.filter((tensor) => tensor !== undefined),
    outputs: outputs.filter((tensor) => tensor !== undefined),
    params: {
      ...(row.fidelity === "" ? {} : { fidelity: row.fidelity }),
      ...(detail === "" ? {} : { function: detail }),
      ...(program === undefined ? {} : { program }),
    },
    attributes,
    isCut: !printed.endsWith("}"),
    order: undefined,
    cores: Number(cores),
    us,
    gapUs: undefined,
  };
}

/** `{'name': 'value'; …}` as `name=value …`, without what is not set. */
function attributesIn(printed: string): string {
  return printed.replace(/^\{/, "").replaceAll(/'(\w+)': '?/g, "$1=").replaceAll("'", "")
    .replaceAll(/\b\w+=(std::nullopt|SmallVector\(\[\]\)|\{\})(?=[;}]|$);?/g, "");
}

function tensorOf(row: MeasuredRow, name: string, dtype: string): DeviceTensor | undefined {
  const shape = integersIn(row.shapes[name]);
  const [memory = "", pages = ""] = textIn(row.layouts, name).split("/");
  if (shape === undefined || dtype === "" || !/^(DRAM|L1)_(INTERLEAVED|\w+_SHARDED)$/.test(memory)) {
    return undefined;
  }
  return {
    shape,
    tiled: pages === "TILE",
    dtype: dtype.toLowerCase(),
    memory: memory.replace("_", " ").toLowerCase(),
    // The printed memory config is that of the result, of a halo that of its operand.
    shardShape: undefined,
  };
}
