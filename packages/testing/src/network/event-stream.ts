import { get, type IncomingMessage } from 'node:http';

export interface ServerSentEvent {
  id?: string;
  event?: string;
  data?: string;
  /** Time of receipt. */
  at: number;
}

/** A reader of server-sent events. */
export class EventStream {
  readonly response: IncomingMessage;
  readonly events: ServerSentEvent[] = [];
  heartbeats = 0;
  ended = false;
  #text = '';

  /** Resolves once the response headers have arrived. */
  static open(url: string, headers: Record<string, string>): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => resolve(new EventStream(response))).on(
        'error',
        reject,
      );
    });
  }

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    response.on('close', () => {
      this.ended = true;
    });
  }

  close(): void {
    this.response.destroy();
  }

  #read(text: string): void {
    this.#text += text;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block === ': heartbeat') this.heartbeats += 1;
      const fields = block.split('\n').filter((line) => /^(id|event|data):/.test(line));
      if (fields.length === 0) continue;
      const named = fields.map((line) => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ]);
      this.events.push({ ...Object.fromEntries(named), at: Date.now() });
    }
  }
}
