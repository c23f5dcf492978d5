/** Times, numbers and amounts of money as people read them, in the reader's zone. */
/** @import { Money } from "workdesk" */
import { now } from "./api/client.js";
import { node, words } from "./elements.js";

/** The page's words are English, so dates and numbers are, too, in the reader's variant. */
const LOCALE = navigator.languages.find((language) => language.startsWith("en")) ?? "en-GB";
/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;

/** @param {Intl.DateTimeFormatOptions} options */
const format = (options) => new Intl.DateTimeFormat(LOCALE, options);
const EXACT = format({ dateStyle: "full", timeStyle: "long" });
const CLOCK = format({ hour: "2-digit", minute: "2-digit" });
const SECOND = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = format({ day: "numeric", month: "short" });
const YEAR = format({ day: "numeric", month: "short", year: "numeric" });
const MINUTE_MS = 60_000;

/** Days from today on, by the reader's calendar. @param {Date} date */
function daysAhead(date) {
  const midnight = (/** @type {Date} */ one) =>
    Date.UTC(one.getFullYear(), one.getMonth(), one.getDate());
  return (midnight(date) - midnight(new Date(now()))) / 86_400_000;
}

/** @param {Date} date */
const nearDay = (date) => ({ "-1": "yesterday", 0: "today", 1: "tomorrow" }[daysAhead(date)]);
/** The date in the reader's zone, such as "12 Nov". @param {Date} date */
export const day = (date) => (date.getFullYear() === new Date(now()).getFullYear() ? DAY : YEAR)
  .format(date);

function short(/** @type {string} */ instant) {
  const [date, near] = [new Date(instant), nearDay(new Date(instant))];
  const minutes = Math.round((date.getTime() - now()) / MINUTE_MS);
  if (minutes === 0) return "just now";
  if (Math.abs(minutes) < 60) return minutes < 0 ? `${-minutes} min ago` : `in ${minutes} min`;
  return near ? `${near} ${CLOCK.format(date)}`.replace("today ", "") : day(date);
}

/** @param {string} instant @param {string} text @param {string} [kind] */
const timed = (instant, text, kind) =>
  node("time", { class: kind, datetime: instant, title: EXACT.format(new Date(instant)) }, text);
/** An instant, short in the reader's zone, exact as its title. @param {string} instant */
export const time = (instant) => timed(instant, short(instant));
setInterval(() => {
  for (const one of document.querySelectorAll("time:not([class])")) {
    const text = short(/** @type {HTMLTimeElement} */ (one).dateTime);
    if (one.firstChild && one.textContent !== text) one.firstChild.nodeValue = text;
  }
}, MINUTE_MS);

/** The time of day to the second, with the date if it was another day. @param {string} instant */
export function clock(instant) {
  const date = new Date(instant);
  return timed(instant, `${daysAhead(date) === 0 ? "" : `${day(date)} `}${SECOND.format(date)}`,
    "clock");
}

/** A due date. @param {string} instant
 * @param {boolean} open work is left, so that a past date is overdue
 * @param {string} [word] what stands before the day */
export function due(instant, open, word = "Due") {
  const date = new Date(instant);
  const near = nearDay(date) ?? day(date);
  const [over, soon] = [open && date.getTime() < now(), open && daysAhead(date) <= 1];
  return timed(instant, over ? `Overdue ${near}` : word ? `${word} ${near}` : words(near),
    `due ${over ? "bad" : soon ? "warn" : "quiet"}`);
}

export const number = (/** @type {number} */ value, /** @type {number} */ digits = 0) =>
  new Intl.NumberFormat(LOCALE, { maximumFractionDigits: digits }).format(value);

/** Decimals of a currency, by ISO 4217. `Intl` leaves out those of some.
 * @param {string} currency */
export function decimals(currency) {
  if ("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".includes(currency)) {
    return 0;
  }
  return { BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4 }[currency] ?? 2;
}

/** An amount of money as text, such as "€1,250.00". @param {Money} amount */
export function money({ minorUnits, currency }) {
  if (!/^[A-Z]{3}$/.test(currency)) return `${number(minorUnits)} ${currency}`;
  const digits = decimals(currency);
  const exact = { currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(LOCALE, { style: "currency", ...exact })
    .format(minorUnits / 10 ** digits);
}
