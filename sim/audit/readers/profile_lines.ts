// SPDX-License-Identifier: Apache-2.0
import { inputErrors, isRecord } from "../../../lib/diagnostics/diagnostic.ts";
import type { DeviceOp, DeviceTensor } from "../device_op.ts";
import type { Params } from "../measured_ops/measured_op.ts";
import { integersIn, numberIn, textIn } from "../measured_ops/texts.ts";

/**
 * Reads a profile: a JSON object per line.
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} if a line is no op with a name, a shape per tensor and a time
 */
export function parseProfile(file: string, text: string): readonly DeviceOp[] {
  const faults: string[] = [];
  const ops = text.split("\n").flatMap((line, index): DeviceOp[] => {
    if (line.trim() === "") return [];
    const op = parseLine(line);
    if (typeof op === "string") faults.push(`line ${index + 1}: ${op}`);
    return typeof op === "string" ? [] : [op];
  });
  if (faults.length > 0) throw inputErrors("profile/invalid", `Cannot read profile ${file}`, faults);
  return ops;
}

function parseLine(line: string): DeviceOp | string {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return "this is not JSON";
  }
  if (!isRecord(json) || !isRecord(json.params) || !isRecord(json.measured)) {
    return '"params" and "measured" must be objects';
  }
  const { params, measured } = json;
  return deviceOpIn(params, {
    chip: textIn(json, "device"),
    order: numberIn(params, "order") ?? numberIn(json, "order"),
    us: measured.unit === "us" ? numberIn(measured, "value") : undefined,
    gapUs: numberIn(json, "gap_us"),
  });
}

/** A device op from its fields, which name tensors `inputs`, `output` and `extra_outputs`; a sentence if one is missing. */
export function deviceOpIn(
  params: Params,
  { us, ...run }: Pick<DeviceOp, "chip" | "order" | "gapUs"> & { readonly us: number | undefined },
): DeviceOp | string {
  const op = textIn(params, "op");
  if (op === "" || us === undefined) return "the device op or its time in µs is missing";
  const inputs = tensorsIn(params.inputs);
  const outputs = [params.output, params.extra_outputs].flatMap(tensorsIn);
  if (inputs.includes(undefined) || outputs.includes(undefined)) return "a tensor has no shape";
  return {
    op,
    ...run,
    us,
    inputs: inputs.filter((tensor) => tensor !== undefined),
    outputs: outputs.filter((tensor) => tensor !== undefined),
    params: isRecord(params.attributes) ? { ...params.attributes, ...params } : params,
    attributes: attributeText(params.attributes).join(" "),
    isCut: false,
    cores: numberIn(params, "cores") ?? 1,
  };
}

/** Tensors of a field that holds one, several or none; `undefined` in place of what is not a tensor. */
function tensorsIn(value: unknown): readonly (DeviceTensor | undefined)[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  if (!isRecord(value)) return [undefined];
  const shape = integersIn(value.shape);
  if (shape === undefined) return [undefined];
  const shard = isRecord(value.shard) ? integersIn(value.shard.shard_shape) : undefined;
  const [height, width] = shard ?? [];
  return [{
    shape,
    tiled: textIn(value, "layout") !== "ROW_MAJOR",
    dtype: textIn(value, "dtype"),
    memory: textIn(value, "memory"),
    shardShape: height === undefined || width === undefined ? undefined : [height, width],
  }];
}

/** Nested attributes as `name=value`; texts stay as they are. */
function attributeText(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, entry]) =>
    isRecord(entry) ? attributeText(entry) : [`${name.trim()}=${String(entry)}`]
  );
}
