// SPDX-License-Identifier: Apache-2.0
import { makeLayout } from "../../../lib/layout/make_layout.ts";
import { programTensor } from "../../../lib/programs/program_tensor.ts";
import { moveProgram } from "../../../lib/programs/stream.ts";
import { chipDescription, type Device } from "../../devices/device.ts";
import { microsecondsOf } from "../../kernels/kernel.ts";
import { priceProgram } from "../../kernels/price_program.ts";
import { L1 } from "../op_question.ts";
import { type AuditRow, excluding } from "../row_model.ts";
import { measuredChip } from "./measured_chip.ts";
import type { MeasuredOp } from "./measured_op.ts";
import { dataTypeOf, numberIn, placeIn, shapesIn, textIn } from "./texts.ts";

/** A buffer moved to another address by the backend, to close gaps: no op of the dialect, but its program is known. */
export function moveRow(row: MeasuredOp): AuditRow {
  const { group, params, measured } = row;
  const chip = measuredChip(row);
  const device = chip?.device ?? row.chip;
  const excluded = excluding(group, device);
  if (chip === undefined) return excluded("the chip is not modelled");
  const [shape] = shapesIn(params.shape);
  const shard = textIn(params, "shard");
  if (shape === undefined || shard === "") return excluded("shapes or shards are not in the row");
  const dataType = dataTypeOf(params);
  const page = /ROW_MAJOR/.test(textIn(params, "layout")) ? { tile: null } : {};
  const place = { ...placeIn(shard, L1, numberIn(params, "cores"), chip), ...page };
  const microseconds = (on: Device): number => {
    const description = chipDescription(on);
    const layout = makeLayout({ ...place, shape, dataType }, description.workerGrid, description.dramBanks);
    const tensor = programTensor({ shape, dataType }, layout);
    return microsecondsOf(on, priceProgram(moveProgram(tensor, tensor, description), on).cycles);
  };
  return {
    status: "modelled",
    group,
    costClass: "reshard",
    placement: "l1_sharded",
    device,
    configuration: `${group} ${device} ${JSON.stringify(params)}`,
    table: `${group} ${device} ${row.source}`,
    measured: measured.value,
    unit: "us",
    predict: microseconds,
  };
}
