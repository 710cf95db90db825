// SPDX-License-Identifier: Apache-2.0
import { readMeshNames } from "../dialect/module_mesh.ts";
import { aliasTextOf, meshOf } from "../dialect/ttnn_layout.ts";
import type { Operation, Span } from "../ir/module_text.ts";
import { tensorTypeAt } from "../ir/tensor_type.ts";
import type { Reporter } from "./reporter.ts";

/** V17: a layout names a mesh of the module, and all tensors of an op that name a mesh name the same one. */
export function verifyMeshes(reporter: Reporter): void {
  const { module } = reporter;
  const known = readMeshNames(module);
  const alias = aliasTextOf(module);
  const nameAt = (span: Span): string | undefined => {
    const type = tensorTypeAt(module, span);
    const mesh = type === undefined ? undefined : meshOf(module, type);
    return mesh === undefined ? undefined : /"([^"]*)"/.exec(alias(mesh))?.[1];
  };
  for (const operation of module.operations) {
    const named = typesOf(operation).flatMap((span) => {
      const name = nameAt(span);
      return name === undefined ? [] : [{ span, name }];
    });
    const [first] = named;
    if (first === undefined) continue;
    const unknown = named.find(({ name }) => known.length > 0 && !known.includes(name));
    if (unknown !== undefined) {
      const names = known.map((name) => `"${name}"`).join(", ");
      reporter.report(
        "V17/unknown-mesh",
        "error",
        unknown.span,
        `the layout is on mesh "${unknown.name}", which the module does not have; it has ${names}`,
      );
    }
    const other = named.find(({ name }) => name !== first.name);
    if (other !== undefined) {
      reporter.report(
        "V17/two-meshes",
        "error",
        other.span,
        `'${operation.name}' has tensors on meshes "${first.name}" and "${other.name}"`,
      );
    }
  }
}

function typesOf(operation: Operation): readonly Span[] {
  return [...operation.operandTypes ?? [], ...operation.resultTypes ?? []];
}
