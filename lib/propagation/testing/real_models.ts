// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../../cost/cost_model.ts";
import { createCostModel } from "../../../sim/cost/runtime.ts";
import { getDevice } from "../../../sim/devices/device_registry.ts";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../../opmodel/create_op_model.ts";
import type { OpModel } from "../../opmodel/op_model.ts";

/** The real op model and cost model, for tests; toy models replace them only where a test says why. */
export function realModels(): { readonly opModel: OpModel; readonly cost: CostModel } {
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts });
  return { opModel, cost: createCostModel({ device: getDevice("n150"), layouts, opModel }) };
}
