import { Alert, Tabs } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { propertyPath } from '../../api.ts';
import { plural } from '../../ui/format/format.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { CopyAction } from '../../ui/page/copy-action.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { lazyPart } from '../../ui/page/lazy-part.ts';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { TwoColumns } from '../../ui/page/two-columns.tsx';
import { DeleteItemPanel } from '../changes/delete-item-panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { OpenProposals } from '../changes/open-proposals.tsx';
import { useDraft } from '../changes/use-draft.ts';
import { useSaveDraft } from '../changes/use-save-draft.ts';
import type { Flag } from '../configuration/configuration-types.ts';
import { ItemNotFound } from '../configuration/item-not-found.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ItemHistory } from '../history/item-history.tsx';
import { CompareEnvironments } from './compare-environments.tsx';
import { EnvironmentEditor } from './environment-editor.tsx';
import { EnvironmentTabs } from './environment-tabs.tsx';
import { FlagDetailsPanel } from './flag-details-panel.tsx';
import classes from './flag-page.module.css';
import { FlagUsagePanel } from './flag-usage-panel.tsx';
import { flagUses } from './flag-uses.ts';
import { TryFlag } from './try/try-flag.tsx';

/** Few rollouts have guardrails. */
const RolloutStates = lazyPart(() =>
  import('../guarded-rollouts/rollout-states.tsx').then((module) => module.RolloutStates),
);

/** One flag. */
export function FlagPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const { configuration } = useProperty();
  const flag = configuration.flags.find((each) => each.key === key);
  if (flag !== undefined) return <FlagEditor key={key} stored={flag} />;
  return <ItemNotFound noun="flag" id={key} list="flags" listName="Back to the list" />;
}

/** What the page shows, in the URL. */
const VIEW = { tab: 'environments', env: '' };

function FlagEditor({ stored }: { stored: Flag }) {
  const { propertyId, configuration, may } = useProperty();
  const [view, setView] = useUrlState(VIEW);
  const draft = useDraft<Flag>(`${propertyId}/flags/${stored.key}`, stored, stored.version);
  const flag = draft.value;
  const { save, errors, errorCount, isChecking, message } = useSaveDraft(draft, {
    title: `Save flag ${flag.name}`,
    method: 'PUT',
    path: propertyPath(propertyId, 'flags', flag.key),
    body: flag,
    item: { type: 'flag', key: flag.key },
    impact: { type: 'flag', key: flag.key, definition: flag },
  });
  const { environments } = configuration;
  const environment = environments.find(({ id }) => id === view.env) ?? environments[0]!;
  const disabled = !may('editor');
  return (
    <Page
      title={stored.name}
      badges={
        <span className={classes.key}>
          <code>{stored.key}</code>
          <CopyAction text={stored.key} label="Copy key" />
        </span>
      }
      description={stored.description}
      actions={<PropertyLink to="flags">Back to the list</PropertyLink>}
    >
      <OpenProposals flagKey={stored.key} />
      <Tabs value={view.tab} onChange={(tab) => setView({ tab: tab ?? undefined })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="environments">Environments</Tabs.Tab>
          <Tabs.Tab value="try">Try it</Tabs.Tab>
          <Tabs.Tab value="compare">Compare</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="environments">
          {errorCount > 0 && (
            <Alert color="red" role="alert" mb="md" icon={<Icon name="warning" />}>
              {plural(errorCount, 'field is', 'fields are')} not valid; see the messages below
              {otherEnvironments(errors, environments, environment.id)}.
            </Alert>
          )}
          <TwoColumns
            main={
              <>
                <EnvironmentTabs
                  flag={flag}
                  environments={environments}
                  value={environment.id}
                  onChange={(env) => setView({ env })}
                >
                  <Suspense>
                    <RolloutStates flag={stored} environment={environment} />
                  </Suspense>
                  <EnvironmentEditor
                    key={environment.id}
                    flag={flag}
                    stored={stored}
                    environment={environment}
                    onChange={draft.change}
                    errors={errors}
                    disabled={disabled}
                  />
                </EnvironmentTabs>
                <FlagUsagePanel flag={stored} />
              </>
            }
            side={
              <>
                <FlagDetailsPanel flag={flag} onChange={draft.change} errors={errors} disabled={disabled} />
                <DeleteItemPanel
                  type="flag"
                  item={{ ...stored, id: stored.key }}
                  uses={flagUses(configuration, stored.key)}
                  list="flags"
                >
                  Code that asks for a deleted flag gets the fallback in the code.
                </DeleteItemPanel>
              </>
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="try">
          <TryFlag flag={flag} isDraft={draft.isDirty} />
        </Tabs.Panel>
        <Tabs.Panel value="compare">
          <CompareEnvironments flag={stored} isDraft={draft.isDirty} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Panel title="History">
            <ItemHistory type="flag" itemKey={stored.key} />
          </Panel>
        </Tabs.Panel>
      </Tabs>
      {(view.tab === VIEW.tab || draft.isDirty) && (
        <DraftBar
          draft={draft}
          message={message}
          onSave={() => void save()}
          blocked={disabled ? 'You need the editor role' : isChecking ? 'Checking …' : undefined}
        />
      )}
    </Page>
  );
}

/** Mistakes in environments that are not in view. */
function otherEnvironments(
  errors: (pointer: string) => string | undefined,
  environments: readonly { id: string; name: string }[],
  shown: string,
): string {
  const others = environments.filter(({ id }) => id !== shown && errors(`/environments/${id}`) !== undefined);
  return others.length === 0 ? '' : ` and in ${others.map(({ name }) => name).join(', ')}`;
}
