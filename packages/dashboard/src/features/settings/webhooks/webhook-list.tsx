import { RelativeTime } from '../../../ui/format/relative-time.tsx';
import { StackedTable } from '../../../ui/lists/stacked-table.tsx';
import { EmptyState } from '../../../ui/page/empty-state.tsx';
import { Icon } from '../../../ui/page/icon.tsx';
import { Panel } from '../../../ui/page/panel.tsx';
import { ReasonButton } from '../../../ui/page/reason-button.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import classes from '../settings-page.module.css';

export function WebhookList({ onNew }: { onNew: () => void }) {
  const { configuration, missingRole } = useProperty();
  const { webhooks } = configuration;
  const action = (
    <ReasonButton
      size="xs"
      variant="default"
      leftSection={<Icon name="plus" />}
      reason={missingRole('admin')}
      onClick={onNew}
    >
      New webhook
    </ReasonButton>
  );
  return (
    <Panel
      title="Webhooks"
      flush
      hint="URLs of yours that are called when something happens in this property."
      actions={action}
    >
      {webhooks.length === 0 ? (
        <div className={classes.inset}>
          <EmptyState title="No webhooks">
            Let your chat, your deployments or your data warehouse know when a test has a winner, feedback
            arrives or somebody changes a flag. Requests are signed, so that your receiver can tell them from
            others.
          </EmptyState>
        </div>
      ) : (
        <StackedTable head={['Name', 'URL', 'Events', 'State', 'Created']}>
          {webhooks.map(({ id, name, url, events, enabled, createdAt }) => (
            <tr key={id}>
              <td data-label="Name">
                <PropertyLink to="settings" search={{ tab: 'webhooks', webhook: id }}>
                  {name ?? id}
                </PropertyLink>
              </td>
              <td data-label="URL">{url}</td>
              <td data-label="Events">{events?.join(', ')}</td>
              <td data-label="State">
                <span className="badge">{enabled ? 'enabled' : 'disabled'}</span>
              </td>
              <td data-label="Created">
                <RelativeTime at={createdAt} />
              </td>
            </tr>
          ))}
        </StackedTable>
      )}
    </Panel>
  );
}
