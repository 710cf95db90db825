// SPDX-License-Identifier: Apache-2.0

/** Text between the tags of HTML or SVG. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
