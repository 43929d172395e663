/** ANSI codes. */
const DIM = 2;
const LEVEL_COLORS: Record<string, number> = { fatal: 31, error: 31, warn: 33, info: 32 };

/** A JSON line of the log as text, such as `09:41:07 info  request  method=GET status=200`, then the stack of an error. */
export function prettyLine(json: string, hasColors: boolean): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(json);
  const paint = (code: number, text: string) => (hasColors ? `\u001b[${code}m${text}\u001b[0m` : text);
  const line = [
    `${paint(DIM, clock(time))} ${paint(LEVEL_COLORS[level] ?? DIM, String(level).padEnd(5))} ${printable(msg)}`,
    ...Object.entries(fields).map(([name, value]) => `${paint(DIM, `${name}=`)}${fieldText(value)}`),
  ].join('  ');
  return err === undefined ? `${line}\n` : `${line}\n${printable(errorText(err)).replace(/^/gm, '  ')}\n`;
}

const clock = (time: string) => new Date(time).toTimeString().slice(0, 8);

const errorText = (err: { stack?: string; message?: string }) => String(err.stack ?? err.message ?? err);

function fieldText(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return printable(value);
  return printable(JSON.stringify(value));
}

/** Without control characters, because text from outside could otherwise control the terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, escapeCharacter);
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
