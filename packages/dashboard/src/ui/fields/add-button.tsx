import { Button, type ButtonProps } from '@mantine/core';
import { Icon } from '../page/icon.tsx';

interface AddButtonProps extends ButtonProps {
  onClick: () => void;
  title?: string | undefined;
  children: string;
}

/** Adds an entry to the list of fields above it. */
export const AddButton = (props: AddButtonProps) => (
  <Button size="xs" variant="default" leftSection={<Icon name="plus" size={14} />} {...props} />
);
