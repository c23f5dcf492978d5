/**
 * One alert: what is known, what is proposed, the decision, what became of it. `#/alerts/{id}?session={id}`
 *
 * Three requests: the alert, its session, and the other sessions; while actions run, the session's journal instead.
 * The parts below are drawn anew only if what they show changed; their forms stay.
 */

/** @import * as api from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, patch, Problem } from "../../api/client.js";
import { everyone, put, record, watch } from "../../api/records.js";
import { button, node, rows, state, time, words } from "../../elements.js";
import { say } from "../../frame/frame.js";
import { to } from "../../frame/router.js";
import { denied, myId } from "../../frame/session.js";
import { actionParts, sessionButtons } from "./actions.js";
import { analysisParts } from "./analysis.js";
import { decision } from "./decision.js";
import { executionParts } from "./execution.js";
import { journalPart } from "./journal.js";
import { amount, facts, named, prose } from "./parts.js";
import { progress } from "./progress.js";
import { counted } from "./words.js";

/**
 * All that the view knows, and what its parts share.
 * @typedef {object} Case
 * @property {api.Alert} alert
 * @property {api.AgentSession | undefined} session
 * @property {boolean} isNewest is this the alert's newest session?
 * @property {api.AgentSessionRow[]} sessions the alert's sessions, if they were read
 * @property {api.JournalEntry[]} journal if it was read
 * @property {api.JournalCheck | undefined} check of the journal, if it was made
 * @property {ReturnType<typeof progress>} progress
 * @property {Map<number, string>} names of users
 * @property {Set<string>} opened folded parts that are open
 * @property {Map<string, HTMLElement>} forms open forms
 * @property {Set<string>} chosen ids of the actions to preview
 * @property {string} told what became of a change of the alert's status
 * @property {AbortSignal} signal
 * @property {() => void} draw
 * @property {(session?: api.AgentSession) => Promise<void>} reload reads again what an operation changed
 * @property {() => Promise<void>} readJournal
 * @property {(ids: string[]) => Promise<void>} preview
 */
/**
 * A part of the page: what it shows, and how.
 * @typedef {{ key: string, shows: unknown, make: () => HTMLElement }} Part
 */

