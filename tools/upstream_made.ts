// SPDX-License-Identifier: Apache-2.0
import { basename } from "@std/path";
import { functionsOf, type ModuleText, parseModules, tensorTypeAt } from "../lib/ir/mod.ts";

/**
 * What upstream made of a model. Different models may share a name, so that the module has to have all functions of the
 * input, with arguments of the same shapes.
 *
 * @param path of the input
 * @param files in which it is looked for: those with its name, or a name of folders, `__` and its name
 * @returns `undefined` if there is none
 */
export function upstreamMade(
  input: ModuleText,
  path: string,
  files: readonly string[],
): ModuleText | undefined {
  const name = basename(path);
  const named = files.filter((file) => basename(file) === name || basename(file).endsWith(`__${name}`))
    .flatMap((file) => parseModules(Deno.readTextFileSync(file), basename(file)));
  return named.find((made) => signatures(made).isSupersetOf(signatures(input)));
}

/** Name and shapes of the arguments of every function with a body. */
function signatures(module: ModuleText): ReadonlySet<string> {
  const views = functionsOf(module).filter(({ blocks }) => blocks.length > 0);
  return new Set(views.map((view) => {
    const shapes = view.arguments.map(({ type }) => tensorTypeAt(module, type)?.shape.join("x") ?? "");
    return `${view.name}(${shapes.join(", ")})`;
  }));
}
