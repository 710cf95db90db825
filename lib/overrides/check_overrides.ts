// SPDX-License-Identifier: Apache-2.0
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Graph, GraphOp } from "../graph/graph.ts";
import { readOpConfig } from "../op_config/parse.ts";
import { fitsGrid } from "./output_layout_override.ts";
import { nameOfLocation, type OptimizerOverrides } from "./overrides.ts";

/**
 * Checks overrides against a graph: every name must be the name location of some op, operands must exist, and
 * convolution configs must belong to convolutions (tt-mlir `TTNNOptimizer::assertOverridesValid`). If several
 * ops share a name (for example because the lowering made them from one op), it is enough that one of them can
 * take the override.
 *
 * @param workerGrid the grid that layouts have to lie within; by default it is not asked for
 * @param folded names of ops of the input that are no ops of the graph, with what they were
 * @returns errors for names and operands that do not exist, warnings for configs without effect
 */
export function checkOverrides(
  graph: Graph,
  overrides: OptimizerOverrides,
  workerGrid?: { readonly rows: number; readonly columns: number },
  folded: ReadonlyMap<string | undefined, string> = new Map(),
): readonly Diagnostic[] {
  const opsByName = Map.groupBy(
    graph.functions.flatMap(({ ops }) => ops),
    (op) => nameOfLocation(op.location),
  );
  const findings: Diagnostic[] = [];
  const opsOf = (option: string, name: string): readonly GraphOp[] => {
    const ops = opsByName.get(name);
    if (ops !== undefined) return ops;
    const was = folded.get(name);
    if (was !== undefined) {
      const message =
        `${option} of "${name}" has no effect: lowering folds the ${was}, and no op of the plan is left of it`;
      findings.push({ code: "override/no-effect", severity: "warning", message });
      return [];
    }
    findings.push({
      code: "override/unknown-op",
      severity: "error",
      message: `Cannot apply ${option} to "${name}": no op has a location with that name`,
      notes: [{
        code: "override/unknown-op",
        severity: "note",
        message: namesNote(name, [...opsByName.keys()].filter((known) => known !== undefined)),
      }],
    });
    return [];
  };
  for (const [name, layout] of overrides.outputLayouts) {
    opsOf("--override-output-layout", name);
    if (workerGrid !== undefined && !fitsGrid(layout, workerGrid)) {
      findings.push(
        impossible(
          "--override-output-layout",
          name,
          `grid ${
            layout.grid?.join("x")
          } is not within the worker grid, ${workerGrid.rows}x${workerGrid.columns}`,
        ),
      );
    }
  }
  for (const [name, { actBlockHOverride = 0 }] of overrides.conv2dConfigs) {
    if (actBlockHOverride % TILE !== 0) {
      findings.push(
        impossible(
          "--override-conv2d-config",
          name,
          `act_block_h_override ${actBlockHOverride} is no multiple of ${TILE}: ${
            TILE * Math.ceil(actBlockHOverride / TILE)
          } is`,
        ),
      );
    }
  }
  for (const [name, operands] of overrides.memReconfigs) {
    const ops = opsOf("--insert-memreconfig", name);
    for (const operand of operands) {
      const [first] = ops;
      if (first === undefined || ops.some((op) => operand < op.operands.length)) continue;
      findings.push({
        code: "override/unknown-operand",
        severity: "error",
        message:
          `Cannot apply --insert-memreconfig to operand ${operand} of "${name}": ${first.name} has ${first.operands.length}`,
      });
    }
  }
  const convolutions = [
    ["--override-conv2d-config", "ttnn.conv2d", overrides.conv2dConfigs],
    ["--override-conv3d-config", "ttnn.conv3d", overrides.conv3dConfigs],
  ] as const;
  for (const [option, opName, configs] of convolutions) {
    for (const name of configs.keys()) {
      const ops = opsOf(option, name);
      const [first] = ops;
      if (first === undefined || ops.some((op) => op.name === opName)) continue;
      findings.push({
        code: "override/no-effect",
        severity: "warning",
        message: `${option} of "${name}" has no effect: the op is ${first.name}, not ${opName}`,
      });
    }
  }
  return [...findings, ...opsByName.entries().flatMap(([name, ops]) => otherWeights(name, ops, overrides))];
}

/** Rows of a tile, of which blocks of activations are whole numbers (tt-metal:conv2d). */
const TILE = 32;

function impossible(option: string, name: string, reason: string): Diagnostic {
  return {
    code: "override/impossible",
    severity: "error",
    message: `Cannot apply ${option} to "${name}": ${reason}`,
  };
}

/**
 * Errors for conv3d configs with other blocks of input channels than the input has: prepared weights come in the order of
 * those blocks, whether an op of the graph prepares them or its caller, and overrides prepare nothing again.
 */
function otherWeights(
  name: string | undefined,
  ops: readonly GraphOp[],
  { conv3dConfigs }: OptimizerOverrides,
): readonly Diagnostic[] {
  const wanted = name === undefined ? undefined : conv3dConfigs.get(name)?.cInBlock;
  if (wanted === undefined) return [];
  return ops.flatMap(({ name: opName, attributes }): Diagnostic[] => {
    const { config } = readOpConfig(opName, attributes);
    const prepared = config?.kind === "conv3d" ? config.conv3dConfig?.cInBlock : undefined;
    if (prepared === undefined || prepared === wanted) return [];
    return [{
      code: "override/prepared-weights",
      severity: "error",
      message:
        `Cannot apply --override-conv3d-config to "${name}": its weights are prepared in blocks of ${prepared} input channels, which c_in_block#${wanted} would read in another order; leave c_in_block out`,
    }];
  });
}

/** Names that start like the missing one, otherwise the first few names. */
function namesNote(missing: string, names: readonly string[]): string {
  if (names.length === 0) {
    return 'no op of the module has a name location; write loc("NAME") at the end of the line of an op to name it';
  }
  const stem = missing.replace(/[\d_.]+$/, "");
  const similar = names.filter((name) => stem !== "" && name.startsWith(stem));
  const shown = (similar.length > 0 ? similar : names).slice(0, 5).map((name) => `"${name}"`).join(", ");
  return similar.length > 0 ? `similar names: ${shown}` : `names in the module: ${shown}`;
}
