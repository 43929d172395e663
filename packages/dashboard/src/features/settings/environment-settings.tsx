import { Group } from '@mantine/core';
import { useState } from 'react';
import { propertyPath } from '../../api.ts';
import { Check } from '../../ui/fields/check.tsx';
import { RowAction } from '../../ui/lists/row-action.tsx';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import type { ChangeRequest } from '../changes/change-request.ts';
import { useReview } from '../changes/review-context.tsx';
import type { Environment } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { EnvironmentDialog } from './environment-dialog.tsx';
import classes from './settings-page.module.css';

/** The environments in which flags have their own values. */
export function EnvironmentSettings() {
  const { propertyId, configuration, missingRole } = useProperty();
  const review = useReview();
  const [dialog, setDialog] = useState<{ environment: Environment | undefined }>();
  const reason = missingRole('admin');
  const changeOf = ({ id, version }: Environment): Pick<ChangeRequest, 'path' | 'version' | 'item'> => ({
    path: propertyPath(propertyId, 'environments', id),
    version,
    item: { type: 'environment', key: id },
  });
  const protect = (environment: Environment) =>
    review({
      ...changeOf(environment),
      title: `${environment.protected ? 'Stop protecting' : 'Protect'} ${environment.name}`,
      method: 'PATCH',
      body: { protected: !environment.protected },
    });
  const remove = (environment: Environment) =>
    review({
      ...changeOf(environment),
      title: `Delete the environment ${environment.name}`,
      confirmLabel: 'Delete',
      isDestructive: true,
      method: 'DELETE',
    });
  return (
    <Panel
      title="Environments"
      hint="Flags have their own rules in each. In a protected environment, changes by editors wait for an admin, and every change needs a comment."
      flush
      actions={
        <ReasonButton
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" />}
          reason={reason}
          onClick={() => setDialog({ environment: undefined })}
        >
          New environment
        </ReasonButton>
      }
    >
      {reason && <p className={`dimmed ${classes.inset}`}>Changing environments: {reason.toLowerCase()}.</p>}
      <StackedTable head={['Name', 'Id', 'Flags', 'Protected', '']}>
        {configuration.environments.map((environment) => (
          <tr key={environment.id}>
            <td data-label="Name">{environment.name}</td>
            <td data-label="Id">
              <code>{environment.id}</code>
            </td>
            <td data-label="Flags">
              {configuration.flags.filter(({ environments }) => environment.id in environments).length}
            </td>
            <td data-label="Protected">
              <Check
                kind="switch"
                aria-label={`Protect ${environment.name}`}
                checked={environment.protected}
                disabled={reason !== undefined}
                title={reason}
                onChange={() => void protect(environment)}
              />
            </td>
            <td>
              <Group gap={4} justify="flex-end">
                <RowAction
                  label={`Rename ${environment.name}`}
                  reason={reason}
                  onClick={() => setDialog({ environment })}
                >
                  Rename
                </RowAction>
                <RowAction
                  label={`Delete ${environment.name}`}
                  reason={reason}
                  isDestructive
                  onClick={() => void remove(environment)}
                >
                  Delete
                </RowAction>
              </Group>
            </td>
          </tr>
        ))}
      </StackedTable>
      {dialog && <EnvironmentDialog environment={dialog.environment} onClose={() => setDialog(undefined)} />}
    </Panel>
  );
}
