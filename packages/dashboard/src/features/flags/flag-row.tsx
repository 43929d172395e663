import { Tooltip } from '@mantine/core';
import { memo } from 'react';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import type { Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { environmentWords } from './environment-words.ts';
import classes from './flag-row.module.css';
import { type EnvironmentUsage, servedWords, staleReason } from './use-flag-usage.ts';
import { type LastChanges, useLastChange } from './use-last-changes.ts';

interface FlagRowProps {
  flag: Flag;
  usage: readonly EnvironmentUsage[] | undefined;
  lastChanges: LastChanges;
  onMessage: (message: string) => void;
}

/** The cells of one flag. */
export const FlagRow = memo(function FlagRow({ flag, usage, lastChanges, onMessage }: FlagRowProps) {
  const { change, isFailed } = useLastChange(flag.key, lastChanges);
  const { environments, flags } = useProperty().configuration;
  const stale = staleReason(usage);
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: cells of the table with roles
    <>
      <div role="cell" className={classes.flag}>
        <span className={classes.title}>
          <PropertyLink
            to={`flags/${encodeURIComponent(flag.key)}`}
            className={classes.name}
            title={flag.name}
          >
            {flag.name}
          </PropertyLink>
          {stale && (
            <Tooltip label={stale}>
              <span className={`badge ${classes.stale}`}>Stale</span>
            </Tooltip>
          )}
        </span>
        <span className={classes.details}>
          <code>{flag.key}</code>
          {flag.tags.map((tag) => (
            <span key={tag} className={classes.tag}>
              {tag}
            </span>
          ))}
          {flag.owner && <span>{flag.owner}</span>}
        </span>
      </div>
      {environments.map((environment) => {
        const used = usage?.find((each) => each.environment === environment.id);
        const configuration = flag.environments[environment.id];
        const words = `${configuration?.enabled ? '' : 'Off · '}${environmentWords(flag, configuration, flags)}`;
        return (
          <div role="cell" key={environment.id} className={classes.environment}>
            <span className={classes.state}>
              <span className={classes.environmentName} aria-hidden="true">
                {environment.name}
              </span>
              <EnvironmentSwitch flag={flag} environment={environment} onFinish={onMessage} />
              <span className={classes.words} title={words}>
                {words}
              </span>
            </span>
            {used && (
              <span className={classes.details}>
                {used.lastEvaluatedAt === null ? (
                  'never evaluated'
                ) : (
                  <>
                    <RelativeTime at={used.lastEvaluatedAt} />
                    {used.values.length > 0 && <span>served {servedWords(used)}</span>}
                  </>
                )}
              </span>
            )}
          </div>
        );
      })}
      <div role="cell" className={classes.change}>
        {change ? (
          <>
            <RelativeTime at={change.at} />
            <span className={classes.details}>{change.by}</span>
          </>
        ) : (
          <span className="dimmed">{change === null ? '–' : isFailed ? 'Not loaded' : '…'}</span>
        )}
      </div>
    </>
    // biome-ignore-end lint/a11y/useSemanticElements: see above
  );
});
