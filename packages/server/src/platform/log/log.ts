import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../settings/config.ts';
import { prettyLine } from './pretty-line.ts';

/** Everything that `serve` prints: text for people on a terminal, otherwise one JSON object per line. */
export interface ServerLog {
  log: Logger;
  /** For what must be printed at any level, such as the address and new keys. */
  notices: Logger;
  isPretty: boolean;
}

export function createLog({ logLevel }: Pick<Config, 'logLevel'>): ServerLog {
  const isPretty = process.stdout.isTTY === true;
  const log = pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    // Synchronous, so that the last line before an exit is not lost.
    isPretty ? terminal() : pino.destination({ dest: 1, sync: true }),
  );
  return { log, notices: log.child({}, { level: 'info' }), isPretty };
}

function terminal(): DestinationStream {
  const { stdout } = process;
  const hasColors = stdout.hasColors();
  // The server keeps running when its terminal is closed.
  stdout.on('error', () => {});
  return { write: (json) => stdout.write(prettyLine(json, hasColors)) };
}
