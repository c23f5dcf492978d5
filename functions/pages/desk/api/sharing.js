/** The tabs of a browser that show one user share what they ask for again and again: one of the
 * visible tabs leads. It asks, and passes on what it hears. Another tab leads once it closes. */

/** @typedef {ReturnType<typeof sharing>} Sharing */

/** @param {string} name tells what is shared @param {(message: any) => void} heard called with what
 * another tab passes on */
export function sharing(name, heard) {
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", ({ data }) => heard(data));
  const leads = leading(name);
  return { leads, pass: (/** @type {object} */ message) => channel.postMessage(message) };
}

/** Waits for the lead while the tab is visible, and keeps it as long. Where the browser has no
 * locks, each tab leads. Returns what tells if this tab leads.
 * @param {string} name */
function leading(name) {
  if (!navigator.locks) return () => true;
  let leads = false;
  let release = () => {};
  const keep = () => new Promise((resolve) => {
    leads = true;
    release = () => resolve(undefined);
  });
  const claim = () => {
    const visible = new AbortController();
    release = () => visible.abort();
    navigator.locks.request(name, { signal: visible.signal }, keep).catch(() => {});
  };
  document.addEventListener("visibilitychange", () => {
    leads = false;
    release();
    if (!document.hidden) claim();
  });
  if (!document.hidden) claim();
  return () => leads;
}

/** The tabs of a browser share one session, too. */
const session = new BroadcastChannel("workdesk session");

/** Tells the other tabs who is signed in now. @param {number} user 0: nobody */
export const tellTabs = (user) => session.postMessage({ user });

/** Sets what is called when another tab tells it. @param {(user: number) => void} listener */
export const onTabs = (listener) =>
  session.addEventListener("message", ({ data }) => listener(Number(data.user)));
