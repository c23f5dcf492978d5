/** The follower of the feed of changes, which keeps the records true. The tabs of a user share one:
 * the tab that leads asks, and passes the changes on. */
/** @import { Change } from "workdesk" @import { Sharing } from "./sharing.js" */
import { afterReadings, get, more, pause } from "./client.js";
import { apply, forget } from "./records.js";
import { sharing } from "./sharing.js";

/** Seconds between two questions for changes, by the seconds since the user or another one last did
 * something. */
const PAUSES = /** @type {const} */ ([[60, 3], [600, 10], [Infinity, 30]]);
const FULL = 200; // Changes of a whole page.
const ACTS_MS = 1_000; // Between two words to the leading tab that the user does something.

/** What the follower tells. @typedef {object} Followed
 * @property {number} user whose tabs share it
 * @property {() => void} reset called when the feed was lost: read all again
 * @property {(changes: Change[]) => void} noticed called with all changes, wanted or not
 * @property {(changes: Change[]) => void} asked called after each question of this tab
 * @property {() => Promise<unknown>} doubt reads the session: the feed takes its own cursor no
 *   more */

let next = ""; // The path of the feed's next page.
/** How often changes were passed on that this tab may not have heard, and how many of these times
 * it has caught up with. Until then, its own page stays the next one. */
let [missed, caughtUp] = [0, 0];
const isBehind = () => missed !== caughtUp;
let wake = () => {};

/** Begins the feed. Call it before the first records are read. */
export async function begin() {
  next ||= (await get("/api/changes", {}, { quiet: true })).next ?? "";
}

/** Follows the feed: every few seconds while the page is visible, at once when it becomes visible
 * or online. @param {Followed} followed */
export async function follow(followed) {
  const { acts, wait } = activity();
  const tabs = sharing(`workdesk feed ${followed.user}`, hear);
  shareActs(acts, tabs);
  document.addEventListener("visibilitychange", () => {
    missed += 1;
    wake();
  });
  const told = (/** @type {Change[]} */ changes) => {
    acts();
    followed.noticed(changes);
  };

  /** What another tab passes on. A hidden tab asks for it when it is seen again.
   * @param {{ acts?: true, wakes?: true, lost?: true, changes?: Change[], next?: string }}
   * message */
  function hear(message) {
    if (message.acts) acts();
    if (message.wakes) wake();
    if (message.lost && !document.hidden) void renew(followed.reset).catch(() => {});
    const { changes, next: following } = message;
    if (changes && !document.hidden) {
      taken = taken.then(() => take(changes, following ?? next, told));
    }
  }
  let taken = Promise.resolve();

  for (;;) {
    await woken(wait());
    if (tabs.leads() || isBehind()) await ask(followed, told, tabs).catch(() => {});
  }
}

/** Takes changes that another tab passes on. @param {Change[]} changes @param {string} following
 * the page after them @param {(changes: Change[]) => void} told */
async function take(changes, following, told) {
  try {
    await keep(changes, told);
    if (!isBehind()) next = following;
  } catch {
    missed += 1;
    wake();
  }
}

/** Waits until it is time to ask: after a while, or when the tab is woken. A hidden one waits on.
 * @param {number} seconds */
async function woken(seconds) {
  const call = new Promise((resolve) => (wake = () => document.hidden || resolve(undefined)));
  await Promise.race([call, pause(seconds)]);
  while (document.hidden) await new Promise((resolve) => (wake = () => resolve(undefined)));
}

/** When the user or another one last did something. */
function activity() {
  let acted = performance.now();
  const acts = () => void (acted = performance.now());
  const wait = () => PAUSES.find(([rest]) => performance.now() - acted < 1000 * rest)?.[1] ?? 30;
  return { acts, wait };
}

/** Tells the tab that leads what the user does in this one. @param {() => void} acts
 * @param {Sharing} tabs */
function shareActs(acts, tabs) {
  let told = 0;
  const act = () => {
    acts();
    if (tabs.leads() || performance.now() - told < ACTS_MS) return;
    told = performance.now();
    tabs.pass({ acts: true });
  };
  for (const event of ["pointerdown", "keydown"]) {
    addEventListener(event, act, { capture: true, passive: true });
  }
  addEventListener("focus", () => {
    wake();
    tabs.pass({ wakes: true });
  });
}

/** Asks for changes. Begins anew if the feed was lost. @param {Followed} followed
 * @param {(changes: Change[]) => void} told @param {Sharing} tabs */
async function ask({ reset, asked, doubt }, told, tabs) {
  try {
    asked(await catchUp(told, tabs));
  } catch (problem) {
    const { status } = /** @type {{ status?: number }} */ (problem);
    if (status !== 400 && status !== 410) throw problem;
    // A cursor is malformed for another user alone.
    if (status === 400) await doubt();
    if (tabs.leads()) tabs.pass({ lost: true });
    await renew(reset);
  }
}

/** Reads the changes since the last time, and wanted records.
 * @param {(changes: Change[]) => void} told @param {Sharing} tabs */
async function catchUp(told, tabs) {
  const all = /** @type {Change[]} */ ([]);
  const before = missed;
  for (let isFull = true; isFull; ) {
    const page = await more(next, { quiet: true });
    const changes = /** @type {Change[]} */ (page.data);
    if (changes.length > 0) {
      if (tabs.leads()) tabs.pass({ changes, next: page.next ?? next });
      await keep(changes, told);
    }
    next = page.next ?? next;
    all.push(...changes);
    isFull = changes.length >= FULL;
  }
  caughtUp = before;
  return all;
}

/** Keeps the records true to changes. @param {Change[]} changes
 * @param {(changes: Change[]) => void} told */
async function keep(changes, told) {
  // An answer that is under way may be older than these changes.
  await afterReadings();
  await apply(changes);
  told(changes);
}

/** Begins anew after the feed was lost. @param {() => void} reset */
async function renew(reset) {
  next = "";
  forget();
  await begin().catch(() => {});
  reset();
}
