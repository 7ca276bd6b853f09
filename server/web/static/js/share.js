// A hand or session as its players give it away: private, or seen by everybody who has the link.
import { note, noteFailure } from "./announce.js";
import { byId, element } from "./elements.js";
import { t } from "./i18n.js";
import { api } from "./protocol.js";

/** Copy what stands in a field, and say so. */
export async function copyField(field, words) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // pages without https have no clipboard
  }
  note(words);
}

/**
 * Fill `root` with who sees a played hand or session (`kind`), and for its players how to change that. `changed` is called with
 * the new state of sharing.
 */
export function renderShare(root, kind, { link, seats, shared }, changed) {
  root.replaceChildren();
  if (!link || !seats.length) return;
  const open = shared.by_you || shared.by_other;
  const words = shared.by_you ? "share.byYou" : shared.by_other ? "share.byOther" : "share.private";
  const button = element("button", "quiet small", t(shared.by_you ? "share.stop" : `share.${kind}`));
  button.type = "button";
  button.id = `share-${kind}`;
  button.addEventListener("click", async () => {
    try {
      await api.share(link, !shared.by_you);
      changed({ ...shared, by_you: !shared.by_you });
      byId(button.id)?.focus();
    } catch (error) {
      noteFailure(error);
    }
  });
  root.append(element("p", "share-state", t(words)), button);
  if (!open) return;
  const field = Object.assign(element("input", "share-link"), { type: "text", readOnly: true });
  field.value = `${location.origin}/?${kind}=${encodeURIComponent(link)}`;
  field.setAttribute("aria-label", t("share.link"));
  const copy = element("button", "quiet small", t("wait.copy"));
  copy.type = "button";
  copy.addEventListener("click", () => copyField(field, t("wait.copied")));
  root.append(field, copy);
}

/** A link inside the page; it opens without loading the page anew. */
export function pageLink(kind, value, className, text) {
  const link = element("a", className, text);
  link.href = `./?${new URLSearchParams({ [kind]: value })}`;
  link.dataset.page = "";
  return link;
}

/** Give the reader a file. */
export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
