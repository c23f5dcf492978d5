/** The desk: a client of the API in the browser. This module starts it.
 *
 * frame/           navigation, router, release, sign-in, session, drafts, inbox, keys
 * api/client.js    requests
 * api/records.js   the store, which api/feed.js keeps true: one tab asks for all of a browser
 * api/sets.js      sets of names
 * render.js        the one way to show something
 * elements.js, controls.js, forms.js, values.js, written.js: what views are made of
 * kit.js           all that views import
 * list.js          the page of a list
 * record/          the page of one record, and what is said on it
 * views/X/X.js     a view: `export async function view(context, parameters)`: frame/router.js */
/** @import { Route } from "./frame/router.js" */
/** @import { Change, Session } from "workdesk" */
import { tellTabs } from "./api/sharing.js";
import { watchSession } from "./frame/other-user.js";
import { SIGNED_IN } from "./frame/provider.js";
import { loaded } from "./frame/release.js";
import {
  begins, hasSignedIn, rememberSession, settleOther, signIn, unsaid,
} from "./frame/sign-in.js";
import {
  begin, dropOldDrafts, follow, followInbox, forgetCustomers, forgetPeople, hearKeys, keepInbox,
  mark, me, myId, node, notice, onUnauthenticated, open, place, prepare, readSession,
  shieldInputMethods, showNavigation, showPerson, start, trouble,
} from "./kit.js";

const settings = () => import("./views/settings/settings.js");
/** @type {Route[]} */
const ROUTES = [
  ["/", "Home", "Home", () => import("./views/home/home.js")],
  ["/projects", "Projects", "Projects", () => import("./views/projects/projects.js")],
  ["/projects/:id", "Project", "Projects", () => import("./views/projects/board.js"), "board"],
  ["/tasks", "Tasks", "Tasks", () => import("./views/tasks/tasks.js")],
  ["/tasks/:id", "Task", "Projects", () => import("./views/tasks/tasks.js"), "record"],
  ["/alerts", "Alerts", "Alerts", () => import("./views/alerts/alerts.js")],
  ["/alerts/:id", "Alert", "Alerts", () => import("./views/alerts/alert.js"), "record"],
  ["/agent-sessions/:session", "Alert", "Alerts", () => import("./views/alerts/alert.js"),
    "record"],
  ["/requests", "Requests", "Requests", () => import("./views/requests/requests.js")],
  ["/requests/:id", "Request", "Requests", () => import("./views/requests/requests.js"), "record"],
  ["/tickets", "Tickets", "Tickets", () => import("./views/tickets/tickets.js")],
  ["/tickets/:id", "Ticket", "Tickets", () => import("./views/tickets/tickets.js"), "record"],
  ["/customers", "Customers", "Customers", () => import("./views/customers/customers.js")],
  ["/customers/:id", "Customer", "Customers", () => import("./views/customers/customer.js"),
    "record"],
  ["/search", "Search", "Search", () => import("./views/search/search.js")],
  ["/settings", "Settings", "Settings", settings],
  ["/settings/:section", "Settings", "Settings", settings],
  ["/settings/:section/:id", "Settings", "Settings", settings],
];

/** The addresses of links in mails, which need no session. */
const MAILED = /^#\/(reset|confirm|accept)(\?|$)/;
// A link that is pasted into an open page.
addEventListener("hashchange", () => MAILED.test(location.hash) && location.reload());

try {
  onUnauthenticated(signIn);
  shieldInputMethods();
  dropOldDrafts();
  place("main").replaceChildren();
  showNavigation();
  watchSession();
  begins(await followMailed());
  prepare(ROUTES);
  // The feed begins before the first record is read, so that no change is missed.
  await Promise.all([readSession(), begin()]);
  tellTabs(myId());
  showPerson();
  rememberSession();
  if (location.hash === SIGNED_IN) endTab();
  else {
    start(place("main"), mark, hasSignedIn());
    settleOther();
    hearKeys();
    followInbox(myId());
    void follow({ user: myId(), reset: open, noticed, asked: keepInbox, doubt: readSession });
  }
  const said = unsaid();
  if (said) notice(said, "Close", () => {});
} catch (problem) {
  console.error(problem);
  place("main").append(trouble(problem, () => location.reload()));
}

function noticed(/** @type {Change[]} */ changes) {
  const users = changes.filter(({ type }) => type === "user");
  if (users.length > 0) forgetPeople();
  if (changes.some(({ type }) => type === "customer")) forgetCustomers();
  if (users.some(({ recordId }) => recordId === myId())) {
    readSession().then(openAnew(me())).catch(() => {});
  }
}

/** Opens the view anew if the user's rights are others than before. @param {Session} before */
function openAnew(before) {
  return (/** @type {Session} */ { permissions }) => {
    if (permissions.join() === before.permissions.join()) return;
    open();
    notice("Your rights have changed.", "Close", () => {});
  };
}

/** Ends the tab that a provider was opened in, if the browser lets it. The other tabs know
 * already. */
function endTab() {
  place("main").append(node("h1", "You are signed in"),
    node("p", "Close this tab, and go on in the other one."));
  window.close();
}

/** Follows a link of a mail, if the address is one. Resolves to what is to be said then. */
async function followMailed() {
  if (!MAILED.test(location.hash)) return "";
  const { followLink } = await loaded(() => import("./frame/links.js"));
  return followLink();
}
