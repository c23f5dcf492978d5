/** The tabs of a browser share one session. Here a tab tells the others who has signed in or
 * out. */
const channel = new BroadcastChannel("workdesk session");

/** Tells the other tabs who is signed in now. @param {number} user 0: nobody */
export const tellTabs = (user) => channel.postMessage({ user });

/** Sets what is called when another tab tells it. @param {(user: number) => void} listener */
export const onTabs = (listener) =>
  channel.addEventListener("message", ({ data }) => listener(Number(data.user)));
