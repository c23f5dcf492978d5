/** The approval policy and the daily caps of the agent's actions. `#/settings/policy` */

/** @import { ActionType, AgentPolicy, PolicyRule, PolicySet, Risk, Role } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, Problem, put } from "../../api/client.js";
import { button, dialog, empty, field, form, money, named, node, number, select, time } from "../../elements.js";
import { denied } from "../../frame/session.js";
import { checks, confirm, send } from "./parts.js";
import { condition, demand, typed, typedMoney } from "./rules.js";
import { ROLES } from "./users.js";

/** @type {ActionType[]} */
const ACTIONS = ["reprocess_usage_batch", "resend_usage_events", "retry_invoice", "refresh_invoice", "finalize_invoice",
  "retry_payment", "void_invoice", "issue_credit_note", "generate_invoice", "resume_billing", "recompute_invoice",
  "reconcile_payment", "remove_duplicate_usage", "pause_collection", "resume_collection", "resend_webhooks",
  "sync_customer", "notify_customer", "manual_review"];
/** @type {Risk[]} */
const RISKS = ["low", "medium", "high", "critical"];

/** @param {Context} context */
export async function policy({ header, body, signal }) {
  const reason = denied("manage_organization");
  const acts = node("span", { class: "action" });
  /** @param {AgentPolicy} known */
  const show = (known) => {
    /** @param {PolicySet} change @param {AgentPolicy} match */
    const save = async (change, match) => (await put("/api/concierge/policy", {}, change, { match })).data;
    const set = async (/** @type {PolicySet} */ change) => show(await save(change, known));
    /** @param {PolicyRule[]} rules @param {HTMLFormElement} place @param {() => void} close */
    const saveRules = (rules, place, close) => send({
      place, what: "The policy", known, mine: text({ ...known, rules }), theirs: text,
      save: (match) => save({ rules }, match),
      take: (current) => (show(current), close()),
    });
    const edit = (/** @type {PolicyRule | undefined} */ rule) => ruleDialog(rule, (changed, place, close) => {
      const { rules } = known;
      return saveRules(rule ? rules.map((one) => (one === rule ? changed : one)) : [...rules, changed], place, close);
    });
    const line = (/** @type {PolicyRule} */ rule) => {
      const [actions, approval] = [condition(rule.when), demand(rule)];
      const remove = () => confirm("Remove this rule?", `${actions}: ${approval}.`, "Remove rule", () =>
        set({ rules: known.rules.filter((one) => one !== rule) }));
      return node("li", {},
        node("div", { class: "grow" }, node("b", {}, actions), node("div", {}, approval)),
        !reason && button("Change", () => edit(rule), { kind: "plain", name: `Change: ${actions}` }),
        !reason && button("Remove", remove, { kind: "plain", name: `Remove: ${actions}` }));
    };
    const lines = known.rules.map(line);
    const preset = () => confirm("Use the rules for billing?", "They replace the present rules.", "Use them", () =>
      set({ preset: "billing" }));
    acts.replaceChildren(button("Add a rule", () => edit(undefined), { kind: "main", reason }),
      ...(reason ? [] : [button("Use the rules for billing", preset)]));
    body.replaceChildren(
      node("p", { class: "quiet" },
        "The strictest rule that matches an action applies. It holds from the next approval on.",
        ...(known.updatedAt ? [" Changed ", time(known.updatedAt), "."] : [])),
      node("section", {}, node("h2", {}, "Rules"),
        lines.length ? node("ul", { class: "list" }, ...lines) : empty("No rule: one approval for each action.")),
      node("section", {}, node("h2", {}, "Daily caps"), reason ? capsText(known) : capsForm(known, save, show)));
  };
  header.append(acts);
  show((await get("/api/concierge/policy", {}, { signal })).data);
}

/** @param {AgentPolicy} policy */
function text(policy) {
  return [...policy.rules.map((rule) => `${condition(rule.when)}: ${demand(rule)}.`), ...capLines(policy)].join("\n");
}

/** @param {AgentPolicy} policy */
function capLines({ caps: { actions, messagesPerCustomer, money: amounts } }) {
  return [
    `Actions: ${actions === null ? "no cap" : number(actions)}`,
    `Messages to one customer: ${messagesPerCustomer === null ? "no cap" : number(messagesPerCustomer)}`,
    `Money: ${amounts.length ? amounts.map(money).join(", ") : "no cap"}`,
  ];
}

/** @param {AgentPolicy} policy */
function capsText(policy) {
  return node("ul", {}, ...capLines(policy).map((line) => node("li", {}, line)));
}

