// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { bundledFiles } from "./calibrated_files.ts";
import { CALIBRATION_TASKS } from "./tasks.ts";

/** Constants of the bundled files of a kind, each with its file, section and name. */
function constantsOfKind(kind: string) {
  return bundledFiles().flatMap(({ file }) =>
    Object.entries(file.constants).flatMap(([section, constants]) =>
      Object.entries(constants).flatMap(([name, constant]) =>
        constant.kind === kind ? [{ file, section, name, constant }] : []
      )
    )
  );
}

Deno.test("a constant is labelled fitted only if a task fits it from its source's value", () => {
  const unfounded = constantsOfKind("fitted").filter(({ file, section, name, constant }) =>
    constant.prior === undefined ||
    !CALIBRATION_TASKS.some((task) =>
      (task.device ?? task.architecture) === file.name || task.architecture === file.name
        ? task.constants.some((fitted) => fitted.section === section && fitted.name === name)
        : false
    )
  );
  assertEquals(unfounded.map(({ file, section, name }) => `${file.name} ${section}.${name}`), []);
});

Deno.test("every fitted constant lies in the range in which its task lets it be", () => {
  for (const { file, section, name, constant } of constantsOfKind("fitted")) {
    const ranges = CALIBRATION_TASKS.filter((task) => (task.device ?? task.architecture) === file.name)
      .flatMap((task) => task.constants)
      .filter((fitted) => fitted.section === section && fitted.name === name);
    const inside = ranges.some(({ min, max }) => constant.value >= min && constant.value <= max);
    assertEquals(ranges.length === 0 || inside, true, `${file.name} ${section}.${name}`);
  }
});
