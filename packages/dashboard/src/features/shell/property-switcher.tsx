import { Menu, UnstyledButton } from '@mantine/core';
import type { PropertyDeletionList, PropertyList } from '@switchyard/core/api/management';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Static } from 'typebox';
import { request } from '../../api.ts';
import { formatCount } from '../../ui/format/format.ts';
import { Icon } from '../../ui/page/icon.tsx';
import { useMe } from '../accounts/use-me.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './property-switcher.module.css';

export const propertiesQuery = queryOptions({
  queryKey: ['properties'],
  queryFn: ({ signal }) => request<Static<typeof PropertyList>>('/v1/manage/properties', { signal }),
  staleTime: 60_000,
});

/** Deleted properties whose events are still being deleted. */
const deletionsQuery = queryOptions({
  queryKey: ['property-deletions'],
  queryFn: async ({ signal }) => {
    const { deletions } = await request<Static<typeof PropertyDeletionList>>(
      '/v1/manage/property-deletions',
      { signal },
    );
    return deletions.filter(({ state }) => state === 'pending');
  },
  refetchInterval: 2000,
});

export function PropertySwitcher() {
  const { propertyId, configuration } = useProperty();
  const { account } = useMe();
  const { data } = useQuery(propertiesQuery);
  const [isOpen, setIsOpen] = useState(false);
  const deletions = useQuery({ ...deletionsQuery, enabled: isOpen && account.isOwner });
  return (
    <Menu position="bottom-start" width={240} onChange={setIsOpen}>
      <Menu.Target>
        <UnstyledButton className={classes.target} aria-label={`Property: ${configuration.property.name}`}>
          <span className={classes.name}>{configuration.property.name}</span>
          <Icon name="chevron" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {data?.properties.map(({ id, name }) => (
          <Menu.Item
            key={id}
            renderRoot={(props) => <Link to={`/p/${id}/overview`} {...props} />}
            rightSection={id === propertyId ? <Icon name="check" /> : undefined}
          >
            {name}
          </Menu.Item>
        ))}
        {account.isOwner && (
          <>
            {deletions.data?.map(({ id, propertyId: deleted, remaining, error }) => (
              <Menu.Label key={id}>
                {deleted}: {error ?? `deleting ${formatCount(remaining)} events …`}
              </Menu.Label>
            ))}
            <Menu.Divider />
            <Menu.Item
              leftSection={<Icon name="plus" />}
              renderRoot={(props) => <Link to="/new-property" {...props} />}
            >
              New property
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
