// Making the parts of a page.

export const byId = (id) => document.getElementById(id);

export function element(tag, className = "", ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** A button with a text of its own. */
export function button(className, text, pressed) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", pressed);
  return made;
}

/** The head of a column, or of a row, of a table. */
export function headCell(text, scope = "col") {
  return Object.assign(element("th", "", text), { scope });
}
