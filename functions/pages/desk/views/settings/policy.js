/** The approval policy and the daily caps of the agent's actions. `#/settings/policy` */
/** @import { AgentPolicy, Money, PolicyRule } from "workdesk" */
/** @import { Choice, View } from "../../kit.js" */
import {
  ask, asking, button, decimals, denied, empty, form, input, money, myId, named, node, number,
  Problem, put, section, time,
} from "../../kit.js";
import { checks, shown } from "./parts.js";
import { ACTION_TYPES, RISKS, ROLES } from "./sets.js";

const OPENER = "Not by a user who recorded the alert, opened the session or had it proposed";

/** @type {View} */
export const policy = (context) =>
  shown(context, "The policy", "/api/concierge/policy", {}, partsOf, put);

/** @type {Parameters<typeof shown>[4]} */
function partsOf(known, record, change) {
  const { rules, updatedAt } = /** @type {AgentPolicy} */ (known);
  const reason = denied("manage_organization");
  const set = async (/** @type {any} */ changed) =>
    record.keep((await record.patch(changed, known)).data);
  const edit = editorOf(rules, change);
  const preset = () => set({ preset: "billing" });
  const lines = rules.map((rule) => ruleLine(rule, reason, () => edit(rule),
    () => set({ rules: rules.filter((one) => one !== rule) })));
  return {
    acts: [button("Add a rule", () => edit(undefined), { kind: "main", reason }),
      !reason && asking("Use the rules for billing", "Use the rules for billing?",
        "They replace the present rules.", preset)],
    parts: [
      node("p.quiet",
        "The strictest rule that matches an action applies, from the next approval on.",
        updatedAt && [" Changed ", time(updatedAt), "."]),
      looserPolicy(known, reason, set),
      section("Rules", lines.length ? node("ul.list", lines)
        : empty("No rule: one approval for each action.")),
      section("Fresh sign-in", reason ? node("p", freshness(known))
        : form(change("Save minutes", freshForm(known), freshness))),
      section("Daily caps",
        reason ? node("ul", capLines(known).map((one) => node("li", one)))
          : form(change("Save caps", capsForm(known), told))),
    ],
  };
}

/** What opens the dialog of a rule, or of a new one. @param {PolicyRule[]} rules
 * @param {Parameters<Parameters<typeof shown>[4]>[2]} change */
const editorOf = (rules, change) => (/** @type {PolicyRule | undefined} */ rule) => {
  const { fields, values } = ruleFields(rule);
  const others = rules.filter((one) => one !== rule);
  const changed = (/** @type {any} */ made) => ({ rules: [...others, values(made)] });
  const title = rule ? "Change the rule" : "Add a rule";
  ask(title, change(title, { fields, values: changed }, told));
};

/** @param {PolicyRule} rule @param {string} reason why the user may not change it
 * @param {() => unknown} edit @param {() => unknown} drop */
function ruleLine(rule, reason, edit, drop) {
  const [actions, approval] = [condition(rule.when), demand(rule)];
  return node("li", node("div.grow", node("b", actions), node("div", approval)), !reason && [
    button("Change", edit, { kind: "plain", name: `Change: ${actions}` }),
    asking("Remove", "Remove this rule?", `${actions}: ${approval}.`, drop,
      { kind: "plain", name: `Remove: ${actions}` })]);
}

/** The policy that waits, since it allows more. @param {AgentPolicy} known @param {string} reason
 * @param {(changed: any) => unknown} set */
function looserPolicy(known, reason, set) {
  const { rules, pending } = known;
  if (!pending) return null;
  const lines = told({ ...known, ...pending.policy }, ["rules"]).split("\n");
  return section("A looser policy waits",
    node("p", "It is in force from ", time(pending.appliesAt),
      " on, or once another admin confirms it."),
    node("ul", lines.map((one) => node("li", one))),
    !reason && node("div.acts",
      pending.by !== myId() && asking("Confirm", "Confirm the looser policy?",
        "It is in force at once.", () => set(pending.policy)),
      button("Discard", () => set({ rules }))));
}

/** The policy as text, as far as it is changed. @param {AgentPolicy} policy
 * @param {string[]} names */
function told(policy, names) {
  const rules = policy.rules.map((rule) => `${condition(rule.when)}: ${demand(rule)}.`);
  return [...(names.includes("rules") ? rules : []), ...capLines(policy)].join("\n");
}

function capLines(/** @type {AgentPolicy} */ { caps: { actions, messagesPerCustomer,
    money: amounts } }) {
  const cap = (/** @type {number | null} */ value) => (value === null ? "no cap" : number(value));
  return [`Actions: ${cap(actions)}`, `Messages to one customer: ${cap(messagesPerCustomer)}`,
    `Money: ${amounts.map(money).join(", ") || "no cap"}`];
}

/** @param {AgentPolicy} policy */
const freshness = ({ signedInWithin }) => (signedInWithin === null
  ? "Approvals need no fresh sign-in."
  : `Approving and settling need a sign-in of the last ${signedInWithin} minutes.`);

const freshForm = (/** @type {AgentPolicy} */ { signedInWithin: value }) => ({
  fields: input("Minutes since the sign-in", "signedInWithin",
    { type: "number", min: 5, max: 1440, value,
    hint: "For approving and settling: 5 to 1,440. Empty: no limit." }),
  values: (/** @type {any} */ typed) => ({ signedInWithin: Number(typed.signedInWithin) || null }),
});

