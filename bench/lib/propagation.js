// How soon a change on one node is effective on another.
import { fetchFlagList } from './fixture.js';
import { evaluateFlag, Manager, untilVisible } from './manager.js';
import { quantile } from './measures.js';
import { ms } from './report.js';

const WARM_UP = 10;
const FLAG = 'flag-0';

const row = (name, samples, seconds) => ({
  name,
  text: `p50 ${ms(quantile(samples, 0.5))}, p99 ${ms(quantile(samples, 0.99))}, max ${ms(Math.max(...samples))}`,
  value: quantile(samples, 0.99),
  ...(seconds !== undefined && { below: { value: 1000 * seconds, text: `${seconds} s` } }),
});

async function changedFlag(manager, url, round) {
  const enabled = round % 2 === 1;
  const body = { environments: { production: { enabled } } };
  const { at, took } = await manager.change('PATCH', `/flags/${FLAG}`, body);
  const isEffective = async () => ((await evaluateFlag(url, FLAG)).reason !== 'DISABLED') === enabled;
  return { took, delay: await untilVisible(at, isEffective) };
}

async function deletedKey(manager, url, round) {
  const { at: createdAt, item } = await manager.change('POST', '/keys', {
    kind: 'secret',
    name: `spare ${round}`,
  });
  await untilVisible(createdAt, async () => (await fetchFlagList(url, item.key)).ok);
  const { at, took } = await manager.change('DELETE', `/keys/${item.id}`);
  const isRejected = async () => (await fetchFlagList(url, item.key)).status === 401;
  return { took, delay: await untilVisible(at, isRejected) };
}

async function sample(count, change) {
  const samples = [];
  for (let round = 0; round < WARM_UP + count; round++) {
    const result = await change(round);
    if (round >= WARM_UP) samples.push(result);
  }
  return samples;
}

/** Changes on the first node, reads on the second. Returns rows for `targetTable`. */
export async function measurePropagation([first, second], count) {
  const manager = await Manager.signIn(first.url);
  const flags = await sample(count, (round) => changedFlag(manager, second.url, round));
  const keys = await sample(count, (round) => deletedKey(manager, second.url, round));
  const of = (samples, field) => samples.map((it) => it[field]);
  return [
    row('PATCH flag on node 1: response', of(flags, 'took')),
    row('… from the response to the change in `/v1/flags/evaluate` of node 2', of(flags, 'delay'), 1),
    row('DELETE key on node 1: response', of(keys, 'took')),
    row('… from the response to its rejection by node 2', of(keys, 'delay'), 2),
  ];
}
