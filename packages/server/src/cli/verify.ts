import { Command } from 'commander';

export function verifyCommand(): Command {
  return new Command('verify')
    .description('Compute the results in an exported bundle again, offline, and say whether they hold.')
    .argument('[bundle]', 'the file; "-" or nothing for standard input')
    .addHelpText(
      'after',
      `
A bundle comes from GET /v1/split-testing/results/export and holds the definition of a test, the counts, the
method and the results.

Exit codes: 0 the results are those that the counts give, 1 they are not, or it is no bundle.

Example:
  $ switchyard verify hero.json`,
    )
    .action(async (file: string | undefined) => {
      const { verifyBundle } = await import('./verify-action.ts');
      await verifyBundle(file ?? '-');
    });
}
