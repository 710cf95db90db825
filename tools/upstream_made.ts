// SPDX-License-Identifier: Apache-2.0
import { basename } from "@std/path";
import { functionsOf, type ModuleText, parseModules, tensorTypeAt } from "../lib/ir/mod.ts";

/**
 * What upstream made of a model: of the files with its name, behind the folders that it lay in, the one whose functions
 * take tensors of the same shapes; different models may share a name.
 *
 * @returns `undefined` where there is none
 */
export function upstreamMade(
  input: ModuleText,
  path: string,
  files: readonly string[],
): ModuleText | undefined {
  const name = basename(path);
  const named = files.filter((file) => basename(file) === name || basename(file).endsWith(`__${name}`))
    .flatMap((file) => parseModules(Deno.readTextFileSync(file), basename(file)));
  return named.find((made) => signatures(made).isSupersetOf(signatures(input))) ?? named[0];
}

/** Name and shapes of the arguments of every function with a body. */
function signatures(module: ModuleText): ReadonlySet<string> {
  const views = functionsOf(module).filter(({ blocks }) => blocks.length > 0);
  return new Set(views.map((view) => {
    const shapes = view.arguments.map(({ type }) => tensorTypeAt(module, type)?.shape.join("x") ?? "");
    return `${view.name}(${shapes.join(", ")})`;
  }));
}
