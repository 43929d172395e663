import { rmSync } from 'node:fs';
import type { FeedbackStatus } from '@switchyard/core/api/feedback';
import { DAY_MS } from '@switchyard/core/time';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { entry } from '../../events/store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { exportFeedback } from './feedback-export.ts';
import { changeFeedbackState } from './feedback-states.ts';
import { summarizeFeedback } from './feedback-summary.ts';

const SEED = 20_260_301;
const T0 = 1_800_000_000_000 - (1_800_000_000_000 % DAY_MS);
const STATUSES = ['new', 'seen', 'done'] as const;

let directory: string;
let eventStore: EventStore;
let configuration: MemoryConfiguration;
beforeEach(async () => {
  directory = temporaryDirectory();
  eventStore = await openDuckDbEventStore(`${directory}/events.duckdb`);
  configuration = await openMemoryConfiguration();
  await configuration.apply({ name: 'Shop' });
});
afterEach(async () => {
  await eventStore.close();
  await configuration.handle.close();
  rmSync(directory, { recursive: true, force: true });
});

const stores = () => ({ database: configuration.handle.database, eventStore });

const NOW = { now: T0 + 3 * DAY_MS, timeZone: 'UTC' };

interface Answer {
  id: string;
  option: string;
  receivedAt: number;
  status: FeedbackStatus;
}

/** Two days of answers, some of them seen or done. */
async function addAnswers(count: number, markEvery: number): Promise<Answer[]> {
  const random = mulberry32(SEED);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const answers = Array.from({ length: count }, (_, i) => ({
    id: `f${i}`,
    option: pick(['good', 'bad']),
    receivedAt: T0 + Math.floor(random() * 2 * DAY_MS),
    status: i % markEvery === 0 ? pick(STATUSES) : ('new' as const),
  }));
  await eventStore.append(
    LOCAL_SOURCE,
    answers.map(({ status: _, ...fields }, i) => ({
      seq: i + 1,
      request: entry({ propertyId: 'shop', ...fields }),
    })),
  );
  for (const { id, status } of answers) {
    if (status !== 'new') await changeFeedbackState(stores(), 'shop', id, { status }, 'acc_1');
  }
  return answers;
}

test(`a summary counts statuses, and only entries with the wanted one (seed ${SEED})`, async () => {
  const answers = await addAnswers(60, 2);
  const period = { from: T0 + DAY_MS, to: T0 + 2 * DAY_MS, interval: 'day' as const, ...NOW };
  const current = answers.filter(({ receivedAt }) => receivedAt >= period.from);
  const before = answers.filter(({ receivedAt }) => receivedAt < period.from);
  const count = (list: Answer[], status?: FeedbackStatus, option?: string) =>
    list.filter(
      (it) =>
        (status === undefined || it.status === status) && (option === undefined || it.option === option),
    ).length;
  for (const status of [undefined, ...STATUSES]) {
    const query = { propertyId: 'shop', ...(status && { status }) };
    const summary = await summarizeFeedback(stores(), query, period);
    expect([status, summary.total, summary.previous.total]).toEqual([
      status,
      count(current, status),
      count(before, status),
    ]);
    expect(summary.statuses).toEqual({
      new: count(current, 'new'),
      seen: count(current, 'seen'),
      done: count(current, 'done'),
    });
    for (const { option, count: chosen } of summary.options) {
      expect([option, chosen]).toEqual([option, count(current, status, option)]);
    }
    expect(summary.series.map(({ total }) => total)).toEqual([summary.total]);
  }
  const good = { propertyId: 'shop', option: 'good' };
  expect((await summarizeFeedback(stores(), good, period)).statuses.done).toBe(
    count(current, 'done', 'good'),
  );
});

test('a summary counts all statuses, or says that it could not', async () => {
  const answers = await addAnswers(60, 1);
  const period = { from: T0, to: T0 + 2 * DAY_MS, interval: 'day' as const, ...NOW };
  const summarize = (query: object, maxMarked: number) =>
    summarizeFeedback(stores(), { propertyId: 'shop', ...query }, period, undefined, maxMarked);
  const statuses = Object.fromEntries(
    STATUSES.map((status) => [status, answers.filter((it) => it.status === status).length]),
  );
  const marked = statuses.seen! + statuses.done!;
  expect(await summarize({}, marked)).toMatchObject({ statuses, complete: true });
  expect(await summarize({}, marked - 1)).toMatchObject({ statuses, complete: true });
  expect(await summarize({ status: 'new' }, marked - 1)).toMatchObject({ statuses, complete: false });
  expect(await summarize({ option: 'good' }, marked)).toMatchObject({ complete: true });
  expect(await summarize({ option: 'good' }, marked - 1)).toMatchObject({ complete: false });
});

test('an export has every entry once, newest first, with status', async () => {
  const answers = await addAnswers(1300, 50);
  const newestFirst = answers.toSorted(
    (a, b) => b.receivedAt - a.receivedAt || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id)),
  );
  const read = async (query: object) => {
    const lines = (await (await exportFeedback(stores(), { propertyId: 'shop', ...query })).toArray())
      .join('')
      .trimEnd()
      .split('\r\n');
    return lines.slice(1).map((line) => line.split(','));
  };
  const lineOf = ({ id, receivedAt, option, status }: Answer) => [
    id,
    new Date(receivedAt).toISOString(),
    'nps',
    option,
    '',
    status,
    ...Array(5).fill(''),
    'false',
  ];
  expect(await read({})).toEqual(newestFirst.map(lineOf));
  expect(await read({ status: 'seen' })).toEqual(
    newestFirst.filter(({ status }) => status === 'seen').map(lineOf),
  );
});

test('an export reads the next page only when the last one was taken, and stops when it is abandoned', async () => {
  await addAnswers(1300, 1300);
  let pages = 0;
  const counting = {
    ...stores(),
    eventStore: {
      feedbackPage: (query: Parameters<EventStore['feedbackPage']>[0]) => {
        pages++;
        return eventStore.feedbackPage(query);
      },
    },
  };
  const file = await exportFeedback(counting, { propertyId: 'shop' });
  expect(pages).toBe(1);
  for await (const chunk of file) {
    expect(String(chunk)).toMatch(/^\ufeffid,/);
    break;
  }
  expect(file.destroyed).toBe(true);
  expect(pages).toBeLessThan(3);
});
