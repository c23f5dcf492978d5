/** Drafts: typed text that was not sent. A draft belongs to a user, an address, a name, and the
 * version of the record that it changes. It outlives the tab, for 30 days. No form that shows
 * stored values, rights or money keeps one: what was typed and left must never look like what is
 * stored. */
import { now } from "../api/client.js";
import { myId } from "./session.js";

/** `values`: by the names of the controls. `version`: of the record, as it was when the first key
 * was typed.
 * @typedef {{ values: Record<string, string>, version: number | null, at: string }} Draft */

const KEPT_MS = 30 * 86_400_000;
const own = () => `draft ${myId()} `;

/** Uses the browser's storage. Does nothing where the browser refuses it, or where it is full.
 * @template T @param {(storage: Storage) => T} use @returns {T | undefined} */
export function stored(use) {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}

/** A draft of the present address, whatever the address is later.
 * @param {string} name one that begins with an
 * address, as `#/tasks/7 comment`, belongs to that one */
export function draftAt(name) {
  const key = own() + (name.startsWith("#/") ? name : `${location.hash.split("?")[0]} ${name}`);
  return {
    read: () => stored((storage) => /** @type {Draft | null} */ (
      JSON.parse(storage.getItem(key) ?? "null"))),
    keep: (/** @type {Draft["values"]} */ values, /** @type {number | null} */ version) => {
      const at = new Date(now()).toISOString();
      stored((storage) => storage.setItem(key, JSON.stringify({ values, version, at })));
    },
    drop: () => void stored((storage) => storage.removeItem(key)),
  };
}

/** The kept text of a control, or null. @param {string} name @param {string} [control] */
export const draftOf = (name, control = "content") => draftAt(name).read()?.values[control] ?? null;

const ownKeys = () => stored((storage) => Object.keys(storage)
  .filter((key) => key.startsWith(own()))) ?? [];

/** The number of drafts of the user. */
export const countDrafts = () => ownKeys().length;

export const dropDrafts = () =>
  ownKeys().forEach((key) => stored((storage) => storage.removeItem(key)));

/** Drops drafts of all users that are too old. */
export function dropOldDrafts() {
  stored((storage) => {
    for (const key of Object.keys(storage).filter((one) => one.startsWith("draft "))) {
      const at = Date.parse(/"at":"([^"]*)"}$/.exec(storage.getItem(key) ?? "")?.[1] ?? "");
      if (!(now() - at < KEPT_MS)) storage.removeItem(key);
    }
  });
}
