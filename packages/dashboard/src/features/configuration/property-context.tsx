import { hasRole, type Role } from '@switchyard/core/api/role-order';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { messageOf } from '../../api.ts';
import { showTimesIn } from '../../ui/format/display-zone.ts';
import { LoadError, PageSkeleton } from '../../ui/page/page-states.tsx';
import { useMe } from '../accounts/use-me.ts';
import { configurationKey, loadConfiguration } from './configuration-cache.ts';
import { followConfiguration } from './configuration-stream.ts';
import type { Configuration } from './configuration-types.ts';

export interface PropertyContext {
  propertyId: string;
  configuration: Configuration;
  role: Role;
  /** Whether the role allows what `needed` allows. */
  may: (needed: Role) => boolean;
  /** "You need the editor role"; undefined if the account has it. */
  missingRole: (needed: Role) => string | undefined;
  /** Whether changes of others arrive at the moment. */
  isLive: boolean;
}

const Context = createContext<PropertyContext | undefined>(undefined);

/** The property of the current page: its configuration from memory, and what the account may do. */
export function useProperty(): PropertyContext {
  const value = useContext(Context);
  if (value === undefined) throw new Error('useProperty is used outside of a property page');
  return value;
}

export function PropertyProvider({ propertyId, children }: { propertyId: string; children: ReactNode }) {
  const client = useQueryClient();
  const me = useMe();
  const [isLive, setLive] = useState(true);
  // Both start at once; when the stream is open, it asks for changes that fell between the two.
  useEffect(() => followConfiguration(client, propertyId, setLive), [client, propertyId]);
  const { data, error, refetch } = useQuery({
    queryKey: configurationKey(propertyId),
    queryFn: ({ signal }) => loadConfiguration(client, propertyId, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const role: Role = me.roles[propertyId] ?? 'viewer';
  const value = useMemo(
    () =>
      data && {
        propertyId,
        configuration: data.configuration,
        role,
        may: (needed: Role) => hasRole(role, needed),
        missingRole: (needed: Role) => (hasRole(role, needed) ? undefined : `You need the ${needed} role`),
        isLive,
      },
    [data, propertyId, role, isLive],
  );
  if (value !== undefined) {
    showTimesIn(value.configuration.property.timeZone);
    return <Context value={value}>{children}</Context>;
  }
  if (error) {
    return (
      <LoadError
        title="Cannot load this property"
        message={messageOf(error)}
        onRetry={() => void refetch()}
      />
    );
  }
  return <PageSkeleton />;
}
