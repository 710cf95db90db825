// SPDX-License-Identifier: Apache-2.0

/** Whether a text is what `ttnn.graph.end_graph_capture_to_file` writes of a Python model (ttnn:backend-0-81-1). */
export function looksLikeCapture(text: string): boolean {
  return /^\s*\{/.test(text) && /"node_type"\s*:\s*"capture_start"/.test(text);
}

/** Path of the file beside a capture that lists the calls of Python. */
export function callsPathOf(path: string): string {
  return path.replace(/(?:\.json)?$/, ".python_io.json");
}
