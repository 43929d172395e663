import type { WriteStream } from 'node:tty';
import type { CopyProgress } from '../../cluster/move/copy-events.ts';

/** Between lines, where they cannot be replaced. */
const LINE_MS = 5000;

/** Shows what a move does: one line that changes on a terminal, else a line every few seconds. */
export class MoveProgress {
  readonly #output: Pick<WriteStream, 'isTTY' | 'write'>;
  #startedAt = 0;
  #shownAt = 0;
  #hasLine = false;

  constructor(output: Pick<WriteStream, 'isTTY' | 'write'>) {
    this.#output = output;
  }

  step(text: string): void {
    this.end();
    this.#output.write(`${text} …\n`);
    this.#startedAt = performance.now();
    this.#shownAt = this.#startedAt;
  }

  update(progress: CopyProgress): void {
    const now = performance.now();
    const line = describeProgress(progress, now - this.#startedAt);
    if (this.#output.isTTY) {
      this.#output.write(`\r\u001B[K${line}`);
      this.#hasLine = true;
      return;
    }
    if (now - this.#shownAt < LINE_MS && progress.share < 1) return;
    this.#shownAt = now;
    this.#output.write(`${line}\n`);
  }

  /** Later output starts on a line of its own. */
  end(): void {
    if (this.#hasLine) this.#output.write('\n');
    this.#hasLine = false;
  }
}

/** For example `1,200 requests, 40%, 600 per second, 3 s left`. */
export function describeProgress({ copied, share }: CopyProgress, tookMs: number): string {
  const count = (number: number) => Math.round(number).toLocaleString('en-US');
  const rate = tookMs > 0 ? (copied * 1000) / tookMs : 0;
  const left = share > 0 ? (tookMs / share) * (1 - share) : undefined;
  return [
    `${count(copied)} requests`,
    `${Math.floor(share * 100)}%`,
    `${count(rate)} per second`,
    ...(left === undefined ? [] : [`${duration(left)} left`]),
  ].join(', ');
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
