export interface ServerSentEvent {
  event: string;
  data: string;
}

/** Longer than any event of the service: whatever keeps sending without an end of line is something else. */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from pieces of text that
 * may end anywhere, also between the two characters of a line end. Ids and retry times are passed over.
 */
export class EventStreamParser {
  readonly #onEvent: (event: ServerSentEvent) => void;
  #rest = '';
  #event = '';
  #data: string[] = [];
  #atStart = true;

  constructor(onEvent: (event: ServerSentEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** False when this cannot be a stream of events. */
  feed(text: string): boolean {
    if (this.#atStart && text !== '') {
      this.#atStart = false;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    this.#rest += text;
    // A carriage return at the end may be half of a line end.
    const end = this.#rest.endsWith('\r') ? this.#rest.length - 1 : this.#rest.length;
    const lines = this.#rest.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() as string) + this.#rest.slice(end);
    for (const line of lines) this.#line(line);
    return this.#rest.length <= MAX_LINE_LENGTH;
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
  }

  #dispatch(): void {
    const event = { event: this.#event || 'message', data: this.#data.join('\n') };
    const complete = this.#data.length > 0;
    this.#event = '';
    this.#data = [];
    if (complete) this.#onEvent(event);
  }
}
