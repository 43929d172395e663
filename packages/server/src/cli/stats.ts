import { Command } from 'commander';

export function statsCommand(): Command {
  return new Command('stats')
    .description('Judge a split test by the numbers in a file, from wherever they come.')
    .argument('[file]', 'JSON file; - or nothing reads standard input', '-')
    .addHelpText(
      'after',
      `
In:
  method       "sequential" (look as often as you like), "frequentist" (look once) or "bayesian"
  metric       "mean" (revenue or count per visitor) or "proportion" (converted visitors)
  control      key of the variation that the others are compared with
  variations   [{ key, n, sum, sumSquares }]: visitors, sum and sum of squares of their values;
               for a proportion sum is the number converted, and sumSquares may be left out.
               With covariateSum, covariateSumSquares and covariateProduct for all of them
               the values before the test reduce the noise (CUPED).
  alpha        0.05 unless set
  sequentialN  visitors at which the sequential interval is tightest, 5000 unless set
  weights      how visitors were split, by key or in order; then the split itself is tested

Out: per variation the mean as observed, absolute and relative uplift with intervals, pValue
(sequential, frequentist), chanceToBeat and expectedLoss (bayesian), and srm (with weights);
null is what does not apply or cannot be known from these numbers.

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
