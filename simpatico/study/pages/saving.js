// Answers on their way to the server: one after the other, tried again until they are there, and
// kept in this browser meanwhile. Each has a key of its own, so that sending twice saves once.

import { Offline, Refused, call } from "./api.js";

export const RETRY = 2500;

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A browser that may store nothing throws; answers are then kept as long as the page is open.
const attempt = (work) => {
  try {
    return work();
  } catch {
    return null;
  }
};

export class Saving {
  constructor(place, onChange, onConflict) {
    this.place = place;
    this.onChange = onChange;
    this.onConflict = onConflict;
    this.queue = JSON.parse(attempt(() => localStorage.getItem(this.place)) || "[]");
    this.revisions = new Map();
    this.state = "saved";
    this.working = null;
    addEventListener("online", () => this.start());
  }

  static name(entry) {
    return `${entry.unit} ${entry.turn} ${entry.question}`;
  }

  know(entry) {
    this.revisions.set(Saving.name(entry), entry.revision);
  }

  add(entry) {
    this.queue.push({ ...entry, key: crypto.randomUUID() });
    this.keep();
    return this.start();
  }

  pending(unit) {
    return this.queue.filter((entry) => entry.unit === unit);
  }

  keep() {
    attempt(() => localStorage.setItem(this.place, JSON.stringify(this.queue)));
  }

  change(state) {
    this.state = state;
    this.onChange(state);
  }

  start() {
    this.working ??= this.work().finally(() => (this.working = null));
    return this.working;
  }

  // Resolves when nothing is left to send.
  async work() {
    while (this.queue.length) {
      const entry = this.queue[0];
      const name = Saving.name(entry);
      entry.revision ??= this.revisions.get(name) ?? 0;
      this.keep();
      this.change("saving");
      try {
        const { revision } = await call("answer", entry);
        this.revisions.set(name, revision);
      } catch (error) {
        if (error instanceof Offline) {
          this.change("offline");
          await pause(RETRY);
          continue;
        }
        if (!(error instanceof Refused)) throw error;
        if (error.body.latest) this.revisions.set(name, error.body.latest.revision);
        this.onConflict(entry, error);
      }
      this.queue.shift();
      this.keep();
    }
    this.change("saved");
  }
}
