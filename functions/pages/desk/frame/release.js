/** The release of the page. A tab from before a deployment names files that the new release may not
 * serve. */
import { Problem } from "../api/client.js";

/** The name of this file has the digest of the page's release, and so have all that a page
 * names. */
const OWN = new URL(import.meta.url).pathname.split("/").at(-1) ?? "";
const DIGEST = /frame-release\.(\w+)\.js/;
const MARK = "loaded again for";

/** A module that did not come. `isNew`: since another release is served. */
export class Missing extends Problem {
  constructor(/** @type {boolean} */ isNew) {
    super(0, { code: "no_answer", detail: isNew ? "A new version is here." : "No answer." });
    if (isNew) this.retry = "Reload";
  }
}

/** Loads a module. If it does not come and another release is served, loads the page again, at its
 * address and with its drafts: once for each release. @template T
 * @param {() => Promise<T>} load @returns {Promise<T>} */
export async function loaded(load) {
  try {
    return await load();
  } catch {
    const read = fetch(location.pathname, { cache: "no-cache" }).then((answer) => answer.text());
    const page = await read.catch(() => "");
    const [name, digest = ""] = DIGEST.exec(page) ?? [];
    const isNew = name !== undefined && name !== OWN;
    if (!isNew || isMarked(digest)) throw new Missing(isNew);
    location.reload();
    return new Promise(() => {});
  }
}

/** Was the page loaded again for this release? Marks it. Without a storage, it may have been.
 * @param {string} digest */
function isMarked(digest) {
  try {
    const before = sessionStorage.getItem(MARK);
    sessionStorage.setItem(MARK, digest);
    return before === digest;
  } catch {
    return true;
  }
}
