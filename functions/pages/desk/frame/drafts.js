/**
 * Drafts: typed text that was not sent, by user, address and name. They survive a reload of the page.
 *
 *     const drop = keepDraft(textarea, "comment")   // restores the text now, and keeps it as the user types
 *     drop()                                        // after it was sent, also if the view has changed meanwhile
 */
import { myId } from "./session.js";

/** For a browser without storage, or with a full one. @type {Map<string, string>} */
const memory = new Map();

/** @param {string} name */
function key(name) {
  return `draft ${myId()} ${location.hash.split("?")[0]} ${name}`;
}

/** A draft of the present address, whatever the address is later. @param {string} name */
export function draftAt(name) {
  const kept = key(name);
  return {
    text: () => memory.get(kept) ?? sessionStorage.getItem(kept),
    /** @param {string} text */
    keep: (text) => {
      try {
        sessionStorage.setItem(kept, text);
      } catch {
        memory.set(kept, text);
      }
    },
    drop: () => {
      memory.delete(kept);
      sessionStorage.removeItem(kept);
    },
  };
}

/** The kept text, or null. @param {string} name */
export function draftOf(name) {
  return draftAt(name).text();
}

/** @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control @param {string} name */
export function keepDraft(control, name) {
  const draft = draftAt(name);
  control.value = draft.text() ?? control.value;
  control.addEventListener("input", () => draft.keep(control.value));
  return draft.drop;
}

/** Drops all drafts, at sign-out. */
export function dropDrafts() {
  memory.clear();
  sessionStorage.clear();
}
