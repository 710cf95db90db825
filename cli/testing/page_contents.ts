// SPDX-License-Identifier: Apache-2.0
import type { FunctionData } from "../render/report/page_data.ts";

/** The unpacked contents of a `report` page. */
export interface PageContents {
  /** The page without its data, followed by the tables that the client inserts. */
  readonly html: string;
  readonly functions: readonly FunctionData[];
}

/** Unpacks a page as its client does. */
export async function pageContents(page: string): Promise<PageContents> {
  const [element = "", data = ""] =
    /<script type="application\/gzip" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  const stream = new Blob([Uint8Array.fromBase64(data)]).stream().pipeThrough(
    new DecompressionStream("gzip"),
  );
  const { functions }: { functions: readonly FunctionData[] } = await new Response(stream).json();
  return { html: [page.replace(element, ""), ...functions.map(({ ops }) => ops)].join("\n"), functions };
}