/** @param {Context} context @param {Record<string, string>} parameters */
export async function view({ header, body, query, signal, title }, parameters) {
  const id = Number(parameters["id"]);
  const wanted = Number(query.get("session")) || 0;
  /** @type {Awaited<ReturnType<typeof decision>> | undefined} */
  let deciding;
  /** Parts as they were drawn. @type {Map<string, Part & { text: string }>} */
  const drawn = new Map();
  const known = /** @type {Case} */ (/** @type {unknown} */ ({
    sessions: [], journal: [], names: new Map(), opened: new Set(), forms: new Map(), chosen: new Set(),
    told: "", signal,
  }));
  const [state_, acts] = [node("div", { class: "summary" }), node("div", { class: "push acts" })];
  const [main, aside] = [node("div", { class: "parts" }), node("aside", { class: "parts", "aria-label": "The alert" })];
  header.append(acts);

  const readAlert = async () => {
    const { data } = await get("/api/concierge/alerts/{id}", { id }, { signal });
    put("alert", data);
  };
  const readSession = async () => {
    const session = wanted || record("alert", id)?.agentSessionId;
    if (!session) return;
    const { data } = await get("/api/concierge/agent-sessions/{id}", { id: session }, { signal });
    put("agent_session", data);
  };
  const readSessions = async () => {
    if (!record("alert", id)?.agentSessionId) return;
    known.sessions = (await get("/api/concierge/alerts/{id}/agent-sessions", { id }, { signal })).data;
  };
  known.readJournal = async () => {
    if (!known.session) return;
    known.journal = (await get("/api/concierge/agent-sessions/{id}/journal", { id: known.session.id },
      { signal })).data;
    known.draw();
  };
  known.reload = async (session) => {
    if (session) put("agent_session", session);
    await readAlert();
    if (!session) await readSession();
    take();
    if (runs()) await known.readJournal();
    known.draw();
  };
  known.preview = async (ids) => {
    if (!known.session) return;
    deciding = await decision(known, ids, () => {
      deciding = undefined;
      known.draw();
    });
    known.draw();
    deciding.focus();
  };
  const take = () => {
    const found = /** @type {api.Alert} */ (record("alert", id));
    const session = wanted || found.agentSessionId;
    const now = session ? record("agent_session", session) : undefined;
    if (now?.id !== known.session?.id) {
      [known.journal, known.check, deciding] = [[], undefined, undefined];
      known.forms.clear();
    }
    if (now && proposalOf(now) !== proposalOf(known.session)) choose(known, now);
    [known.alert, known.session, known.isNewest] = [found, now, session === found.agentSessionId];
  };
  const runs = () => ["executing", "cancelling"].includes(known.session?.status ?? "");

  known.draw = () => {
    if (signal.aborted) return;
    const { alert, session } = known;
    known.progress = session ? progress(session, known.journal) : [];
    title(alert.title);
    draw(acts, [{ key: "acts", shows: [alert.status], make: () => alertButtons(known) }]);
    draw(state_, [{ key: "summary", shows: [alert, known.told], make: () => summary(known) }]);
    draw(main, [
      { key: "next", shows: [session?.next, session?.status, session?.rejection, session?.error, alert.status,
        known.names.size, known.isNewest, session?.openActions, known.forms.has("pause")],
        make: () => nextPart(known) },
      ...executionParts(known),
      ...(session?.analysis ? analysisParts(known) : []),
      ...(session ? actionParts(known) : []),
      ...(deciding?.parts(known) ?? []),
      ...(session ? [journalPart(known)] : []),
    ]);
    draw(aside, [{ key: "facts", shows: [alert, known.names.get(alert.createdBy ?? 0)], make: () => alertFacts(known) },
      { key: "sessions", shows: [known.sessions, known.names.size, session?.id],
        make: () => sessionsPart(known, wanted) }]);
  };
  /** @param {HTMLElement} place @param {Part[]} parts */
  const draw = (place, parts) => {
    const items = parts.map((part) => {
      const text = JSON.stringify(part.shows);
      const old = drawn.get(part.key);
      const item = old?.text === text ? old : { ...part, text };
      drawn.set(part.key, item);
      return item;
    });
    rows(place, items, ({ key }) => key, ({ make }) => make());
  };

  if (!record("alert", id)) await readAlert();
  if (!record("agent_session", wanted || record("alert", id)?.agentSessionId || 0)) await readSession();
  take();
  body.append(state_, node("div", { class: "alert" }, main, aside));
  known.draw();
  const names = everyone().then((users) => {
    known.names = new Map(users.map(({ id, fullName }) => [id, id === myId() ? `${fullName} (you)` : fullName]));
    known.draw();
  });
  await Promise.all([runs() ? known.readJournal() : readSessions().then(known.draw), names.catch(() => {})]);

  // Approvals expire as time passes.
  const timer = setInterval(known.draw, 20_000);
  signal.addEventListener("abort", () => clearInterval(timer));
  watch(signal, {
    wants: ({ type, recordId }) =>
      type === "alert" && recordId === id || type === "agent_session" && recordId === known.session?.id,
    changed: (keys) => void update(keys).catch(() => {}),
  });
  /** @param {Set<string>} keys */
  const update = async (keys) => {
    const found = record("alert", id);
    if (!keys.has(`alert:${id}`) && !keys.has(`agent_session:${known.session?.id}`)) return;
    if (!found) return;
    if (!wanted && found.agentSessionId !== (known.session?.id ?? null)) {
      await readSession();
      await readSessions();
    }
    const ran = runs();
    take();
    known.draw();
    if (ran || runs() || known.opened.has("journal")) await known.readJournal();
  };
}

/** Chooses the actions to preview: those that the agent may execute, without the alternatives.
 * @param {Case} known @param {api.AgentSession} session */
function choose(known, session) {
  known.chosen = new Set();
  for (const { id, isAutomated, excludes, unless } of session.proposedActions) {
    if (isAutomated && unless.length === 0 && !excludes.some((one) => known.chosen.has(one))) known.chosen.add(id);
  }
}

/** @param {api.AgentSession | undefined} session */
const proposalOf = (session) => session?.proposedActions.map(({ id, digest }) => id + digest).join() ?? "";

