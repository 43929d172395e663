import { Menu, UnstyledButton } from '@mantine/core';
import type { PropertyList } from '@switchyard/core/api/management';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Static } from 'typebox';
import { request } from '../../api.ts';
import { Icon } from '../../ui/icon.tsx';
import { useMe } from '../accounts/use-me.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './property-switcher.module.css';

export const propertiesQuery = queryOptions({
  queryKey: ['properties'],
  queryFn: ({ signal }) => request<Static<typeof PropertyList>>('/v1/manage/properties', { signal }),
  staleTime: 60_000,
});

export function PropertySwitcher() {
  const { propertyId, configuration } = useProperty();
  const { account } = useMe();
  const { data } = useQuery(propertiesQuery);
  return (
    <Menu position="bottom-start" width={240}>
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
