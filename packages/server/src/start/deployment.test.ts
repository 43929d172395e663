import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../http/monitoring/metrics.ts';
import { SETTINGS } from '../platform/settings/settings.ts';

// Keeps the files in deploy/ and the pages in docs/operation/ true.

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const dockerfile = read('deploy/Dockerfile');
/** Environment variables that are not ours. */
const FOREIGN = ['NODE_ENV', 'PATH'];

function expectSettings(names: readonly (string | undefined)[]): void {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !FOREIGN.includes(name!) && !Object.hasOwn(SETTINGS, name!))).toEqual([]);
}

/** The value of a variable in the image. */
const imageVariable = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(dockerfile)?.[1];

test('docs/operation/settings.md has the table of all settings', () => {
  const rows = read('docs/operation/settings.md').match(/^\| `[A-Z_]+` .*$/gm);
  const expected = Object.entries(SETTINGS).map(([name, { default: shown, description }]) =>
    ['', `\`${name}\``, shown === '' ? '' : `\`${shown}\``, description, ''].join(' | ').trim(),
  );
  expect(rows?.map((row) => row.replace('| |', '|  |'))).toEqual(expected);
});

test('docs/operation/monitoring.md explains every metric, and mentions no others', async () => {
  const metrics = new Metrics({
    storage: () => ({ journalBytes: 0, idempotencyBytes: 0, lag: 0 }),
    aaAlarms: () => 0,
    node: { isAvailable: true, isLeader: true },
    workers: { serving: () => 0, restarts: () => 0 },
  });
  const exported = [...(await metrics.text()).matchAll(/^# HELP (switchyard_\w+)/gm)].map(([, name]) => name);
  const page = read('docs/operation/monitoring.md');
  expect([...page.matchAll(/^\| `(switchyard_\w+)`/gm)].map(([, name]) => name).sort()).toEqual(
    exported.sort(),
  );
  const used = [...page.matchAll(/\b(switchyard_\w+)/g)].map(([, name]) =>
    name!.replace(/_(count|bucket)$/, ''),
  );
  expect(used.filter((name) => !exported.includes(name))).toEqual([]);
  const [scraping] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => parse(text!));
  expect(scraping.scrape_configs).toMatchObject([{ job_name: 'switchyard' }]);
});

test('the image has valid settings and a health check', () => {
  const [, variables] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)!;
  expectSettings([...variables!.matchAll(/(\w+)=/g)].map(([, name]) => name));
  expect(dockerfile).toContain(`EXPOSE ${imageVariable('PORT')}\n`);
  expect(dockerfile).toContain(`VOLUME ${imageVariable('DATA_DIR')}\n`);
  expect(dockerfile).toMatch(/^USER (?!root)\w+$/m);
  const [, command] = /HEALTHCHECK (?:.*\\\n)*\s*CMD (\[.*\])/.exec(dockerfile)!;
  expect(JSON.parse(command!).slice(0, 2)).toEqual(['node', '-e']);
});

test('the image has the Node.js that is recommended, and listens on all addresses, also of IPv6', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(bases)).toEqual(new Set(['node:24-bookworm-slim']));
  expect(imageVariable('HOST')).toBe('::');
});

test('the compose file fits the image', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'));
  const { build, environment, ports, volumes: mounts } = services.switchyard;
  expect(existsSync(join(ROOT, 'deploy', build.context, build.dockerfile))).toBe(true);
  expectSettings(Object.keys(environment));
  expect(ports).toEqual([expect.stringMatching(new RegExp(`:${imageVariable('PORT')}$`))]);
  const [volume, path] = mounts[0].split(':');
  expect(volumes).toHaveProperty(volume);
  expect(path).toBe(imageVariable('DATA_DIR'));
});

test('the systemd unit has valid settings, and data in its state directory', () => {
  const unit = read('deploy/switchyard.service');
  expectSettings([...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name));
  const [, directory] = /^StateDirectory=(\w+)$/m.exec(unit)!;
  expect(unit).toContain(`Environment=DATA_DIR=/var/lib/${directory}\n`);
});
