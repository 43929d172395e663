import { Command } from 'commander';

export function statsCommand(): Command {
  return new Command('stats')
    .description('Analyse the numbers of any split test, read from a file.')
    .argument('[file]', 'JSON file; - or nothing reads standard input', '-')
    .addHelpText(
      'after',
      `
Input:
  method       "sequential" (look as often as you like), "frequentist" (look once) or "bayesian"
  metric       "mean" (revenue or count per visitor) or "proportion" (converted visitors)
  control      key of the variation that the others are compared with
  variations   [{ key, n, sum, sumSquares }]: visitors, sum and sum of squares of their values;
               for a proportion sum is the number converted, and sumSquares is optional.
               With covariateSum, covariateSumSquares and covariateProduct for all of them
               the values before the test reduce the noise (CUPED).
  alpha        default 0.05
  sequentialN  visitors at which the sequential interval is tightest; default 5000
  weights      how visitors were split, by key or in order; enables the sample ratio check

Output: per variation the observed mean, absolute and relative uplift with intervals, pValue
(sequential, frequentist), chanceToBeat and expectedLoss (bayesian), and srm (with weights);
null means not applicable, or not computable from these numbers.

Exit codes: 0 printed, 1 failed (every wrong field is named, nothing is printed).

Examples:
  $ switchyard stats numbers.json
  $ echo '{"method":"sequential","metric":"proportion","control":"a","weights":[1,1],"variations":[
      {"key":"a","n":5000,"sum":400},{"key":"b","n":5050,"sum":520}]}' | switchyard stats`,
    )
    .action(async (file: string) => {
      const { printStats } = await import('./stats-action.ts');
      await printStats(file);
    });
}
