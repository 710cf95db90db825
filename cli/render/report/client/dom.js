// SPDX-License-Identifier: Apache-2.0
// Shared helpers of the page: creating elements, formatting numbers, zooming a drawing.

const SVG = "http://www.w3.org/2000/svg";

export function svgElement(name, attributes, title) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (title !== undefined) {
    const text = document.createElementNS(SVG, "title");
    text.textContent = title;
    made.append(text);
  }
  return made;
}

export function svgText(text, attributes) {
  const made = svgElement("text", attributes);
  made.textContent = text;
  return made;
}

export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function plainTable(heads, rows) {
  const head = element("tr", {}, ...heads.map((textContent) => element("th", { textContent, scope: "col" })));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

export const count = (number) => number.toLocaleString("en-US");

export const bytes = (number) =>
  number >= 1048576
    ? `${(number / 1048576).toFixed(2)} MiB`
    : number >= 1024
    ? `${(number / 1024).toFixed(1)} KiB`
    : `${number} B`;

/** µs for an axis, with the digits that its tick distance needs. */
export const microseconds = (us, step) =>
  us === 0
    ? "0"
    : step >= 1000
    ? `${count(us / 1000)} ms`
    : step >= 10 && us >= 10000
    ? `${(us / 1000).toFixed(step >= 100 ? 1 : 2)} ms`
    : `${us.toFixed(step < 1 ? 2 : 0)} µs`;

/** About so many round numbers of a range: 1, 2 or 5 times a power of ten, or powers of two. */
export function ticks(from, to, about, isBinary = false) {
  const rough = (to - from) / Math.max(1, about);
  if (!(rough > 0)) return { step: 1, at: [] };
  const power = isBinary ? 2 ** Math.ceil(Math.log2(rough)) : 10 ** Math.floor(Math.log10(rough));
  const step = isBinary ? power : power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step);
  return {
    step,
    at: Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step),
  };
}

/** Pixels that a pointer may move before a press becomes a drag. */
const DRAG = 4;

/**
 * Zooms and moves a drawing in a box; calls `changed` with the visible part.
 *
 * `full` is the whole drawing, `isUniform` whether both axes share one scale, `zoomsY` whether both zoom, `area` the
 * rectangle of the drawing if it is not the box.
 */
export function viewport(box, full, { isUniform = false, zoomsY = true, start, area }, changed) {
  let view = { ...full };
  const size = area ?? (() => box.getBoundingClientRect());
  const between = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));
  /** The smallest view that contains everything. */
  const whole = () => {
    const { width, height } = size();
    if (!isUniform || width === 0 || height === 0) return { ...full };
    const scale = Math.min(width / full.width, height / full.height, 1.5);
    const [across, down] = [width / scale, height / scale];
    return {
      x: full.x - (across - full.width) / 2,
      y: full.y - (down - full.height) / 2,
      width: across,
      height: down,
    };
  };
  const set = (next) => {
    const most = whole();
    const width = between(next.width, isUniform ? 150 : full.width / 2000, most.width);
    const height = zoomsY
      ? isUniform ? width * most.height / most.width : between(next.height, full.height / 200, full.height)
      : full.height;
    view = {
      // A drawing smaller than the box is centred.
      x: width >= full.width
        ? full.x - (width - full.width) / 2
        : between(next.x, full.x, full.x + full.width - width),
      y: height >= full.height
        ? full.y - (height - full.height) / 2
        : between(next.y, full.y, full.y + full.height - height),
      width,
      height,
    };
    changed(view);
  };
  const zoom = (factor, atX = 0.5, atY = 0.5) =>
    set({
      width: view.width * factor,
      height: view.height * factor,
      x: view.x + view.width * (1 - factor) * atX,
      y: view.y + view.height * (1 - factor) * atY,
    });
  const centre = (x, y, width = view.width) =>
    set({
      x: x - width / 2,
      y: y - view.height * width / view.width / 2,
      width,
      height: view.height * width / view.width,
    });

  box.addEventListener("wheel", (event) => {
    // The wheel scrolls the page until the drawing has the focus.
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== box) return;
    event.preventDefault();
    const { left, top, width, height } = size();
    zoom(Math.exp(event.deltaY * 0.002), (event.clientX - left) / width, (event.clientY - top) / height);
  }, { passive: false });
  box.addEventListener("dblclick", () => set(whole()));
  box.addEventListener("keydown", (event) => {
    const factor = { "+": 0.7, "=": 0.7, "-": 1 / 0.7 }[event.key];
    if (factor !== undefined) zoom(factor);
    else if (event.key === "0") set(whole());
  });
  box.addEventListener("pointerdown", (press) => {
    if (press.button !== 0 || press.target.closest("button, .minimap") !== null) return;
    const before = { ...view };
    const { width, height } = size();
    let isDrag = false;
    const move = (event) => {
      const [right, down] = [event.clientX - press.clientX, event.clientY - press.clientY];
      isDrag ||= Math.abs(right) + Math.abs(down) > DRAG;
      if (!isDrag) return;
      box.classList.add("dragged");
      set({
        ...before,
        x: before.x - right / width * before.width,
        y: before.y - down / height * before.height,
      });
    };
    const end = () => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", end);
      document.removeEventListener("pointercancel", end);
      box.classList.remove("dragged");
      // The click after a drag selects nothing.
      if (isDrag) {
        const swallow = (event) => event.stopPropagation();
        box.addEventListener("click", swallow, { capture: true, once: true });
        setTimeout(() => box.removeEventListener("click", swallow, { capture: true }), 0);
      }
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  });
  new ResizeObserver(() => set(view)).observe(box);
  return {
    zoom,
    centre,
    fit: () => set(whole()),
    show: set,
    view: () => view,
    open: () => set(start === undefined ? whole() : start(size())),
    replace: (next) => {
      full = next;
    },
  };
}

/** Buttons that zoom and fit a drawing. */
export function zoomButtons(view) {
  const button = (textContent, title, click) => {
    const made = element("button", { type: "button", textContent, title });
    made.addEventListener("click", click);
    return made;
  };
  return element(
    "span",
    { className: "zoom" },
    button("+", "Larger (+)", () => view.zoom(0.7)),
    button("−", "Smaller (-)", () => view.zoom(1 / 0.7)),
    button("Fit", "All of it (0, or a double click)", () => view.fit()),
  );
}
