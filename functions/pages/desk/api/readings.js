/** What is being read: changes of the feed wait for it. */
import { pause } from "./wire.js";

/** Reads under way, and views that open. @type {Set<Promise<unknown>>} */
const readings = new Set();

/** Has `afterReadings` wait for this, too. @template T @param {Promise<T>} reading */
export function reading(reading) {
  const end = () => readings.delete(reading);
  readings.add(reading);
  reading.then(end, end);
  return reading;
}

/** Resolves when the present readings have ended, and those who asked have dealt with them. */
export const afterReadings = () => Promise.allSettled(readings).then(() => pause(0));
