// Small charts. Each has its numbers in words for screen readers, and in a table for everybody.

import { draw, make, table } from "./elements.js";

const WIDE = 520;
const NARROW = 340; // on a phone, so that letters stay readable
const HEIGHT = 220;
const LEFT = 46;
const BOTTOM = 36;
const RIGHT = 22;
const TOP = 10;

// Lines over a common axis. `lines` are { name, kind, points: [[x, y], …], band: [[x, low, high], …] }.
export function lineChart({ title, words, x, y, lines, diagonal = false, dots = false }) {
  const points = lines.flatMap((line) => line.points);
  if (!points.length) return null;
  const width = innerWidth < 600 ? NARROW : WIDE;
  const [xLow, xHigh] = x.range ?? widen(points.map(([value]) => value));
  const [yLow, yHigh] = y.range ?? widen(points.map(([, value]) => value));
  const right = (value) => LEFT + ((value - xLow) / (xHigh - xLow || 1)) * (width - LEFT - RIGHT);
  const up = (value) =>
    HEIGHT - BOTTOM - ((Math.min(yHigh, Math.max(yLow, value)) - yLow) / (yHigh - yLow || 1)) * (HEIGHT - BOTTOM - TOP);
  const path = (pairs) =>
    pairs.map(([a, b], place) => `${place ? "L" : "M"}${right(a).toFixed(1)} ${up(b).toFixed(1)}`).join("");
  const svg = draw(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${title}. ${words}` },
    ticks(yLow, yHigh).map((value) =>
      draw(
        "g",
        {},
        draw("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: up(value), y2: up(value) }),
        draw("text", { class: "tick", x: LEFT - 6, y: up(value) + 4, "text-anchor": "end" }, y.show(value)),
      ),
    ),
    ticks(xLow, xHigh).map((value) =>
      draw("text", { class: "tick", x: right(value), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, x.show(value)),
    ),
    draw("text", { class: "axis", x: width - RIGHT, y: HEIGHT - 2, "text-anchor": "end" }, x.name),
    diagonal && draw("line", { class: "diagonal", x1: right(xLow), y1: up(xLow), x2: right(xHigh), y2: up(xHigh) }),
    lines.map((line, place) =>
      draw(
        "g",
        { class: `series series-${place % 4}` },
        line.band?.length > 1 &&
          draw("path", {
            class: "band",
            d: `${path([...line.band.map(([a, , high]) => [a, high]), ...line.band.map(([a, low]) => [a, low]).reverse()])}Z`,
          }),
        draw("path", { class: "line", d: path(line.points) }),
        (dots || line.points.length < 25) &&
          line.points.map(([a, b, n]) =>
            draw("circle", {
              class: "dot",
              cx: right(a),
              cy: up(b),
              r: n === undefined ? 3 : Math.min(8, 2 + Math.sqrt(n) / 3),
            }),
          ),
      ),
    ),
  );
  const names =
    lines.length > 1 &&
    make(
      "p",
      { class: "quiet" },
      lines.map((line, place) => [make("span", { class: `series-name series-${place % 4}` }, line.name), " "]),
    );
  const rows = lines.flatMap((line) =>
    line.points.map(([a, b]) => [x.show(a), ...(lines.length > 1 ? [line.name] : []), y.show(b)]),
  );
  return make(
    "figure",
    {},
    make("figcaption", {}, title),
    svg,
    names,
    make("p", { class: "quiet" }, words),
    make(
      "details",
      {},
      make("summary", {}, "Numbers"),
      table(title, [x.name, ...(lines.length > 1 ? ["label"] : []), y.name], rows),
    ),
  );
}

function widen(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low === high ? [low - 1, high + 1] : [low, high];
}

// Round numbers between two others.
function ticks(low, high, wanted = 4) {
  const raw = (high - low) / wanted;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * size).find((each) => each >= raw - 1e-12);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step)
    found.push(Number(value.toPrecision(12)));
  return found;
}
