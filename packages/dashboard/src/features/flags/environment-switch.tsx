import { Tooltip } from '@mantine/core';
import { useState } from 'react';
import { propertyPath } from '../../api.ts';
import { Check } from '../../ui/fields/check.tsx';
import { useReview } from '../changes/review-context.tsx';
import type { Environment, Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { newConfiguration } from './flag-configuration.ts';

interface EnvironmentSwitchProps {
  flag: Flag;
  environment: Environment;
  /** Told how it ended, to announce it. */
  onFinish: (message: string) => void;
}

/** Switches a flag on or off after a review. It shows the stored state, never what is only hoped for. */
export function EnvironmentSwitch({ flag, environment, onFinish }: EnvironmentSwitchProps) {
  const { propertyId, may } = useProperty();
  const review = useReview();
  const [isChanging, setChanging] = useState(false);
  const configuration = flag.environments[environment.id];
  const isOn = configuration?.enabled ?? false;
  const toggle = async () => {
    setChanging(true);
    const patch = configuration ? { enabled: !isOn } : { ...newConfiguration(flag), enabled: true };
    const body = { environments: { [environment.id]: patch } };
    const definition = {
      ...flag,
      environments: { ...flag.environments, [environment.id]: { ...configuration, ...patch } },
    };
    const { outcome } = await review({
      title: `Switch ${isOn ? 'off' : 'on'} ${flag.name} in ${environment.name}`,
      confirmLabel: isOn ? 'Switch off' : 'Switch on',
      method: 'PATCH',
      path: propertyPath(propertyId, 'flags', flag.key),
      body,
      version: flag.version,
      item: { type: 'flag', key: flag.key },
      impact: { type: 'flag', key: flag.key, definition },
      environments: [environment.id],
    });
    setChanging(false);
    const now = (isNowOn: boolean) => `${flag.name} is ${isNowOn ? 'on' : 'off'} in ${environment.name}`;
    if (outcome === 'saved') onFinish(`${now(!isOn)}.`);
    if (outcome === 'proposed') onFinish(`Proposed: ${now(isOn)} until an admin approves the change.`);
  };
  const isAllowed = may('editor');
  const label = `${flag.name} in ${environment.name}`;
  const control = (
    <Check
      kind="switch"
      aria-label={isChanging ? `${label}, saving` : label}
      checked={isOn}
      // Not `disabled`, so that the focus stays and the reason can be read.
      aria-disabled={!isAllowed || isChanging}
      aria-description={isAllowed ? undefined : 'You need the editor role'}
      aria-busy={isChanging}
      onChange={() => {
        if (isAllowed && !isChanging) void toggle();
      }}
    />
  );
  // The list has a switch per flag and environment, and a tooltip takes as long to draw as the switch.
  if (isAllowed) return control;
  return (
    <Tooltip label="You need the editor role">
      <span>{control}</span>
    </Tooltip>
  );
}