/** @param {Case} known */
function alertButtons(known) {
  const { alert } = known;
  /** @param {string} label @param {api.AlertStatus} status */
  const change = (label, status) => button(label, async () => {
    try {
      put("alert", (await patch("/api/concierge/alerts/{id}", { id: alert.id }, { status }, { match: alert })).data);
      known.told = "";
      say(`The alert is ${status}.`);
    } catch (problem) {
      if (!(problem instanceof Problem && problem.status === 412)) throw problem;
      put("alert", problem.current);
      known.told = `The alert was changed meanwhile: it is ${problem.current.status}. Nothing was done.`;
    }
    await known.reload(known.session);
  }, { reason: denied("manage_signals") });
  return node("div", { class: "end" },
    alert.status === "open" && change("Acknowledge", "acknowledged"),
    alert.status === "resolved" ? change("Reopen", "open") : change("Resolve", "resolved"));
}

/** @param {Case} known */
function summary({ alert, told }) {
  const by = { agent: " by the agent, after a read", user: " by a user", report: " by a report" };
  const resolver = alert.status === "resolved" && alert.statusBy ? by[alert.statusBy] : "";
  return node("div", { class: "line" },
    state(alert.severity), state(alert.status, words(alert.status) + resolver),
    alert.amountAtRisk && node("span", {}, "At risk ", node("strong", {}, amount(alert.amountAtRisk))),
    node("span", { class: "quiet" }, alert.targetSystem, ", ", time(alert.occurredAt),
      alert.count > 1 && `, ${counted(alert.count, "report")}, last `, alert.count > 1 && time(alert.lastOccurredAt)),
    told && node("span", { class: "trouble", role: "alert" }, told));
}

/** Who does what next, and the buttons of the session. @param {Case} known */
function nextPart(known) {
  const { alert, session, names } = known;
  const next = session?.next;
  const rejection = session?.rejection;
  const until = next?.until && Date.parse(next.until) > Date.now() ? next.until : null;
  const text = next ? [prose(`${next.who} ${next.what}`), until && ", until ", until && time(until), "."]
    : alert.status === "resolved" ? ["The alert is resolved. Nothing is left to do."]
    : session ? ["No step is left in this session."] : ["Nobody has had this alert analysed."];
  return node("section", { class: "next", tabindex: -1, id: "next", "aria-label": "Next step" },
    session && node("div", { class: "line" }, state(session.status), node("small", {}, `session ${session.id}`)),
    node("p", {}, ...text),
    rejection && node("p", {}, node("strong", {}, `Rejected by ${named(names, rejection.userId)}: `),
      node("span", { class: "text" }, rejection.reason), " ", time(rejection.at)),
    session?.error && session.executionResults.length === 0 && node("p", { class: "bad" }, prose(session.error)),
    sessionButtons(known));
}

/** @param {Case} known */
function alertFacts({ alert, names }) {
  const { metric } = alert;
  return node("section", {}, node("h2", {}, "Alert"), facts([
    ["Records", alert.entities.map(({ type, id }) => node("div", {}, `${words(type).toLowerCase()} `,
      node("code", {}, id)))],
    ["Description", alert.description && node("span", { class: "text" }, alert.description)],
    ["Measured", metric && `${words(metric.name)}: ${metric.value} ${metric.unit ?? ""}, limit ${metric.threshold}`],
    ["Labels", Object.entries(alert.labels).map(([name, value]) => node("div", {},
      node("span", { class: "quiet" }, `${name} `), value))],
    ["Before", alert.lifecycle.map(({ at, state: one }) => node("div", {}, `${one} `,
      node("span", { class: "quiet" }, time(at))))],
    ["Type", words(alert.signalType)],
    ["Reported by", `${alert.source}${alert.recordedByMachine ? ", a machine" : ""}`],
    ["Recorded by", alert.createdBy && named(names, alert.createdBy)],
    ["Their id", node("code", {}, alert.externalId)],
  ]));
}

/** @param {Case} known @param {number} wanted */
function sessionsPart({ alert, sessions, names, session }, wanted) {
  if (!wanted && sessions.length < 2) return node("section", { hidden: true });
  const shown = sessions.map((row) => node("li", {},
    row.id === session?.id ? node("strong", {}, `Session ${row.id}`)
      : node("a", { class: "link", href: to(`/alerts/${alert.id}`, { session: String(row.id) }) }, `Session ${row.id}`),
    " ", state(row.status), node("small", {}, ` opened by ${named(names, row.createdBy)}, `, time(row.createdAt))));
  return node("section", {}, node("h2", {}, "Sessions"), node("ul", { class: "plain" }, ...shown),
    wanted ? node("a", { class: "link", href: to(`/alerts/${alert.id}`) }, "The newest session") : null);
}
