// SPDX-License-Identifier: Apache-2.0
import { isOp, type ValueId } from "../graph/graph.ts";
import { isWideJoin } from "../search/joins.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { decisionFor, ITSELF } from "../search/program.ts";

/**
 * A key shared by results with equal costs of leaving L1: equal ops produce them from equal operand layouts,
 * and a single join of many operands reads them without copies. Such a join has hundreds of operands;
 * evaluating each would take hundreds of queries.
 *
 * @returns `undefined` for any other value
 */
export function equivalentVictimKey(
  program: LayoutProgram,
  roles: OpRoles,
  value: ValueId,
): string | undefined {
  const { evaluator } = program;
  const { definition, uses: [reader, ...more], returned } = evaluator.value(value);
  if (definition.kind !== "result" || reader === undefined || more.length > 0 || returned > 0) {
    return undefined;
  }
  if (!isOp(evaluator.fn, reader.op) || !isWideJoin(evaluator, reader.op)) return undefined;
  if (decisionFor(program, reader.op).sources[reader.operand] !== ITSELF) return undefined;
  const { op, index } = definition;
  const { outputs, config } = decisionFor(program, op);
  const impl = evaluator.choiceId({ inputs: program.inputsOf(op), outputs, config, reasons: [] });
  return `${reader.op}:${evaluator.structureId(op)}:${impl}:${index}:${roles.decided[op]}:${
    roles.pinned[value]
  }`;
}
