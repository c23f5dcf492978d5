/**
 * The frame around the views: navigation, the thin bar, notices.
 *
 *     say("Saved.")                              // for screen readers
 *     notice("Task deleted.", "Undo", act)       // at the bottom for five seconds
 */
import { onActivity, post } from "../api/client.js";
import { button, node } from "../elements.js";
import { dropDrafts } from "./drafts.js";
import { countOf, inbox } from "./inbox.js";
import { to } from "./router.js";
import { me } from "./session.js";

const PLACES = [
  ["Home", "/"],
  ["Projects", "/projects"],
  ["Requests", "/requests"],
  ["Tickets", "/tickets"],
  ["Alerts", "/alerts"],
  ["Search", "/search"],
  ["Settings", "/settings"],
];
/** A slow answer shows the bar. */
const SLOW_MS = 300;
const NOTICE_MS = 5_000;

/** @param {string} id @returns {HTMLElement} */
export function place(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** Shows the navigation; the person appears when the session is known. */
export function showNavigation() {
  const links = PLACES.map(([name = "", path = ""]) =>
    node("li", {}, node("a", { href: to(path), "data-place": name }, name)),
  );
  const list = node("nav", { "aria-label": "Views" }, node("ul", {}, ...links));
  place("navigation").replaceChildren(node("a", { class: "brand", href: to("/") }, "Workdesk"), list);
  place("skip").addEventListener("click", () => document.querySelector("h1")?.focus());
  showActivity();
}

/** Marks the entry of the navigation. @param {string} name */
export function mark(name) {
  for (const link of document.querySelectorAll("[data-place]")) {
    if (link.getAttribute("data-place") === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Shows the signed-in person, the organization, and the unread count. */
export function showPerson() {
  const { user, organization } = me();
  const signOut = async () => {
    await post("/api/auth/logout", {});
    dropDrafts();
    location.hash = "";
    location.reload();
  };
  const person = node("div", { class: "person" },
    node("span", { title: `${user.username}, ${user.role}` }, user.fullName),
    node("small", {}, organization.name),
    button("Sign out", signOut, { kind: "plain" }),
  );
  place("navigation").append(person);
  const count = node("span", { class: "count" });
  document.querySelector("[data-place=Home]")?.append(count);
  inbox(new AbortController().signal, (rows) => {
    count.replaceChildren(...(rows.length ? [countOf(rows), node("span", { class: "only-read" }, " unread")] : []));
  });
}

function showActivity() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let told = false;
  onActivity(({ busy, waiting }) => {
    if (busy) timer ??= setTimeout(() => (place("bar").hidden = false), SLOW_MS);
    else {
      clearTimeout(timer);
      timer = undefined;
      place("bar").hidden = true;
    }
    if (waiting && !told) say("No answer yet. Trying again.");
    told = waiting;
    place("bar").classList.toggle("waiting", waiting);
  });
}

/** Says something to users of a screen reader. @param {string} text */
export function say(text) {
  place("said").textContent = text;
}

/**
 * Shows a notice with an action for five seconds; longer while the pointer or the focus is on it. `done` is called
 * when it is over without the action, or when the page is left.
 * @param {string} text @param {string} label @param {() => void} act @param {(leaving: boolean) => void} [done]
 */
export function notice(text, label, act, done = () => {}) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const life = new AbortController();
  const end = (/** @type {() => void} */ then) => {
    // Before the notice goes: a focus that it loses begins no new wait.
    life.abort();
    clearTimeout(timer);
    shown.remove();
    then();
  };
  const leave = () => end(() => done(true));
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => end(() => done(false)), NOTICE_MS);
  };
  const stop = () => clearTimeout(timer);
  const shown = node("div", { class: "notice" }, text, button(label, () => end(act), { kind: "plain" }));
  for (const event of ["pointerenter", "focusin"]) shown.addEventListener(event, stop, life);
  for (const event of ["pointerleave", "focusout"]) shown.addEventListener(event, wait, life);
  addEventListener("pagehide", leave, life);
  place("notices").append(shown);
  say(`${text} ${label}?`);
  wait();
}
