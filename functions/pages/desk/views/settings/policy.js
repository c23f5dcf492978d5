/** The approval policy and the daily caps of the agent's actions. `#/settings/policy` */

/** @import { ActionType, AgentPolicy, Money, PolicyRule, PolicySet, Risk } from "workdesk" */
/** @import { Choice } from "../../elements.js" */
/** @import { Context } from "../../frame/router.js" */
import { get, Problem, put } from "../../api/client.js";
import {
  ask, button, decimals, empty, form, input, money, named, node, number, section, time,
} from "../../elements.js";
import { denied } from "../../frame/session.js";
import { asking, changing, checks, shown } from "./parts.js";
import { ROLES } from "./users.js";

/** @type {ActionType[]} */
const ACTIONS = ["reprocess_usage_batch", "resend_usage_events", "retry_invoice", "refresh_invoice", "finalize_invoice",
  "retry_payment", "void_invoice", "issue_credit_note", "generate_invoice", "resume_billing", "recompute_invoice",
  "reconcile_payment", "remove_duplicate_usage", "pause_collection", "resume_collection", "resend_webhooks",
  "sync_customer", "notify_customer", "manual_review"];
/** @type {Risk[]} */
const RISKS = ["low", "medium", "high", "critical"];
/** @type {Choice} */
const ANY = ["", "Any"];

/** @param {Context} context */
export async function policy(context) {
  const reason = denied("manage_organization");
  const save = (/** @type {PolicySet} */ change, /** @type {any} */ match) => put("/api/concierge/policy", {}, change, { match });
  const { data } = await get("/api/concierge/policy", {}, { signal: context.signal });
  shown(context, data, save, (known, { keep }) => {
    const { rules } = known;
    const common = { what: "The policy", known, save, keep, told };
    const set = async (/** @type {PolicySet} */ change) => keep((await save(change, known)).data);
    const edit = (/** @type {PolicyRule | undefined} */ rule) => {
      const { fields, values } = ruleFields(rule);
      ask(rule ? "Change the rule" : "Add a rule", changing({
        ...common, fields, submit: rule ? "Save rule" : "Add rule",
        values: (typed) => {
          const changed = values(typed);
          return { rules: rule ? rules.map((one) => (one === rule ? changed : one)) : [...rules, changed] };
        },
      }));
    };
    const line = (/** @type {PolicyRule} */ rule) => {
      const [actions, approval] = [condition(rule.when), demand(rule)];
      const drop = () => set({ rules: rules.filter((one) => one !== rule) });
      return node("li", node("div.grow", node("b", actions), node("div", approval)),
        !reason && [button("Change", () => edit(rule), { kind: "plain", name: `Change: ${actions}` }),
          asking("Remove", "Remove this rule?", `${actions}: ${approval}.`, drop,
            { kind: "plain", name: `Remove: ${actions}` })]);
    };
    return {
      acts: [button("Add a rule", () => edit(undefined), { kind: "main", reason }),
        !reason && asking("Use the rules for billing", "Use the rules for billing?", "They replace the present rules.",
          () => set({ preset: "billing" }))],
      parts: [
        node("p.quiet", "The strictest rule that matches an action applies. It holds from the next approval on.",
          known.updatedAt && [" Changed ", time(known.updatedAt), "."]),
        section("Rules",
          rules.length ? node("ul.list", rules.map(line)) : empty("No rule: one approval for each action.")),
        section("Daily caps", reason ? node("ul", capLines(known).map((one) => node("li", one)))
          : form(changing({ ...common, fields: capFields(known), submit: "Save caps", values: caps }))),
      ],
    };
  });
}

/** The policy as text, as far as it is changed. @param {AgentPolicy} policy @param {string[]} names */
function told(policy, names) {
  const rules = policy.rules.map((rule) => `${condition(rule.when)}: ${demand(rule)}.`);
  return [...(names.includes("rules") ? rules : []), ...capLines(policy)].join("\n");
}

/** @param {AgentPolicy} policy */
function capLines({ caps: { actions, messagesPerCustomer, money: amounts } }) {
  const cap = (/** @type {number | null} */ value) => (value === null ? "no cap" : number(value));
  return [`Actions: ${cap(actions)}`, `Messages to one customer: ${cap(messagesPerCustomer)}`,
    `Money: ${amounts.map(money).join(", ") || "no cap"}`];
}

/** @param {AgentPolicy} policy */
function capFields({ caps: { actions, messagesPerCustomer, money: amounts } }) {
  const whole = { type: "number", min: 0 };
  return [
    input("Actions", "actions", { ...whole, value: String(actions ?? ""), hint: "Empty: no cap. Days are those of UTC." }),
    input("Messages to one customer", "messagesPerCustomer", { ...whole, value: String(messagesPerCustomer ?? "") }),
    input("Money", "money", {
      value: amounts.map(typed).join(", "),
      hint: "By currency, such as 5000 USD, 4500 EUR. Other currencies then exceed the cap.",
    }),
  ];
}

