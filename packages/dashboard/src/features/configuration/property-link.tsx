import { useRouter } from '@tanstack/react-router';
import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { useProperty } from './property-context.tsx';

interface PropertyLinkProps extends Omit<ComponentPropsWithRef<'a'>, 'href'> {
  /** Path below the property with encoded segments, such as `flags/new-checkout`. */
  to: string;
  search?: Record<string, string | undefined>;
}

/**
 * A link to a page of the current property. The router's own link follows every navigation to know whether it is
 * active, which takes most of the time of opening a page with a hundred links.
 */
export function PropertyLink({ to, search = {}, onClick, ...props }: PropertyLinkProps) {
  const { propertyId } = useProperty();
  const router = useRouter();
  const path = `/p/${propertyId}/${to}`;
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || isForBrowser(event)) return;
    event.preventDefault();
    void router.navigate({ to: path, search: search as never });
  };
  return <a href={path + router.options.stringifySearch(search)} onClick={open} {...props} />;
}

/** Such as a click with Ctrl, which opens a new tab. */
const isForBrowser = ({
  button,
  ctrlKey,
  metaKey,
  shiftKey,
  altKey,
  currentTarget,
}: MouseEvent<HTMLAnchorElement>) =>
  button !== 0 || ctrlKey || metaKey || shiftKey || altKey || currentTarget.target === '_blank';
