// SPDX-License-Identifier: Apache-2.0
// Details of a selected step, and the instances of a tensor over the schedule.

import { bytes, count, element, plainTable } from "./dom.js";

/** Buffers of one core during a step, by ascending address. */
const buffersAt = ({ rectangles }, step) =>
  rectangles.filter(({ from, to }) => from <= step && step <= to).sort((a, b) => a.address - b.address);

const nameOf = ({ label, madeBy, kind }) =>
  kind === "circular_buffers" ? `circular buffers of ${madeBy}` : label;

/** L1 during one step: addresses to the right. */
function l1Bar(map, step, title, zoom) {
  const share = (bytes) => `${bytes / (map.top - map.base) * 100}%`;
  const bar = element("div", { className: "bar" });
  bar.style.width = `${zoom}%`;
  for (const buffer of buffersAt(map, step)) {
    const made = buffer.madeBy === "" || buffer.kind !== "tensor" ? "" : `, made by ${buffer.madeBy}`;
    const part = element("span", {
      className: buffer.kind,
      textContent: nameOf(buffer),
      title: `${nameOf(buffer)}${made}: ${bytes(buffer.bytes)} at ${count(buffer.address)} to ${
        count(buffer.address + buffer.bytes)
      }`,
    });
    part.style.left = share(buffer.address - map.base);
    part.style.width = share(buffer.bytes);
    bar.append(part);
  }
  const clash = map.clashes.find((candidate) => candidate.step === step);
  if (clash !== undefined) {
    const part = element("span", { className: "clash", title: `${bytes(clash.shortBytes)} short` });
    part.style.left = share(clash.start - map.base);
    part.style.width = share(clash.end - clash.start);
    bar.append(part);
  }
  return element(
    "div",
    { className: "l1step" },
    element("span", { className: "dim", textContent: title }),
    bar,
  );
}

/** L1 before and during a step, by name and address. */
function l1Story(map, step) {
  const box = element("div", { className: "l1story" });
  const bars = element("div", { className: "l1bars", tabIndex: 0 });
  const draw = (zoom) =>
    bars.replaceChildren(
      ...(step === 0 ? [] : [l1Bar(map, step - 1, "before", zoom)]),
      l1Bar(map, step, "now", zoom),
    );
  draw(100);
  const slider = element("input", {
    type: "range",
    min: "100",
    max: "4000",
    value: "100",
    className: "l1zoom",
  });
  slider.addEventListener("input", () => draw(slider.value));
  const before = new Set(step === 0 ? [] : buffersAt(map, step - 1));
  const now = buffersAt(map, step);
  const gone = [...before].filter((buffer) => !now.includes(buffer));
  const rows = [...now, ...gone].sort((a, b) => b.address - a.address).map((buffer) =>
    element(
      "tr",
      {},
      ...[
        nameOf(buffer),
        `${count(buffer.address)} to ${count(buffer.address + buffer.bytes)}`,
        bytes(buffer.bytes),
        buffer.kind === "circular_buffers" ? "" : buffer.madeBy,
        gone.includes(buffer) ? "gone" : before.has(buffer) ? "stays" : "new",
      ].map((text) => element("td", { textContent: text })),
    )
  );
  box.append(
    element("b", { textContent: "L1 of one core" }),
    element("label", { className: "dim" }, "Zoom ", slider),
    bars,
    element("div", { className: "dim", textContent: `${count(map.base)} to ${count(map.top)}` }),
  );
  if (rows.length > 0) {
    box.append(plainTable(["Buffer", "Addresses", "Per core", "Made by", "Change"], rows));
  }
  return box;
}

/** Details of a selected step; `follow` is called with the name of a tensor. */
export function fillDetail(box, fn, index, follow) {
  const { steps, l1 } = fn;
  const step = steps[index];
  const list = element("dl", {});
  for (const [name, value] of Object.entries(step.facts)) {
    list.append(element("dt", { textContent: name }), element("dd", { textContent: value }));
  }
  const close = element("button", { type: "button", className: "close", textContent: "Close" });
  close.addEventListener("click", () => box.classList.remove("told"));
  const names = [...new Set([...step.reads, ...step.makes].flatMap((id) => fn.tensors[id]?.name ?? []))];
  if (names.length > 0) {
    list.append(
      element("dt", { textContent: "Follow" }),
      element("dd", {}, ...names.map((name) => tensorButton(name, follow))),
    );
  }
  const parts = [close, element("b", { textContent: step.title }), list, l1Story(l1, index)];
  if (step.candidates.length > 0) {
    const rows = step.candidates.map((cells) => {
      const row = element("tr", {}, ...cells.map((textContent) => element("td", { textContent })));
      if (cells[0] === step.chosen) row.setAttribute("aria-selected", "true");
      return row;
    });
    const heads = ["Rank", "Result", "Operands", step.timeTitle, "Compared with chosen"];
    parts.push(element("b", { textContent: "Candidates" }), plainTable(heads, rows));
  }
  for (const { title, sentences } of step.sections) {
    parts.push(
      element("b", { textContent: title }),
      element("ul", {}, ...sentences.map((textContent) => element("li", { textContent }))),
    );
  }
  box.classList.add("told");
  box.replaceChildren(...parts);
  box.scrollTop = 0;
}

function tensorButton(name, follow) {
  const button = element("button", { type: "button", className: "link", textContent: name });
  button.addEventListener("click", () => follow(name));
  return button;
}

/** Where a tensor and its copies are produced, stored and read, in schedule order. */
export function tensorStory(fn, name) {
  const tensors = Object.entries(fn.tensors).filter(([, tensor]) => tensor.name === name)
    .map(([id, tensor]) => ({ ...tensor, id: Number(id) }));
  const events = tensors.flatMap(({ id, layout, made, about }) => {
    const placed = fn.l1.rectangles.find(({ tensor }) => tensor === id);
    const at = placed === undefined
      ? ""
      : `, ${bytes(placed.bytes)} per core at ${count(placed.address)} until step ${placed.to}`;
    const how = made === undefined
      ? `${about}, in ${layout}${at}`
      : `${fn.steps[made].title} makes ${fn.steps[made].isMove ? "its copy" : "it"} in ${layout}${at}`;
    const reads = fn.steps.flatMap(({ reads, isMove, title }, step) =>
      reads.includes(id) && !isMove ? [{ step, words: `${title} reads it from ${layout}` }] : []
    );
    return [{ step: made ?? -1, words: how }, ...reads];
  });
  return {
    tensors: tensors.map(({ id }) => id),
    steps: [...new Set(events.map(({ step }) => step))].filter((step) => step >= 0),
    events: events.sort((a, b) => a.step - b.step),
    shape: tensors[0]?.shape ?? "",
  };
}

/** The events of a tensor as a list whose items select the step. */
export function fillFollowed(box, name, story, choose, stop) {
  const items = story.events.map(({ step, words }) => {
    if (step < 0) return element("li", { textContent: words });
    const button = element("button", { type: "button", className: "link", textContent: words });
    button.addEventListener("click", () => choose(step));
    return element("li", {}, button);
  });
  const close = element("button", { type: "button", className: "close", textContent: "Stop following" });
  close.addEventListener("click", stop);
  box.replaceChildren(
    close,
    element("b", { textContent: `${name} ${story.shape}` }),
    element("ol", {}, ...items),
  );
}
