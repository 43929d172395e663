import { Command } from 'commander';
import { dataDirOption } from './command-options.ts';
import type { TypesOptions } from './types-action.ts';

export function typesCommand(): Command {
  return new Command('types')
    .description(
      'Write a TypeScript declaration of the tests, flags, goals and feedback types of a property.',
    )
    .argument('[file]', 'provision file to read instead of the data directory, "-" for standard input')
    .addOption(dataDirOption())
    .option('--property <id>', 'only this property (default: one interface per property)')
    .option('--out <file>', 'output file (default: standard output)')
    .addHelpText(
      'after',
      `
Pass the interface to the SDK, so that a misspelled key does not compile:
  const client = createSwitchyard<Shop>({ … });

Exit codes: 0 written, 1 failed.

Examples:
  $ switchyard types --property shop --out src/switchyard.ts
  $ switchyard types switchyard.yaml > src/switchyard.ts`,
    )
    .action(async (file: string | undefined, options: TypesOptions) => {
      const { writeTypes } = await import('./types-action.ts');
      await writeTypes(file, options);
    });
}
