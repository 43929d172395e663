import type {
  EnvironmentImpact,
  FlagImpact,
  FlagTransition,
  SegmentImpact,
} from '@switchyard/core/api/impact';
import { formatCount, plural } from '../../ui/format/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { valueWriter } from '../explanations/value-text.ts';
import classes from './impact-panel.module.css';
import { isVisited } from './impact-words.ts';
import type { SplitTestChange } from './split-test-change.ts';

/** Sessions to look at, in a new tab: the review sheet stays open. */
function Examples({ ids }: { ids: readonly string[] }) {
  const { propertyId } = useProperty();
  if (ids.length === 0) return null;
  return (
    <div className={classes.examples}>
      {ids.map((id, index) => (
        <a
          key={id}
          href={`/p/${propertyId}/sessions/${encodeURIComponent(id)}`}
          target="_blank"
          rel="noopener"
        >
          example {index + 1}
        </a>
      ))}
    </div>
  );
}

interface TransitionsProps {
  flagKey: string;
  transitions: readonly FlagTransition[];
}

function Transitions({ flagKey, transitions }: TransitionsProps) {
  const { flags } = useProperty().configuration;
  const write = valueWriter(flags, flagKey);
  const text = (value: FlagTransition['from']) => (value === null ? 'nothing' : write(value));
  return (
    <ul className="bullets">
      {transitions.map(({ from, to, visitors, examples }) => (
        <li key={`${text(from)} ${text(to)}`}>
          {formatCount(visitors)}: {text(from)} → {text(to)}
          <Examples ids={examples} />
        </li>
      ))}
    </ul>
  );
}

function Unknown({ unknown }: Pick<EnvironmentImpact, 'unknown'>) {
  if (unknown.length === 0) return null;
  const words = unknown.map(({ attribute, visitors }) => `${attribute} for ${plural(visitors, 'visitor')}`);
  return <p className="dimmed">Unknown, so it may turn out differently: {words.join(', ')}.</p>;
}

export function FlagImpactList({ impact, isOnly }: { impact: FlagImpact; isOnly: boolean }) {
  const { environments, flags } = useProperty().configuration;
  const flagName = flags.find(({ key }) => key === impact.flagKey)?.name || impact.flagKey;
  return impact.environments.map(({ environment, changed, transitions, unknown }) => {
    const name = environments.find(({ id }) => id === environment)?.name || environment;
    return (
      <div key={environment}>
        <strong>{isOnly ? name : `${flagName}, ${name}`}</strong>:{' '}
        {changed === 0 ? 'nobody' : plural(changed, 'visitor')}
        {changed > 0 && !isVisited(environment, environments) && (
          <span className="dimmed"> of the property, if they were there</span>
        )}
        <Transitions flagKey={impact.flagKey} transitions={transitions} />
        <Unknown unknown={unknown} />
      </div>
    );
  });
}

export function SegmentImpactList({ impact }: { impact: SegmentImpact }) {
  const { before, after, entering, leaving, examples, unknown } = impact;
  return (
    <div>
      <p>
        {plural(before, 'visitor')} in the segment now, {formatCount(after)} afterwards.
      </p>
      <ul className="bullets">
        <li>
          {formatCount(entering)} enter
          <Examples ids={examples.entering} />
        </li>
        <li>
          {formatCount(leaving)} leave
          <Examples ids={examples.leaving} />
        </li>
      </ul>
      <Unknown unknown={unknown} />
    </div>
  );
}

export function SplitTestImpactList({
  change,
  visitors: all,
}: {
  change: SplitTestChange;
  visitors: number;
}) {
  const { changed, moves, today, divided } = change;
  return (
    <div>
      {moves.length > 0 && (
        <ul className="bullets">
          {moves.map(({ from, to, visitors, examples }) => (
            <li key={`${from} ${to}`}>
              {formatCount(visitors)} would see “{to}” instead of “{from}”
              <Examples ids={examples} />
            </li>
          ))}
        </ul>
      )}
      {changed > 0 && changed < all && (
        <p>
          {today === undefined ? 'For the others nothing changes.' : `The others see “${today}”, as today.`}
        </p>
      )}
      {divided.length > 0 && (
        <p className="dimmed">
          While it runs, it divides them:{' '}
          {divided.map(({ variation, visitors }) => `${variation} ${formatCount(visitors)}`).join(', ')}.
        </p>
      )}
    </div>
  );
}
