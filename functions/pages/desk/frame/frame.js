/** The frame around the views: navigation, the thin bar, what screen readers hear, notices. */
/** @import { Icon } from "../marks.js" @import { Child } from "../render.js" */
import { onActivity, post } from "../api/client.js";
import { button, node } from "../elements.js";
import { ask } from "../forms.js";
import { brand, face, icon } from "../marks.js";
import { draw } from "../render.js";
import { counted } from "../values.js";
import { countDrafts, dropDrafts } from "./drafts.js";
import { countOf, inbox } from "./inbox.js";
import { showKeys } from "./keys.js";
import { setUnread, to } from "./router.js";
import { me } from "./session.js";
import { tellTabs } from "../api/sharing.js";

const PLACES = ["Home", "Projects", "Tasks", "Requests", "Tickets", "Customers", "Alerts", "Search",
  "Settings"];
/** Views that the bar of a phone has no place for. */
const FURTHER = ["Requests", "Customers", "Alerts", "Search", "Settings"];
const SLOW_MS = 300; // A slower answer shows the bar.
const OFFLINE_MS = 2_000;
const NOTICE_MS = 5_000;
/** @param {string} id @returns {HTMLElement} */
export const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
export const say = (/** @type {string} */ text) => place("said").replaceChildren(text);

/** Shows the navigation; the person appears when the session is known. */
export function showNavigation() {
  const around = place("navigation");
  const links = PLACES.map((name) => {
    const at = name.toLowerCase();
    const own = { href: to(name === "Home" ? "/" : `/${at}`), "data-place": name };
    return node("li", node(FURTHER.includes(name) ? "a.further" : "a", own,
      icon(/** @type {Icon} */ (at)), name));
  });
  // On a phone, the other views and what the user has stand behind this button.
  const more = node("button",
    { type: "button", "aria-expanded": "false", onclick: () => open(!isOpen()) },
    icon("more"), "Menu");
  const isOpen = () => around.classList.contains("open");
  const open = (/** @type {boolean} */ is) => {
    around.classList.toggle("open", is);
    more.ariaExpanded = String(is);
  };
  draw(around, node("a.brand", { href: to("/") }, brand(), "Workdesk"),
    node("nav", { "aria-label": "Views" }, node("ul", links, node("li.more", more))));
  around.addEventListener("click", ({ target }) => more.contains(/** @type {Node} */ (target))
    || open(false));
  document.addEventListener("pointerdown", ({ target }) =>
    around.contains(/** @type {Node} */ (target)) || open(false));
  around.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !isOpen()) return;
    open(false);
    more.focus();
  });
  place("skip").addEventListener("click", () => document.querySelector("h1")?.focus());
  showActivity();
}

export function mark(/** @type {string} */ name) {
  document.querySelector("[data-place][aria-current]")?.removeAttribute("aria-current");
  document.querySelector(`[data-place="${name}"]`)?.setAttribute("aria-current", "page");
}

export function showPerson() {
  const { user, organization } = me();
  const leave = async () => {
    await post("/api/auth/logout", {});
    dropDrafts();
    tellTabs(0);
    location.hash = "";
    location.reload();
  };
  const signOut = () => (countDrafts() === 0 ? leave() : ask("Sign out?", {
    text: `${counted(countDrafts(), "text")} that you typed and did not send will be deleted.`,
    submit: "Sign out and delete", act: leave,
  }));
  place("navigation").append(node("div.person", face(user),
    node("bdi", { title: `${user.username}, ${user.role}` }, user.fullName),
    node("small", node("bdi", organization.name)),
    node("div.person-acts", button("Keys", showKeys, { kind: "plain" }),
      button("Sign out", signOut, { kind: "plain" }))));
  const count = node("span.count");
  document.querySelector("[data-place=Home]")?.append(count);
  inbox(null, (rows) => {
    draw(count, rows.length > 0 && [countOf(rows), node("span.only-read", " unread")]);
    setUnread(rows.length > 0 ? countOf(rows) : "");
  });
}

/** Says in words that there is no connection, or no answer, after two seconds of it. Returns what
 * tells it that a request is tried again. */
function showConnection() {
  const words = node("p.offline", { role: "status", hidden: true });
  place("notices").before(words);
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  let isWaiting = false;
  const show = () => {
    const text = !navigator.onLine ? "No connection. What you type is kept."
      : isWaiting ? "No answer yet. What you type is kept. Trying again." : "";
    clearTimeout(timer);
    if (text) timer = setTimeout(() => {
      words.hidden = false;
      draw(words, text);
    }, words.hidden ? OFFLINE_MS : 0);
    else {
      words.hidden = true;
      draw(words);
    }
  };
  for (const event of ["offline", "online"]) addEventListener(event, show);
  return (/** @type {boolean} */ busy, /** @type {boolean} */ waiting) => {
    // Between its attempts, a request still waits.
    const now = waiting || (isWaiting && busy);
    if (now === isWaiting) return;
    isWaiting = now;
    show();
  };
}

function showActivity() {
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  const [bar, waits] = [place("bar"), showConnection()];
  onActivity(({ busy, waiting }) => {
    if (busy) timer ??= setTimeout(() => (bar.hidden = false), SLOW_MS);
    else {
      clearTimeout(timer);
      timer = undefined;
      bar.hidden = true;
    }
    waits(busy, waiting);
    bar.classList.toggle("waiting", waiting);
  });
}

/** Shows a notice with an action for five seconds; longer while the pointer or the focus is on it.
 * @param {Child} text @param {string} label @param {() => void} act
 * @param {(leaving: boolean) => void} [done] called when it ends without the action, or the page is
 * left */
export function notice(text, label, act, done = () => {}) {
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  const life = new AbortController();
  const end = (/** @type {() => void} */ then) => {
    // Before the notice goes: a focus that it loses begins no new wait.
    life.abort();
    clearTimeout(timer);
    shown.remove();
    then();
  };
  const stop = () => clearTimeout(timer);
  const wait = () => {
    stop();
    timer = setTimeout(() => end(() => done(false)), NOTICE_MS);
  };
  const words = node("span", text);
  const shown = node("div.notice", words, button(label, () => end(act), { kind: "plain" }));
  for (const event of ["pointerenter", "focusin"]) shown.addEventListener(event, stop, life);
  for (const event of ["pointerleave", "focusout"]) shown.addEventListener(event, wait, life);
  addEventListener("pagehide", () => end(() => done(true)), life);
  place("notices").append(shown);
  say(`${words.textContent} ${label}?`);
  wait();
}
