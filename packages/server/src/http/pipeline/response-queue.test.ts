import { expect, it } from 'vitest';
import { ResponseQueue } from './response-queue.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function recording() {
  const queue = new ResponseQueue();
  const written: number[] = [];
  const add = (...ids: number[]) => {
    for (const id of ids) queue.add({ write: () => written.push(id) });
  };
  return { add, written };
}

it('sends the responses of a turn at its end, in order', async () => {
  const { add, written } = recording();
  add(1, 2, 3);
  expect(written).toEqual([]);
  await turn();
  expect(written).toEqual([1, 2, 3]);
  add(4, 5);
  expect(written).toHaveLength(3);
  await turn();
  expect(written).toEqual([1, 2, 3, 4, 5]);
});

it('does not hold more than 16 responses', async () => {
  const { add, written } = recording();
  const ids = Array.from({ length: 40 }, (_, id) => id);
  add(...ids);
  expect(written).toEqual(ids.slice(0, 32));
  await turn();
  expect(written).toEqual(ids);
});

it('sends at once while there is one response per turn, and notices when there are more', async () => {
  const { add, written } = recording();
  let atOnce = 0;
  for (let id = 0; id < 64; id++) {
    add(id);
    if (written.length === id + 1) atOnce += 1;
    await turn();
    expect(written).toHaveLength(id + 1);
  }
  expect(atOnce).toBe(60);
  add(...Array.from({ length: 8 }, (_, id) => id));
  await turn();
  expect(written).toHaveLength(72);
  add(1, 2);
  expect(written).toHaveLength(72);
});

it('accepts responses that are added while others are sent', async () => {
  const queue = new ResponseQueue();
  const written: string[] = [];
  queue.add({
    write: () => {
      written.push('first');
      queue.add({ write: () => written.push('third') });
    },
  });
  queue.add({ write: () => written.push('second') });
  await turn();
  await turn();
  expect(written).toEqual(['first', 'second', 'third']);
});
