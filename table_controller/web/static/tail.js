// A table's events without a gap: states and events tell how far the table has come; what is missing is fetched.
import { get } from "./api.js";

const SOON_MS = 300;
const AGAIN_MS = 1500;
const TRIES = 20;

// ``path`` answers ?boot=&after=; ``onEvent`` hears each event once, in the order of the numbers.
export class Tail {
  constructor(path, onEvent) {
    Object.assign(this, { path, onEvent, boot: null, last: 0, told: 0, ahead: new Map(), timer: 0, tries: 0 });
  }

  // All up to this number is known: from a list that was loaded.
  begin(boot, seq) {
    clearTimeout(this.timer);
    Object.assign(this, { boot, last: seq, told: Math.max(seq, this.boot === boot ? this.told : 0), timer: 0, tries: 0 });
    for (const known of [...this.ahead.keys()]) if (known <= seq) this.ahead.delete(known);
    this.drain();
  }

  state(message) { this.reach(message.boot, message.seq); }

  event(message) {
    if (this.boot === null) return;
    if (message.boot !== this.boot) this.turn(message.boot);
    if (message.seq <= this.last || this.ahead.has(message.seq)) return;
    this.ahead.set(message.seq, message);
    this.reach(message.boot, message.seq);
  }

  reach(boot, seq) {
    if (this.boot === null) return;
    if (boot !== this.boot) this.turn(boot);
    this.told = Math.max(this.told, seq);
    this.drain();
  }

  // The table has started again: its numbers begin anew.
  turn(boot) {
    clearTimeout(this.timer);
    this.ahead.clear();
    Object.assign(this, { boot, last: 0, told: 0, timer: 0, tries: 0 });
  }

  drain() {
    while (this.ahead.has(this.last + 1)) {
      this.last += 1;
      const message = this.ahead.get(this.last);
      this.ahead.delete(this.last);
      this.tries = 0;
      this.onEvent(message);
    }
    // It may still be on its way.
    if (this.last < this.told && !this.timer) this.timer = setTimeout(() => this.fetch(), this.tries ? AGAIN_MS : SOON_MS);
  }

  async fetch() {
    const { boot, last } = this;
    const answer = await get(`${this.path}?boot=${encodeURIComponent(boot)}&after=${last}`);
    if (boot !== this.boot) return;
    this.timer = 0;
    for (const message of answer.events ?? []) if (message.boot === boot && message.seq > this.last) this.ahead.set(message.seq, message);
    if (this.last === last && !this.ahead.has(last + 1)) this.tries += answer.ok ? 1 : 0;
    // Nobody has it: what came after it is told all the same.
    if (this.tries >= TRIES) { this.last = Math.min(this.told, ...this.ahead.keys()) - (this.ahead.size ? 1 : 0); this.tries = 0; }
    this.drain();
  }
}
