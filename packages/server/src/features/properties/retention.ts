import type { EventQuestions } from '../../storage/event-log.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

const DAY = 24 * 60 * 60 * 1000;
const AGAIN_AFTER_MS = 10 * 60 * 1000;

/** Deletes what properties no longer want to keep: every ten minutes, and at once when one changes its mind. */
export class Retention {
  readonly #questions: Pick<EventQuestions, 'expire'>;
  readonly #enforced = new Map<string, { days: number; at: number }>();

  constructor(questions: Pick<EventQuestions, 'expire'>) {
    this.#questions = questions;
  }

  async enforce(properties: readonly PropertyConfiguration[], now: number): Promise<void> {
    for (const { id, retentionDays: days } of properties) {
      if (days === null || !this.#isDue(id, days, now)) continue;
      await this.#questions.expire(id, now - days * DAY);
      this.#enforced.set(id, { days, at: now });
    }
  }

  #isDue(id: string, days: number, now: number): boolean {
    const last = this.#enforced.get(id);
    return last === undefined || last.days !== days || now - last.at >= AGAIN_AFTER_MS;
  }
}
