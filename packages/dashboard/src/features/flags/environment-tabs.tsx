import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/page/icon.tsx';
import type { Environment, Flag } from '../configuration/configuration-types.ts';
import classes from './environment-tabs.module.css';

interface EnvironmentTabsProps {
  flag: Flag;
  environments: readonly Environment[];
  value: string;
  onChange: (environmentId: string) => void;
  children: ReactNode;
}

/** Chooses the environment to look at. */
export function EnvironmentTabs({ flag, environments, value, onChange, children }: EnvironmentTabsProps) {
  return (
    <Tabs variant="pills" value={value} onChange={(id) => id && onChange(id)} keepMounted={false}>
      <Tabs.List aria-label="Environment" mb="sm" className={classes.list}>
        {environments.map(({ id, name, protected: isProtected }) => (
          <Tabs.Tab
            key={id}
            value={id}
            leftSection={isProtected ? <Icon name="lock" size={13} /> : undefined}
            rightSection={
              <span className={classes.state}>{flag.environments[id]?.enabled ? 'On' : 'Off'}</span>
            }
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={value}>{children}</Tabs.Panel>
    </Tabs>
  );
}
