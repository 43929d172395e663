import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './main.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/reference/command-line.md', import.meta.url));

/** Commands that can be run, with those of groups such as `keys create`. */
function commandsOf(parent: Command, path = parent.name()): { path: string; command: Command }[] {
  return parent.commands.flatMap((command) => {
    const name = `${path} ${command.name()}`;
    return command.commands.length > 0 ? commandsOf(command, name) : [{ path: name, command }];
  });
}

/** What `--help` prints on a terminal of 100 columns. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  return text.trim();
}

const COMMANDS = commandsOf(await createProgram(() => true));

const sectionOf = (path: string) => `## ${path}\n\n\`\`\`text\n\`\`\`\n`;

// After a change of a command: npx vitest run command-line-reference -u
test('the page has the help of every command', async () => {
  let page = readFileSync(PAGE, 'utf8');
  for (const { path, command } of COMMANDS) {
    if (!page.includes(`\n## ${path}\n`)) page += `\n${sectionOf(path)}`;
    const help = new RegExp(`(^## ${path}\n(?:(?!^## )[^])*?^\`\`\`text\n)[^]*?(^\`\`\`$)`, 'm');
    expect(page).toMatch(help);
    page = page.replace(help, (_all, start, end) => `${start}${helpOf(command)}\n${end}`);
  }
  await expect(page).toMatchFileSnapshot(PAGE);
});

test('the page has no other commands', () => {
  const sections = [...readFileSync(PAGE, 'utf8').matchAll(/^## (.+)$/gm)].map(([, path]) => path);
  expect(sections.sort()).toEqual(COMMANDS.map(({ path }) => path).sort());
});
