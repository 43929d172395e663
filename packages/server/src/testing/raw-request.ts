import { connect } from 'node:net';

export interface RawResponse {
  /** Everything the server sent until it closed the connection. */
  text: string;
  status: number;
  headers: Record<string, string>;
  body: string;
  /** From the first byte sent to the end of the connection. */
  milliseconds: number;
}

export interface Dribble {
  /** Sent at once. */
  start: string;
  /** Sent again and again until the server hangs up. */
  drop?: string;
  everyMs?: number;
}

/** Speaks to the server byte by byte, for what no HTTP client would send; ends when the server hangs up. */
export function sendRaw(url: string, { start, drop, everyMs = 500 }: Dribble): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    const timer = drop === undefined ? undefined : setInterval(() => socket.write(drop), everyMs);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    // A reset is one way of hanging up.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ ...parse(text), milliseconds: Date.now() - startedAt });
    });
    socket.write(start);
  });
}

function parse(text: string): Omit<RawResponse, 'milliseconds'> {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { text, status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
}
