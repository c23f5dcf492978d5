/** A case: an alert with its session and what belongs to them, read again when they change. */
/** @import * as api from "workdesk" @import { Child } from "../../kit.js"
 * @import { Action, Session } from "./words.js" */
import { everyone, get, myId, readAfter, say } from "../../kit.js";
import { progress } from "./execution.js";
import { SESSION } from "./words.js";

const PAUSE_MS = 20_000; // Between two drawings, as approvals expire.
const runs = (/** @type {Session | undefined} */ session) =>
  ["executing", "cancelling"].includes(session?.status ?? "");

export class Case {
  /** @type {api.Alert} */ alert = /** @type {any} */ (undefined);
  /** @type {Session | undefined} */ session;
  /** What the session proposes. @type {Action[]} */ actions = [];
  /** Is the session the alert's newest? */ isNewest = false;
  /** The alert's sessions; not read while actions run. @type {api.AgentSessionRow[]} */
  sessions = [];
  /** @type {api.JournalEntry[]} */ journal = [];
  /** @type {api.JournalCheck | undefined} */ check;
  /** @type {ReturnType<typeof progress>} */ progress = [];
  /** @type {api.User[]} */ users = [];
  /** Open forms by their keys. @type {Map<string, HTMLElement>} */ forms = new Map();
  /** Ids of the actions to preview. @type {Set<string>} */ chosen = new Set();
  /** The parts of the preview and its form. @type {(() => Child[]) | undefined} */ decision;
  /** What became of a change of the alert's status. */ told = "";
  #question = 0;

  /** @param {{ alertId?: number, sessionId?: number }} of one of them
   * @param {AbortSignal} signal @param {() => void} show */
  constructor(of, signal, show) {
    this.of = of;
    this.signal = signal;
    this.show = show;
  }

  /** @param {number} id of a user */
  name(id) {
    const known = this.users.find((user) => user.id === id);
    return known ? known.fullName + (id === myId() ? " (you)" : "") : `user ${id}`;
  }

  /** Is this automated action still to be approved? @param {Action} action */
  isApprovable({ id, isAutomated }) {
    const { alert, session } = this;
    const now = this.progress.find(({ action }) => action.id === id)?.state ?? "skipped";
    const ended = ["completed", "failed"].includes(session?.status ?? "")
      && (session?.openActions ?? 0) > 0;
    return isAutomated && this.isNewest && alert.status !== "resolved"
      && ["failed", "skipped"].includes(now)
      && (session?.status === "awaiting_confirmation" || ended);
  }

  approvable() {
    return this.actions.filter((action) => this.isApprovable(action)).map(({ id }) => id);
  }

  /** @param {string} id of an action @param {boolean} is chosen */
  choose(id, is) {
    this.chosen[is ? "add" : "delete"](id);
    this.draw();
  }

  /** Does something wait for an approval, or run? */
  hasOpenWork() {
    return this.approvable().length > 0 || runs(this.session);
  }

  /** Reads and shows all, now and when it changes. */
  async open() {
    const named = everyone().then((users) => (this.users = users), () => {});
    await this.read();
    await named;
    this.draw();
    const timer = setInterval(() => this.draw(), PAUSE_MS);
    this.signal.addEventListener("abort", () => clearInterval(timer));
    readAfter(this.signal, ({ type, recordId }) => type === "alert" ? recordId === this.alert.id
      : type === "agent_session" && [this.session, ...this.sessions].some((one) =>
        one?.id === recordId),
    () => this.read());
  }

  /** Does something, reads all again, and says what was done. @param {() => Promise<unknown>} send
   * @param {string} said */
  async act(send, said) {
    await send();
    await this.read();
    say(said);
  }

  async read() {
    const [options, mine] = [{ signal: this.signal }, (this.#question += 1)];
    const session = async (/** @type {number | null | undefined} */ id) =>
      (id ? /** @type {Session} */ ((await get(SESSION, { id, detail: "full" }, options)).data)
        : undefined);
    const wanted = await session(this.of.sessionId);
    const id = this.of.alertId ?? wanted?.alertId ?? 0;
    const alert = (await get("/api/concierge/alerts/{id}", { id }, options)).data;
    const now = wanted ?? await session(alert.agentSessionId);
    if (mine !== this.#question) return;
    if (now?.id !== this.session?.id) {
      [this.journal, this.check, this.decision] = [[], undefined, undefined];
      this.forms.clear();
    }
    const digests = (/** @type {Action[]} */ all) => all.map(({ digest }) => digest).join();
    const [before, ran] = [digests(this.actions), runs(this.session)];
    [this.alert, this.session, this.actions] = [alert, now, now?.proposedActions ?? []];
    this.isNewest = now?.id === alert.agentSessionId;
    if (digests(this.actions) !== before) this.#choose();
    this.draw();
    if (ran || runs(now) || this.check) await this.readJournal();
    if (now && !runs(now)) {
      this.sessions = (await get("/api/concierge/alerts/{id}/agent-sessions", { id }, options))
        .data;
      this.draw();
    }
  }

  async readJournal(/** @type {boolean} */ checked = false) {
    const [path, options] = [{ id: this.session?.id ?? 0 }, { signal: this.signal }];
    this.journal = (await get(`${SESSION}/journal`, path, options)).data;
    if (checked) this.check = (await get(`${SESSION}/journal/check`, path, options)).data;
    this.draw();
  }

  draw() {
    if (this.signal.aborted) return;
    this.progress = this.session ? progress(this.session, this.journal) : [];
    this.show();
  }

  /** Chooses what the agent may execute, without the alternatives. */
  #choose() {
    this.chosen = new Set();
    for (const { id, isAutomated, excludes, unless } of this.actions) {
      const other = unless.length > 0 || excludes.some((one) => this.chosen.has(one));
      if (isAutomated && !other) this.chosen.add(id);
    }
  }
}