/** @param {Record<string, string>} values */
function caps({ actions, messagesPerCustomer, money: amounts = "" }) {
  const whole = (/** @type {string | undefined} */ text) => (text ? Number(text) : null);
  const parts = amounts.split(/,(?!\d)/).map((one) => one.trim()).filter(Boolean);
  return { caps: {
    actions: whole(actions), messagesPerCustomer: whole(messagesPerCustomer),
    money: parts.map((one) => amountOf(one, "money")),
  } };
}

/** The amount of a text such as "500 USD" or "12.50 EUR". @param {string} text @param {string} name of the field
 * @returns {Money} */
function amountOf(text, name) {
  const [, whole, part = "", code = ""] = /^(\d{1,12})(?:[.,](\d+))?\s*([A-Za-z]{3})$/.exec(text.trim()) ?? [];
  const [currency, digits] = [code.toUpperCase(), decimals(code.toUpperCase())];
  if (whole && part.length <= digits) return { currency, minorUnits: Number(whole + part.padEnd(digits, "0")) };
  const detail = `“${text}” is no amount. Send one such as 500 USD.`;
  throw new Problem(400, { detail, errors: [{ pointer: `/${name}`, code: "value", detail }] });
}

/** An amount as people type it. @param {Money} amount */
function typed({ currency, minorUnits }) {
  return `${(minorUnits / 10 ** decimals(currency)).toFixed(decimals(currency))} ${currency}`;
}

/** The actions to which a rule applies, such as "Actions that move money, of 500 USD or more".
 * @param {PolicyRule["when"]} when */
function condition({ movesMoney, amountAtLeast, riskAtLeast, actionType, connection }) {
  const parts = [
    movesMoney === true && "that move money",
    movesMoney === false && "that move no money",
    amountAtLeast && `of ${money(amountAtLeast)} or more`,
    riskAtLeast && `of ${riskAtLeast} risk${riskAtLeast === "critical" ? "" : " or higher"}`,
    actionType && `of the type ${actionType.replaceAll("_", " ")}`,
    connection && `on ${connection}`,
  ].filter(Boolean);
  return parts.length === 0 ? "Every action" : `Actions ${parts.join(", ")}`;
}

/** The approval that a rule demands, such as "two approvals, from manager or admin". @param {PolicyRule} rule */
function demand({ deny, approvers, roles, notOpener }) {
  if (deny) return "denied to everyone";
  const from = roles.length > 0 ? `, from ${roles.join(" or ")}` : "";
  return `${approvers === 2 ? "two approvals" : "one approval"}${from}${notOpener ? ", not by the opener" : ""}`;
}

/** @param {PolicyRule | undefined} rule */
function ruleFields(rule) {
  const when = rule?.when;
  const roles = checks("Approvers’ roles (none chosen: any)", ROLES, rule?.roles ?? []);
  const opener = "Not by a user who recorded the alert, opened the session or had it proposed";
  const others = checks("Others", [["notOpener", opener]], rule?.notOpener ? ["notOpener"] : []);
  const approval = rule?.deny ? "deny" : String(rule?.approvers ?? 1);
  return {
    fields: [
      input("Type of action", "actionType", { options: [ANY, ...named(ACTIONS)], value: when?.actionType }),
      input("Money", "movesMoney", {
        options: [ANY, ["true", "Move money"], ["false", "Move no money"]], value: String(when?.movesMoney ?? ""),
      }),
      input("Amount at least", "amountAtLeast", {
        value: when?.amountAtLeast && typed(when.amountAtLeast), hint: "Such as 500 USD.",
      }),
      input("Risk at least", "riskAtLeast", { options: [ANY, ...named(RISKS)], value: when?.riskAtLeast }),
      input("Connection", "connection", { value: when?.connection, maxlength: 64 }),
      input("Needs", "approval", {
        options: [["1", "One approval"], ["2", "Two approvals"], ["deny", "Denied to everyone"]], value: approval,
      }),
      roles.element, others.element,
    ],
    /** @param {Record<string, string>} values @returns {PolicyRule} */
    values: ({ actionType, movesMoney, amountAtLeast, riskAtLeast, connection, approval: needed }) => ({
      when: {
        actionType: /** @type {ActionType} */ (actionType) || null,
        movesMoney: movesMoney ? movesMoney === "true" : null,
        amountAtLeast: amountAtLeast?.trim() ? amountOf(amountAtLeast, "amountAtLeast") : null,
        riskAtLeast: /** @type {Risk} */ (riskAtLeast) || null, connection: connection?.trim() || null,
      },
      approvers: needed === "2" ? 2 : 1, deny: needed === "deny", roles: roles.values(),
      notOpener: others.values().length > 0,
    }),
  };
}
