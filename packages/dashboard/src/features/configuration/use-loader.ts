import { useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';

/** The script element that loads the browser SDK without delaying a page; `undefined` until it is known. */
export function useLoader(): string | undefined {
  const { data } = useQuery({
    queryKey: ['sdk-loader'],
    queryFn: ({ signal }) => request<string>('/sdk-loader.js', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data && `<script data-sdk="${location.origin}/sdk.js">\n  ${data.trim()}\n</script>`;
}
