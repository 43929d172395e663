import { Tabs } from '@mantine/core';
import type { ComponentType } from 'react';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { Page } from '../../ui/page/page.tsx';
import { DangerSettings } from './danger-settings.tsx';
import { EnvironmentSettings } from './environment-settings.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { MemberSettings } from './member-settings.tsx';
import { PrivacySettings } from './privacy-settings.tsx';
import classes from './settings-page.module.css';
import { StatisticsSettings } from './statistics-settings.tsx';
import { WebhookSettings } from './webhooks/webhook-settings.tsx';

const URL_DEFAULTS = { tab: 'general', webhook: '' } as const;

const TABS: Record<string, { label: string; Content: ComponentType }> = {
  general: { label: 'General', Content: GeneralSettings },
  privacy: { label: 'Privacy', Content: PrivacySettings },
  statistics: { label: 'Statistics', Content: StatisticsSettings },
  environments: { label: 'Environments', Content: EnvironmentSettings },
  members: { label: 'Members', Content: MemberSettings },
  webhooks: { label: 'Webhooks', Content: WebhookSettings },
  danger: { label: 'Danger zone', Content: DangerSettings },
};

export function SettingsPage() {
  const [url, change] = useUrlState(URL_DEFAULTS);
  const tab = url.tab in TABS ? url.tab : 'general';
  return (
    <Page title="Settings">
      <Tabs
        value={tab}
        onChange={(value) => change({ tab: value ?? undefined, webhook: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {Object.entries(TABS).map(([value, { label }]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(TABS).map(([value, { Content }]) => (
          <Tabs.Panel key={value} value={value} className={classes.tab}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
