import { Link } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import { useProperty } from './property-context.tsx';

interface PropertyLinkProps extends Omit<ComponentPropsWithRef<'a'>, 'href'> {
  /** Path below the property with encoded segments, such as `flags/new-checkout`. */
  to: string;
  search?: Record<string, string | undefined>;
}

/** A link to a page of the current property. */
export function PropertyLink({ to, search, ...props }: PropertyLinkProps) {
  const { propertyId } = useProperty();
  return <Link to={`/p/${propertyId}/${to}`} search={(search ?? {}) as never} {...props} />;
}
