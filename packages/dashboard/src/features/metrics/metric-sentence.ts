import type { MetricComputation, MetricValue } from '@switchyard/core/api/metrics';
import { metricStepName } from '@switchyard/core/metrics/metric-step-name';
import { plural } from '../../ui/format/format.ts';
import type { Goal, Metric } from '../configuration/configuration-types.ts';
import { quantileName } from './quantile-name.ts';

type Goals = readonly Pick<Goal, 'id' | 'name'>[];

/** What a metric measures, such as "Visitors who reach “Purchases”, within 7 days". */
export function metricSentence(metric: Metric, goals: Goals): string {
  const within =
    'withinDays' in metric && metric.withinDays !== null
      ? `, within ${plural(metric.withinDays, 'day')}`
      : '';
  const cap = metric.cap === null ? '' : `, at most ${metric.cap.toLocaleString()} per visitor`;
  return `${computed(metric, goals)}${within}${cap}`;
}

function computed(metric: MetricComputation, goals: Goals): string {
  const goal = (id: string) => `“${nameOf(goals, id)}”`;
  switch (metric.kind) {
    case 'count':
      return `Visitors who reach ${goal(metric.goalId)}`;
    case 'sum':
      return `Amounts of ${goal(metric.goalId)} per visitor`;
    case 'ratio':
      return `${sourceWords(metric.numerator, goals, true)} per ${sourceWords(metric.denominator, goals, false)}`;
    case 'retention': {
      const { fromDay, toDay, goalId } = metric;
      const days = fromDay === toDay ? `on day ${fromDay}` : `on days ${fromDay} to ${toDay}`;
      return goalId === null
        ? `Visitors who come back ${days}`
        : `Visitors who reach ${goal(goalId)} ${days}`;
    }
    case 'funnel':
      return metric.steps.map((step) => metricStepName(step, goals)).join(' → ');
    case 'quantile': {
      const { quantile, goalId, event, property } = metric;
      const what = goalId === undefined ? `“${property}” of “${event}” events` : `amounts of ${goal(goalId)}`;
      return `${quantileName(quantile)} of ${what}`;
    }
    case 'page':
      return pageWords(metric.of, metric.path);
    case 'event':
      return metric.of === 'count'
        ? `“${metric.event}” events per visitor`
        : `Visitors with a “${metric.event}” event`;
  }
}

function pageWords(of: 'visitors' | 'views' | 'bounce', path: string | null): string {
  if (of === 'visitors') return `Visitors who view ${path ?? 'a page'}`;
  if (of === 'views') return path === null ? 'Page views per visitor' : `Views of ${path} per visitor`;
  return `Sessions with a single page view${path === null ? '' : `, of those that begin on ${path}`}`;
}

function sourceWords(value: MetricValue, goals: Goals, isPlural: boolean): string {
  const s = isPlural ? 's' : '';
  if ('path' in value) {
    const view = isPlural ? 'View' : 'view';
    return value.path === '*' ? `${isPlural ? 'Page' : 'page'} view${s}` : `${view}${s} of ${value.path}`;
  }
  if ('event' in value) return `“${value.event}” event${s}`;
  const noun = value.of === 'sum' ? 'mount' : 'onversion';
  const first = value.of === 'sum' ? 'a' : 'c';
  return `${isPlural ? first.toUpperCase() : first}${noun}${s} of “${nameOf(goals, value.goalId)}”`;
}

const nameOf = (goals: Goals, id: string) => goals.find((goal) => goal.id === id)?.name || id;
