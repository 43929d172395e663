import { TagsInput } from '@mantine/core';
import '../../ui/style/mantine-form-styles.ts';
import type { PrivacySettings as Privacy } from '@switchyard/core/api/privacy';
import { Check } from '../../ui/fields/check.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { PrivacyPreviewPanel } from './privacy-preview-panel.tsx';
import classes from './settings-page.module.css';
import { useSettingsDraft } from './use-settings-draft.ts';

const FIELDS = ['privacy'] as const;
const PARAMETER = /^[^\s&;=?#]{1,128}$/;

/** What is recorded of URLs, texts and people. */
export function PrivacySettings() {
  const { draft, save, message, reason } = useSettingsDraft('privacy', FIELDS);
  const privacy = draft.value.privacy as Privacy;
  const change = (changes: Partial<Privacy>) => draft.change({ privacy: { ...privacy, ...changes } });
  const wrong = privacy.allowedParameters.find((name) => !PARAMETER.test(name));
  const problem = wrong === undefined ? undefined : `“${wrong}” is not the name of a parameter`;
  return (
    <>
      <fieldset className={classes.sections} disabled={reason !== undefined}>
        <Panel
          title="URLs and texts"
          hint="Applies to what arrives from now on. Pages remove the other parameters before they send anything: give them the same list with the option allowedParameters."
        >
          <div className={classes.fields}>
            <TagsInput
              label="Recorded query parameters"
              description="Besides utm_…, ref, source, and whether there was a click id. All others are removed from URLs and referrers"
              placeholder="page"
              splitChars={[',', ' ', '&']}
              value={[...privacy.allowedParameters]}
              error={problem}
              onChange={(allowedParameters) => change({ allowedParameters })}
            />
            <Check
              label="Mask email addresses, tokens and card numbers"
              description="In URLs, titles, attributes and properties of events"
              checked={privacy.maskValues}
              onChange={(maskValues) => change({ maskValues })}
            />
          </div>
        </Panel>
        <Panel title="Preset" hint="Settings for the French exemption of audience measurement from consent.">
          <Check
            label="CNIL"
            description="User ids are not stored, of referrers only the site, and events for at most 25 months. Pages also need the option preset: “cnil”: their visitor cookie then ends 13 months after it was set and is not shared with other subdomains"
            checked={privacy.preset === 'cnil'}
            onChange={(isOn) => change({ preset: isOn ? 'cnil' : null })}
          />
        </Panel>
      </fieldset>
      {problem === undefined && <PrivacyPreviewPanel privacy={privacy} />}
      <DraftBar
        message={message}
        draft={draft}
        blocked={reason ?? (problem === undefined ? undefined : 'Correct the marked fields first')}
        onSave={() => void save()}
      />
    </>
  );
}
