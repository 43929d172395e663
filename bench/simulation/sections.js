import { sections as bayesian } from './bayesian.js';
import { sections as covariateCheck } from './covariate-check.js';
import { sections as covariates } from './covariates.js';
import { sections as coverage } from './coverage.js';
import { sections as dailyTests } from './daily-tests.js';
import { sections as finiteFigures } from './finite-figures.js';
import { sections as forecasts } from './forecasts.js';
import { sections as guardrails } from './guardrails.js';
import { sections as holdout } from './holdout.js';
import { sections as interactions } from './interactions.js';
import { sections as library } from './library.js';
import { sections as metrics } from './metrics.js';
import { sections as outliers } from './outliers.js';
import { sections as phases } from './phases.js';
import { sections as plannedEnd } from './planned-end.js';
import { sections as plannedPower } from './planned-power.js';
import { sections as plannedTests } from './planned-tests.js';
import { sections as rareConversions } from './rare-conversions.js';
import { sections as returningRollouts } from './returning-rollouts.js';
import { sections as rollouts } from './rollouts.js';
import { sections as sampleRatio } from './sample-ratio.js';
import { sections as segments } from './segments.js';
import { sections as stops } from './stops.js';
import { sections as users } from './users.js';

/** In the order of the documentation. */
export const SECTIONS = [
  ...finiteFigures,
  ...dailyTests,
  ...plannedTests,
  ...plannedEnd,
  ...plannedPower,
  ...coverage,
  ...guardrails,
  ...stops,
  ...rollouts,
  ...returningRollouts,
  ...sampleRatio,
  ...phases,
  ...covariates,
  ...covariateCheck,
  ...bayesian,
  ...holdout,
  ...users,
  ...segments,
  ...interactions,
  ...library,
  ...outliers,
  ...forecasts,
  ...rareConversions,
  ...metrics,
];
