import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useProperty } from './property-context.tsx';

/** Opens a page of the current property; `path` has encoded segments, such as `flags/new-checkout`. */
export function usePropertyNavigate(): (path: string, search?: Record<string, string>) => void {
  const { propertyId } = useProperty();
  const navigate = useNavigate();
  return useCallback(
    (path, search = {}) => void navigate({ to: `/p/${propertyId}/${path}`, search: search as never }),
    [navigate, propertyId],
  );
}
