import { ActionIcon, type ActionIconProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface IconButtonProps
  extends ActionIconProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> {
  icon: IconName;
  iconSize?: number;
  'aria-label': string;
}

/** A button that is only an icon. */
export const IconButton = ({ icon, iconSize, ...props }: IconButtonProps) => (
  <ActionIcon variant="subtle" color="gray" {...props}>
    <Icon name={icon} {...(iconSize && { size: iconSize })} />
  </ActionIcon>
);
