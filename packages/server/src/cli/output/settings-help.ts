import { SETTINGS } from '../../platform/settings/settings.ts';

const NAME_WIDTH = 29;
const TEXT_WIDTH = 76;

/** The settings, for the help of `serve`. */
export function settingsHelp(): string {
  return Object.entries(SETTINGS)
    .map(([name, { description, default: shown }]) => {
      const words = `${description.replaceAll('`', '')}${shown === '' ? '' : ` (default: ${shown})`}`;
      const lines = wrap(words).join(`\n${' '.repeat(NAME_WIDTH + 2)}`);
      return `  ${name.padEnd(NAME_WIDTH)}${lines}`;
    })
    .join('\n');
}

function wrap(words: string): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < TEXT_WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
