// Styles of parts that not every visit needs.

/** Load a style sheet of css/ once. */
export function useStyle(name) {
  const href = `/static/css/${name}.css`;
  if (document.querySelector(`link[href="${href}"]`)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
}
