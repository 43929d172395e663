import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import { Icon } from './icon.tsx';

/** Something that could not be loaded: says why, and offers to try again. */
export function LoadError(props: { title: string; message: string; onRetry?: (() => void) | undefined }) {
  return (
    <Alert color="red" variant="light" role="alert" title={props.title} icon={<Icon name="warning" />}>
      {props.message}
      {props.onRetry && (
        <div>
          <Button mt="xs" size="xs" variant="default" onClick={props.onRetry}>
            Try again
          </Button>
        </div>
      )}
    </Alert>
  );
}

/** Shown while the configuration of a property is loaded for the first time. */
export function PageSkeleton() {
  return (
    <Stack aria-busy="true" aria-label="Loading" role="status" p="md">
      <Skeleton height={24} width={180} />
      <Skeleton height={120} />
      <Skeleton height={240} />
    </Stack>
  );
}
