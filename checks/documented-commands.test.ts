import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/**
 * Commands that fetch a package of our name from a registry, where it belongs to somebody else. Files and URLs of our
 * own, such as `npm install ./switchyard-0.2.0.tgz`, are fine.
 */
const FETCHES_OUR_NAME =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|exec|x|dlx|create|init))\s(?:[^\n`;|&#]*?\s)?["']?(?:@switchyard\/|switchyard(?![-.\w]*\.tgz))/;

const isFetch = (text: string) => FETCHES_OUR_NAME.test(text);

it('no file has a command that could fetch a package we do not own', () => {
  const own = 'checks/documented-commands.test.ts';
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && file !== own && !/\.(png|svg|ico)$/.test(file));
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (isFetch(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

it.each([
  'npx switchyard serve',
  'npx --yes switchyard serve',
  'npm install switchyard',
  'npm i -g switchyard@latest',
  'npm install express @switchyard/sdk',
  "npm exec '@switchyard/server' serve",
  'pnpm dlx switchyard',
])('finds "%s"', (command) => expect(isFetch(command)).toBe(true));

it.each([
  'npm install -g ./switchyard-0.2.0.tgz',
  'npm install switchyard-sdk-0.2.0.tgz',
  'npm install https://switchyard.example/sdk.tgz',
  'npm install --prefix /opt/switchyard ./switchyard-0.2.0.tgz && switchyard serve',
  'npm pack --workspace @switchyard/sdk',
])('allows "%s"', (command) => expect(isFetch(command)).toBe(false));
