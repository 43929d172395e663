import type { PrivacyPreview, PrivacySettings } from '@switchyard/core/api/privacy';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { propertyPath, request } from '../../api.ts';
import { formatCount } from '../../ui/format/format.ts';
import tables from '../../ui/lists/table.module.css';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './settings-page.module.css';

/** What the settings would have changed yesterday, and what was removed today. */
export function PrivacyPreviewPanel({ privacy }: { privacy: PrivacySettings }) {
  const { propertyId } = useProperty();
  const preview = useQuery({
    queryKey: ['privacy-preview', propertyId, privacy],
    queryFn: ({ signal }) =>
      request<PrivacyPreview>(propertyPath(propertyId, 'privacy-preview'), {
        method: 'POST',
        body: privacy,
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title="Preview" hint="What these settings would have changed in the URLs of the last 24 hours.">
      <Loaded query={preview} what="the preview">
        {({ sessions, urls, changed, removedToday }) => (
          <>
            <p>
              {changed.length === 0
                ? `None of ${formatCount(urls)} URLs of ${formatCount(sessions)} sessions would be stored otherwise.`
                : `${formatCount(urls)} URLs of ${formatCount(sessions)} sessions were looked at.`}
            </p>
            {changed.length > 0 && <ChangedUrls changed={changed} />}
            <p className={classes.note}>
              {removedToday.length === 0
                ? 'No parameters were removed today (UTC).'
                : `Removed today (UTC): ${removedToday.map(({ name, count }) => `${name} (${formatCount(count)})`).join(', ')}`}
            </p>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function ChangedUrls({ changed }: Pick<PrivacyPreview, 'changed'>) {
  return (
    <table className={tables.compact}>
      <thead>
        <tr>
          <th>Stored</th>
          <th>Would be stored as</th>
          <th>Sessions</th>
        </tr>
      </thead>
      <tbody>
        {changed.map(({ before, after, sessions }) => (
          <tr key={`${before} ${after}`}>
            <td className={classes.url}>{before}</td>
            <td className={classes.url}>{after}</td>
            <td>{formatCount(sessions)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
