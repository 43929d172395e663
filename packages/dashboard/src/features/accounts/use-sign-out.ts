import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../../api.ts';
import { changeAccount } from './use-me.ts';

/** Ends the session, and leaves only when the server has confirmed it. */
export function useSignOut() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => request('/v1/manage/sign-out', { method: 'POST' }),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      changeAccount(client, false);
    },
  });
}