/** @param {string} pointer @param {string} detail */
const fault = (pointer, detail) => new Problem(400, { detail, errors: [{ pointer, code: "value", detail }] });

/**
 * @param {AgentPolicy} known @param {(change: PolicySet, match: AgentPolicy) => Promise<AgentPolicy>} save
 * @param {(policy: AgentPolicy) => void} take
 */
function capsForm(known, save, take) {
  const limit = (/** @type {string} */ name, /** @type {number | null} */ value) =>
    node("input", { name, type: "number", min: 0, value });
  const actions = limit("actions", known.caps.actions);
  const messages = limit("messagesPerCustomer", known.caps.messagesPerCustomer);
  const amounts = node("input", { name: "money", value: known.caps.money.map(typed).join(", ") });
  const whole = (/** @type {HTMLInputElement} */ one) => (one.value ? Number(one.value) : null);
  return form({
    fields: [field("Actions", actions, { hint: "Empty: no cap. Days are those of UTC." }),
      field("Messages to one customer", messages),
      field("Money", amounts, {
        hint: "By currency, such as 5000 USD, 4500 EUR. Other currencies then exceed the cap.",
      })],
    submit: "Save caps", draft: "caps",
    act: (place) => {
      const parts = amounts.value.split(/,(?!\d)/).map((one) => one.trim()).filter(Boolean);
      const sums = parts.map((one) => typedMoney(one) ?? { one });
      const wrong = sums.find((sum) => "one" in sum);
      if (wrong) throw fault("/money", `“${wrong.one}” is no amount. Send one such as 5000 USD.`);
      const capped = sums.flatMap((sum) => ("one" in sum ? [] : [sum]));
      const caps = { actions: whole(actions), messagesPerCustomer: whole(messages), money: capped };
      return send({ place, what: "The policy", known, mine: capLines({ ...known, caps }).join("\n"),
        theirs: (current) => capLines(current).join("\n"), save: (match) => save({ caps }, match), take });
    },
  });
}

/**
 * @param {PolicyRule | undefined} rule
 * @param {(changed: PolicyRule, place: HTMLFormElement, close: () => void) => unknown} save
 */
function ruleDialog(rule, save) {
  const when = rule?.when;
  const actionType = select("actionType", [["", "Any"], ...named(ACTIONS)], when?.actionType ?? "");
  const moves = select("movesMoney", [["", "Any"], ["true", "Move money"], ["false", "Move no money"]],
    String(when?.movesMoney ?? ""));
  const amount = node("input", { name: "amountAtLeast", value: when?.amountAtLeast && typed(when.amountAtLeast) });
  const risk = select("riskAtLeast", [["", "Any"], ...named(RISKS)], when?.riskAtLeast ?? "");
  const on = node("input", { name: "connection", value: when?.connection ?? "", maxlength: 64 });
  const approval = select("approval",
    [["1", "One approval"], ["2", "Two approvals"], ["deny", "Denied to everyone"]],
    rule?.deny ? "deny" : String(rule?.approvers ?? 1));
  const roles = checks("Approvers’ roles (none chosen: any)", ROLES, rule?.roles ?? []);
  const opener = checks("Others",
    [["notOpener", "Not by a user who recorded the alert, opened the session or had it proposed"]],
    rule?.notOpener ? ["notOpener"] : []);
  const over = dialog(rule ? "Change the rule" : "Add a rule", [
    form({
      fields: [field("Type of action", actionType), field("Money", moves),
        field("Amount at least", amount, { hint: "Such as 500 USD." }), field("Risk at least", risk),
        field("Connection", on), field("Needs", approval), roles.element, opener.element],
      submit: rule ? "Save rule" : "Add rule", draft: rule ? `rule ${condition(rule.when)}` : "rule",
      cancel: () => over.close(),
      act: (place) => {
        const sum = amount.value.trim() ? typedMoney(amount.value) : null;
        if (amount.value.trim() && !sum) throw fault("/amountAtLeast", "Send an amount such as 500 USD.");
        return save({
          when: {
            actionType: /** @type {ActionType} */ (actionType.value) || null,
            movesMoney: moves.value ? moves.value === "true" : null,
            amountAtLeast: sum, riskAtLeast: /** @type {Risk} */ (risk.value) || null,
            connection: on.value.trim() || null,
          },
          approvers: approval.value === "2" ? 2 : 1, deny: approval.value === "deny",
          roles: /** @type {Role[]} */ (roles.values()), notOpener: opener.values().length > 0,
        }, place, () => over.close());
      },
    }),
  ]);
}
