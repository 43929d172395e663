export interface ServerSentEvent {
  event: string;
  data: string;
}

/** Longer than any event of the service; a longer line means that this is not an event stream. */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) from chunks of text that
 * may end anywhere, even between CR and LF. Ignores ids and retry times.
 */
export class EventStreamParser {
  readonly #onEvent: (event: ServerSentEvent) => void;
  #buffer = '';
  #event = '';
  #data: string[] = [];
  #atStart = true;

  constructor(onEvent: (event: ServerSentEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** False if this cannot be an event stream. */
  feed(text: string): boolean {
    if (this.#atStart && text !== '') {
      this.#atStart = false;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    this.#buffer += text;
    // A trailing CR may be the first half of CR LF.
    const end = this.#buffer.endsWith('\r') ? this.#buffer.length - 1 : this.#buffer.length;
    const lines = this.#buffer.slice(0, end).split(/\r\n|\n|\r/);
    this.#buffer = (lines.pop() as string) + this.#buffer.slice(end);
    for (const line of lines) this.#parseLine(line);
    return this.#buffer.length <= MAX_LINE_LENGTH;
  }

  #parseLine(line: string): void {
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
    const hasData = this.#data.length > 0;
    this.#event = '';
    this.#data = [];
    if (hasData) this.#onEvent(event);
  }
}
