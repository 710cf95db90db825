// SPDX-License-Identifier: Apache-2.0

/** Holds the files and folders that pages name against the project: each of them is there. */

import { assertEquals } from "@std/assert";
import { basename, join } from "@std/path";
import { ROOT } from "./steps.ts";

const ROOMS = ["api", "bench", "cli", "docs", "lib", "pipeline", "sim", "testdata", "testing", "tools"];

/** Paths of all files and folders of the project's rooms. */
function pathsBelow(folder: string): readonly string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? [path, ...pathsBelow(path)] : [path];
  });
}

const paths = ROOMS.flatMap((room) => [room, ...pathsBelow(room)]);
const known = new Set([...paths, ...paths.map((path) => basename(path))]);

/** Paths in backticks; those with a word in capitals stand for any of a kind. */
function namedPaths(text: string): readonly string[] {
  return [...text.matchAll(/`([\w./-]+)`/g)]
    .map(([, path = ""]) => path.replace(/^\.\/|\/$/g, ""))
    .filter((path) => !/[A-Z]{2}/.test(path))
    .filter((path) => /\.ts$/.test(path) || ROOMS.some((room) => path.startsWith(`${room}/`)));
}

// The page of sources names files of other projects.
const pages = ["README.md", "CONTRIBUTING.md", ...paths.filter((path) => /^docs\/[\w-]+\.md$/.test(path))]
  .filter((page) => page !== "docs/sources.md");

const missing = (text: string): readonly string[] =>
  namedPaths(text).filter((path) => !known.has(path) && !paths.some((there) => there.endsWith(`/${path}`)));

for (const page of pages) {
  Deno.test(`every file that ${page} names is there`, () => {
    assertEquals(missing(Deno.readTextFileSync(join(ROOT, page))), []);
  });
}

Deno.test("every function that a page calls is in the source", () => {
  const sources = paths.filter((path) => /\.(?:ts|py)$/.test(path))
    .map((path) => Deno.readTextFileSync(join(ROOT, path))).join("\n");
  const words = new Set(sources.match(/\w+/g));
  const called = pages.flatMap((page) =>
    [...Deno.readTextFileSync(join(ROOT, page)).matchAll(/`(?:\w+\.)*(\w+)\(/g)].map(([, name = ""]) =>
      `${page}: ${name}`
    )
  );
  assertEquals(called.filter((call) => !words.has(call.split(": ")[1] ?? "")), []);
});

Deno.test("every file that a comment in the source names is there", () => {
  const found = paths.filter((path) => path.endsWith(".ts")).flatMap((path) => {
    const comments = Deno.readTextFileSync(join(ROOT, path)).match(/^\s*(?:\/?\*|\/\/).*/gm) ?? [];
    return missing(comments.join("\n")).map((name) => `${path}: ${name}`);
  });
  assertEquals(found, []);
});

for (const room of ["lib/optimal/", "lib/propagation/"]) {
  Deno.test(`${room}README.md lists the files of the room`, () => {
    const readme = Deno.readTextFileSync(join(ROOT, room, "README.md"));
    const files = paths.filter((path) => path.startsWith(room) && /(?<!_test)\.ts$/.test(path))
      .map((path) => path.slice(room.length));
    const listed = [...readme.matchAll(/^\| `([^`]+\.ts)`/gm)].map(([, file]) => file ?? "");
    assertEquals(listed.toSorted(), files.toSorted());
  });
}
