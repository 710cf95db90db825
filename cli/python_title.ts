// SPDX-License-Identifier: Apache-2.0
import { baseName } from "./progress.ts";

/** Docstring in the first line of a Python program. */
export function pythonTitle(file: string, device: string, version: string): string {
  return `${baseName(file)} for ${device}, written by Tilewright ${version} for ttnn 0.81.`;
}
