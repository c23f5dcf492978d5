/**
 * The desk: a client of the API in the browser. This module starts it.
 *
 * desk.js          start, and the table of views
 * frame/           navigation, router, sign-in, session, drafts, inbox
 * api/client.js    requests; api/records.js: the store that the feed keeps true
 * elements.js      what views are made of; thread.js: comments and messages
 * views/X/X.js     a view: `export async function view(context, parameters)`, see frame/router.js
 */
/** @import { Change } from "workdesk" */
/** @import { Route } from "./frame/router.js" */
import { onUnauthenticated } from "./api/client.js";
import { begin, follow, forgetPeople } from "./api/records.js";
import { trouble } from "./elements.js";
import { mark, place, showNavigation, showPerson } from "./frame/frame.js";
import { followInbox, readInbox } from "./frame/inbox.js";
import { open, prepare, start } from "./frame/router.js";
import { myId, readSession } from "./frame/session.js";
import { signIn } from "./frame/sign-in.js";

/** @type {Route[]} */
const ROUTES = [
  { path: "/", title: "Home", place: "Home", load: () => import("./views/home/home.js") },
  { path: "/projects", title: "Projects", place: "Projects", load: () => import("./views/projects/projects.js") },
  { path: "/projects/:id", title: "Project", place: "Projects", load: () => import("./views/projects/board.js") },
  { path: "/tasks/:id", title: "Task", place: "Projects", load: () => import("./views/tasks/tasks.js") },
  { path: "/alerts", title: "Alerts", place: "Alerts", load: () => import("./views/alerts/alerts.js") },
  { path: "/alerts/:id", title: "Alert", place: "Alerts", load: () => import("./views/alerts/alert.js") },
  { path: "/requests", title: "Requests", place: "Requests", load: () => import("./views/requests/requests.js") },
  { path: "/requests/:id", title: "Request", place: "Requests", load: () => import("./views/requests/requests.js") },
  { path: "/tickets", title: "Tickets", place: "Tickets", load: () => import("./views/tickets/tickets.js") },
  { path: "/tickets/:id", title: "Ticket", place: "Tickets", load: () => import("./views/tickets/tickets.js") },
  { path: "/search", title: "Search", place: "Search", load: () => import("./views/search/search.js") },
  { path: "/settings", title: "Settings", place: "Settings", load: () => import("./views/settings/settings.js") },
  { path: "/settings/:section", title: "Settings", place: "Settings", load: () => import("./views/settings/settings.js") },
  { path: "/settings/:section/:id", title: "Settings", place: "Settings", load: () => import("./views/settings/settings.js") },
  { path: "/agent-sessions/:id", title: "Alert", place: "Alerts", load: () => import("./views/alerts/session.js") },
];

onUnauthenticated(signIn);
showNavigation();
prepare(ROUTES);
try {
  // The feed begins before the first record is read, so that no change is missed.
  await Promise.all([readSession(), begin()]);
  showPerson();
  start(ROUTES, place("main"), mark);
  followInbox();
  follow(() => open(), noticed);
} catch (problem) {
  place("main").append(trouble(problem, () => location.reload()));
}

/** @param {Change[]} changes */
function noticed(changes) {
  readInbox().catch(() => {});
  const users = changes.filter(({ type }) => type === "user");
  if (users.length > 0) forgetPeople();
  if (users.some(({ recordId }) => recordId === myId())) readSession().catch(() => {});
}
