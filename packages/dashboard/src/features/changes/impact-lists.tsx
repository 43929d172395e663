import type {
  EnvironmentImpact,
  FlagImpact,
  SegmentImpact,
  SplitTestImpact,
} from '@switchyard/core/api/impact';
import { formatCount, plural } from '../../ui/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './impact-panel.module.css';

const text = (value: unknown) => (value === null ? 'nothing' : JSON.stringify(value));

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

interface Transition {
  from: unknown;
  to: unknown;
  visitors: number;
  examples: string[];
}

function Transitions({ transitions }: { transitions: readonly Transition[] }) {
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
  return impact.environments.map(({ environment, changed, transitions, unknown }) => (
    <div key={environment}>
      <strong>{isOnly ? environment : `${impact.flagKey}, ${environment}`}</strong>:{' '}
      {changed === 0 ? 'nobody' : plural(changed, 'visitor')}
      <Transitions transitions={transitions} />
      <Unknown unknown={unknown} />
    </div>
  ));
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
  impact: { changed, transitions, ifRunning },
}: {
  impact: SplitTestImpact;
}) {
  return (
    <div>
      {changed > 0 && <Transitions transitions={transitions} />}
      {ifRunning.length > 0 && (
        <p className="dimmed">
          While it runs, it divides them:{' '}
          {ifRunning.map(({ variation, visitors }) => `${variation} ${formatCount(visitors)}`).join(', ')}.
        </p>
      )}
    </div>
  );
}
