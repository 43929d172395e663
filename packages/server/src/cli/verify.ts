import { Command } from 'commander';

export function verifyCommand(): Command {
  return new Command('verify')
    .description('Recompute the results in an exported bundle, offline, and check that they match.')
    .argument('[bundle]', 'file; default: standard input ("-")')
    .addHelpText(
      'after',
      `
A bundle comes from GET /v1/split-testing/results/export and holds the definition of a test, the counts, the
method and the results.

Exit codes: 0 the results match, 1 they do not, or the file is not a bundle.

Example:
  $ switchyard verify hero.json`,
    )
    .action(async (file: string | undefined) => {
      const { verifyBundle } = await import('./verify-action.ts');
      await verifyBundle(file ?? '-');
    });
}