const capsForm = (/** @type {AgentPolicy} */ { caps: { actions, messagesPerCustomer,
    money: amounts } }) => ({
  fields: [
    input("Actions", "actions",
      { type: "number", min: 0, value: actions, hint: "Empty: no cap. Days are those of UTC." }),
    input("Messages to one customer", "messagesPerCustomer",
      { type: "number", min: 0, value: messagesPerCustomer }),
    input("Money", "money", { value: amounts.map(typed).join(", "),
      hint: "By currency, such as 5000 USD, 4500 EUR. Other currencies then exceed the cap." }),
  ],
  values: (/** @type {any} */ { money, actions: most, messagesPerCustomer: messages }) => ({ caps: {
    actions: most && Number(most), messagesPerCustomer: messages && Number(messages),
    money: (money ?? "").split(/,(?!\d)/).filter((/** @type {string} */ one) => one.trim())
      .map((/** @type {string} */ one) => amountOf(one, "money")),
  } }),
});

/** The amount of a text such as "500 USD" or "12.50 EUR".
 * @param {string} text @param {string} name of the field @returns {Money} */
function amountOf(text, name) {
  const [, whole, part = "", code = ""] = /^(\d{1,12})(?:[.,](\d+))?\s*([a-z]{3})$/i.exec(
    text.trim()) ?? [];
  const currency = code.toUpperCase();
  const minorUnits = Number(whole + part.padEnd(decimals(currency), "0"));
  if (whole && part.length <= decimals(currency)) return { currency, minorUnits };
  const detail = `“${text.trim()}” is no amount. Send one such as 500 USD.`;
  throw new Problem(400, { detail, errors: [{ pointer: `/${name}`, code: "value", detail }] });
}

const typed = (/** @type {Money} */ { currency, minorUnits }) =>
  `${(minorUnits / 10 ** decimals(currency)).toFixed(decimals(currency))} ${currency}`;

/** The actions of a rule, such as "Actions that move money, on stripe".
 * @param {PolicyRule["when"]} when */
function condition({ movesMoney, amountAtLeast, recordsAtLeast, riskAtLeast, actionType,
    connection }) {
  const parts = [movesMoney !== null && `that move ${movesMoney ? "" : "no "}money`,
    amountAtLeast && `of ${money(amountAtLeast)} or more`,
    recordsAtLeast && `of ${number(recordsAtLeast)} records or more`,
    riskAtLeast && `of ${riskAtLeast} risk${riskAtLeast === "critical" ? "" : " or higher"}`,
    actionType && `of the type ${actionType.replaceAll("_", " ")}`,
    connection && `on ${connection}`].filter(Boolean);
  return parts.length === 0 ? "Every action" : `Actions ${parts.join(", ")}`;
}

/** The approval that a rule demands, such as "two approvals, from admin".
 * @param {PolicyRule} rule */
function demand({ deny, approvers, roles, notOpener }) {
  if (deny) return "denied to everyone";
  const from = roles.length > 0 && `from ${roles.join(" or ")}`;
  return [approvers === 2 ? "two approvals" : "one approval", from,
    notOpener && "not by the opener"]
    .filter(Boolean).join(", ");
}

function ruleFields(/** @type {PolicyRule | undefined} */ rule) {
  const { actionType, movesMoney, amountAtLeast, recordsAtLeast, riskAtLeast, connection } =
    rule?.when ?? {};
  const any = /** @type {Choice} */ (["", "Any"]);
  const roles = checks("Approvers’ roles (none chosen: any)", named(ROLES), rule?.roles);
  const others = checks("Others", [["notOpener", OPENER]], rule?.notOpener ? ["notOpener"] : []);
  const fields = [
    input("Type of action", "actionType", { options: [any, ...named(ACTION_TYPES)],
      value: actionType }),
    input("Money", "movesMoney",
      { options: [any, ["true", "Move money"], ["false", "Move no money"]], value: movesMoney }),
    input("Amount at least", "amountAtLeast",
      { value: amountAtLeast && typed(amountAtLeast), hint: "Such as 500 USD." }),
    input("Records at least", "recordsAtLeast",
      { type: "number", min: 1, value: recordsAtLeast, hint: "Such as events to send again." }),
    input("Risk at least", "riskAtLeast",
      { options: [any, ...named(RISKS)], value: riskAtLeast }),
    input("Connection", "connection", { value: connection, maxlength: 64 }),
    input("Needs", "approval", { value: rule?.deny ? "deny" : rule?.approvers ?? 1,
      options: [["1", "One approval"], ["2", "Two approvals"], ["deny", "Denied to everyone"]] }),
    roles.element, others.element,
  ];
  const values = (/** @type {any} */ { movesMoney, amountAtLeast, recordsAtLeast, approval,
      ...when }) => ({
    when: { ...when, movesMoney: movesMoney && movesMoney === "true",
      recordsAtLeast: recordsAtLeast && Number(recordsAtLeast),
      amountAtLeast: amountAtLeast && amountOf(amountAtLeast, "amountAtLeast") },
    approvers: approval === "2" ? 2 : 1, deny: approval === "deny", roles: roles.values(),
    notOpener: others.values().length > 0,
  });
  return { fields, values };
}
