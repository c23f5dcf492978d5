/** A case: an alert with its session, their journal and decision, read and kept true by the feed. */

/** @import * as api from "workdesk" */
/** @import { Decision } from "./decision.js" */
import { get } from "../../api/client.js";
import { everyone, put, record, watch } from "../../api/records.js";
import { myId } from "../../frame/session.js";
import { progress } from "./execution.js";

/** How often approvals that expire are looked at. */
const PAUSE_MS = 20_000;

export class Case {
  /** @type {api.Alert} */ alert = /** @type {any} */ (undefined);
  /** @type {api.AgentSession | undefined} */ session;
  /** The alert's sessions; not read while actions run. @type {api.AgentSessionRow[]} */ sessions = [];
  /** @type {api.JournalEntry[]} */ journal = [];
  /** @type {api.JournalCheck | undefined} */ check;
  /** @type {ReturnType<typeof progress>} */ progress = [];
  /** Open forms by their keys. @type {Map<string, HTMLElement>} */ forms = new Map();
  /** Ids of the actions to preview. @type {Set<string>} */ chosen = new Set();
  /** @type {Decision | undefined} */ decision;
  /** What became of a change of the alert's status. */ told = "";
  /** @type {api.User[]} */ #users = [];

  /** @param {number} id @param {number} wanted an earlier session; 0: the newest
   * @param {AbortSignal} signal @param {() => void} show */
  constructor(id, wanted, signal, show) {
    this.id = id;
    this.wanted = wanted;
    this.signal = signal;
    this.show = show;
  }

  /** What the session proposes. */
  get actions() {
    return this.session?.proposedActions ?? [];
  }

  get isNewest() {
    return this.session?.id === this.alert.agentSessionId;
  }

  get runs() {
    return ["executing", "cancelling"].includes(this.session?.status ?? "");
  }

  /** @param {number} user */
  name(user) {
    const known = this.#users.find(({ id }) => id === user);
    return known ? known.fullName + (user === myId() ? " (you)" : "") : `user ${user}`;
  }

  /** To whom an action may be handed over. @returns {[string, string][]} */
  get people() {
    return this.#users.map(({ id, fullName, username }) => [String(id), `${fullName} (${username})`]);
  }

  /** Is this automated action still to be approved? @param {api.ProposedAction} action */
  isApprovable({ id, isAutomated }) {
    const { alert, session } = this;
    const now = this.progress.find(({ action }) => action.id === id)?.state ?? "skipped";
    const ended = ["completed", "failed"].includes(session?.status ?? "") && (session?.openActions ?? 0) > 0;
    return isAutomated && this.isNewest && alert.status !== "resolved" && ["failed", "skipped"].includes(now)
      && (session?.status === "awaiting_confirmation" || ended);
  }

  /** Reads what is not known, draws it, and follows it. */
  async open() {
    const { id, signal } = this;
    if (!record("alert", id)) await this.#readAlert();
    if (!record("agent_session", this.#sessionId)) await this.#readSession();
    this.draw();
    const named = everyone().then((users) => {
      this.#users = users;
      this.draw();
    });
    await Promise.all([this.runs ? this.readJournal() : this.#readSessions(), named.catch(() => {})]);
    const timer = setInterval(() => this.draw(), PAUSE_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
    watch(signal, {
      wants: ({ type, recordId }) => type === "alert" ? recordId === id
        : type === "agent_session" && [this.session, ...this.sessions].some((one) => one?.id === recordId),
      changed: (keys) => void this.#changed(keys).catch(() => {}),
    });
  }

  /** Reads again what an operation changed. @param {api.AgentSession} [session] its answer */
  async reload(session) {
    if (session) put("agent_session", session);
    await this.#readAlert();
    if (!session) await this.#readSession();
    this.#take();
    if (this.runs) await this.readJournal();
    this.draw();
  }

  /** @param {boolean} [checked] */
  async readJournal(checked = false) {
    const [path, options] = [{ id: this.session?.id ?? 0 }, { signal: this.signal }];
    this.journal = (await get("/api/concierge/agent-sessions/{id}/journal", path, options)).data;
    const check = /** @type {const} */ ("/api/concierge/agent-sessions/{id}/journal/check");
    if (checked) this.check = (await get(check, path, options)).data;
    this.draw();
  }

  draw() {
    if (this.signal.aborted) return;
    this.#take();
    this.progress = this.session ? progress(this.session, this.journal) : [];
    this.show();
  }

  get #sessionId() {
    return this.wanted || record("alert", this.id)?.agentSessionId || 0;
  }

  async #readAlert() {
    put("alert", (await get("/api/concierge/alerts/{id}", { id: this.id }, { signal: this.signal })).data);
  }

  async #readSession() {
    const [id, { signal }] = [this.#sessionId, this];
    if (id) put("agent_session", (await get("/api/concierge/agent-sessions/{id}", { id }, { signal })).data);
  }

  async #readSessions() {
    const { id, signal } = this;
    if (!this.#sessionId) return;
    this.sessions = (await get("/api/concierge/alerts/{id}/agent-sessions", { id }, { signal })).data;
    this.draw();
  }

  /** Takes the newest known. */
  #take() {
    const now = record("agent_session", this.#sessionId);
    if (now?.id !== this.session?.id) {
      [this.journal, this.check, this.decision] = [[], undefined, undefined];
      this.forms.clear();
    }
    const digests = now?.proposedActions.map(({ digest }) => digest).join();
    const isNew = digests !== this.actions.map(({ digest }) => digest).join();
    [this.alert, this.session] = [record("alert", this.id) ?? this.alert, now];
    if (!isNew) return;
    // What the agent may execute, without the alternatives.
    this.chosen = new Set();
    for (const { id, isAutomated, excludes, unless } of this.actions) {
      const other = unless.length > 0 || excludes.some((one) => this.chosen.has(one));
      if (isAutomated && !other) this.chosen.add(id);
    }
  }

  /** @param {Set<string>} keys of the store */
  async #changed(keys) {
    const known = [this.session, ...this.sessions].some((one) => keys.has(`agent_session:${one?.id}`));
    if (!known && !keys.has(`alert:${this.id}`)) return;
    if (!record("agent_session", this.#sessionId)) {
      await this.#readSession();
      await this.#readSessions();
    }
    const ran = this.runs;
    this.draw();
    if (ran || this.runs || this.check) await this.readJournal();
  }
}
