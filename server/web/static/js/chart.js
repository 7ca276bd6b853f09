// Line charts as inline SVG, as wide as their place; numbers and marks come from the caller.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 34, right: 10, top: 10, bottom: 20 };

function svg(tag, attributes = {}, text = undefined) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Have a part of a chart pressed by mouse and keys, under a name. */
function makeButton(part, name, go) {
  part.classList.add("chart-go");
  for (const [attribute, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": name })) part.setAttribute(attribute, value);
  part.addEventListener("click", go);
  part.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    go();
  });
}

/** Which of the parts of the charts inside `root` that can be pressed has the focus; -1 if none. */
export function focusedPart(root) {
  return [...root.querySelectorAll(".chart-go")].indexOf(document.activeElement);
}

/** Give the focus back after the charts inside `root` were drawn anew. */
export function focusPart(root, place) {
  root.querySelectorAll(".chart-go")[place]?.focus();
}

/** Steps of 1, 2 or 5 that leave about four lines between two numbers. */
function ticks(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const found = [];
  for (let number = Math.ceil(low / step) * step; number <= high + step / 1000; number += step) found.push(Number((Math.round(number / step) * step).toFixed(6)));
  return found;
}

/**
 * A chart. `points` are {value, title, kind, low, high, go}: `kind` is a class of the mark ("" for none), `low` and `high` an
 * interval, `go` what the mark does when it is pressed, `title` its name. `breaks` are {at, text, title, go}: vertical lines
 * before the point `at`; `lines` are {value, text}: horizontal ones. `now` is the place of a marker. `label` says all of it in
 * words.
 */
export function lineChart({ points, breaks = [], lines = [], now = null, label, width = window.innerWidth < 620 ? 360 : 640, height = 200 }) {
  const numbers = points.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const least = Math.min(0, ...numbers);
  const most = Math.max(1, ...numbers);
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const across = (at) => MARGIN.left + (points.length > 1 ? (at / (points.length - 1)) * inner.width : inner.width / 2);
  const down = (value) => MARGIN.top + ((most - value) / (most - least)) * inner.height;
  // What is inside a picture is hidden from who does not see it; what can be pressed must not be.
  const role = [...points, ...breaks].some(({ go }) => go) ? "group" : "img";
  const root = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role, "aria-label": label });
  const line = (kind, x1, y1, x2, y2) => root.append(svg("line", { class: kind, x1, y1, x2, y2 }));

  for (const number of ticks(least, most)) {
    line(number === 0 ? "chart-zero" : "chart-grid", MARGIN.left, down(number), width - MARGIN.right, down(number));
    root.append(svg("text", { class: "chart-number", x: MARGIN.left - 5, y: down(number) + 4, "text-anchor": "end" }, String(number).replace("-", "−")));
  }
  for (const { at, text, title, go } of breaks) {
    line("chart-break", across(at), MARGIN.top, across(at), height - MARGIN.bottom);
    const name = svg("text", { class: "chart-number", x: across(at) + 3, y: height - 6 }, text);
    if (go) makeButton(name, title ?? text, go);
    root.append(name);
  }
  let named = null; // where the last name stands: one too near to it steps aside
  for (const { value, text } of lines.filter((each) => each.value <= most)) {
    const [y, near] = [down(value), named && Math.abs(named.y - down(value)) < 14];
    named = { y, x: near ? named.x - 80 : width - MARGIN.right };
    line("chart-level", MARGIN.left, y, width - MARGIN.right, y);
    root.append(svg("text", { class: "chart-name", x: named.x, y: y - 3, "text-anchor": "end" }, text));
  }
  if (now !== null) line("chart-now", across(now), MARGIN.top, across(now), height - MARGIN.bottom);
  root.append(svg("polyline", { class: "chart-line", points: points.map(({ value }, at) => `${across(at)},${down(value)}`).join(" ") }));
  points.forEach(({ value, title, kind, low, high, go }, at) => {
    if (low !== undefined) line("chart-interval", across(at), down(low), across(at), down(high));
    if (!kind) return;
    const mark = svg("circle", { class: `chart-mark ${kind}`, cx: across(at), cy: down(value), r: 4.5 });
    if (title) mark.append(svg("title", {}, title));
    if (go) makeButton(mark, title, go);
    root.append(mark);
  });
  return root;
}
