import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { messageOf, request } from '../../../api.ts';
import { Icon } from '../../../ui/page/icon.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { type ReportedTest, resultsOf } from '../reported-test.ts';
import classes from './report-panel.module.css';
import type { Results } from './results-types.ts';

const FILES = {
  csv: { label: 'Counts (CSV)', type: 'text/csv', extension: '.csv' },
  json: { label: 'Results (JSON)', type: 'application/json', extension: '-results.json' },
  bundle: { label: 'Verdict bundle', type: 'application/json', extension: '.json' },
} as const;
type Format = keyof typeof FILES;

/** Downloads of the phase that is shown. A failed download says why. */
export function ExportButtons({ test, results }: { test: ReportedTest; results: Results }) {
  const { propertyId } = useProperty();
  const { phase, bots } = results;
  const { endpoint, query, file } = resultsOf(test);
  const download = useMutation({
    mutationFn: async (format: Format) => {
      const content =
        format === 'json'
          ? results
          : await request<string | object>(`${endpoint}/export`, {
              query: { propertyId, ...query, phase: phase?.number, bots, format },
            });
      const { type, extension } = FILES[format];
      const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
      saveFile(`${file}${extension}`, new Blob([text], { type }));
    },
  });
  return (
    <div className={classes.exports}>
      {(Object.keys(FILES) as Format[]).map((format) => (
        <Button
          key={format}
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={14} />}
          loading={download.isPending && download.variables === format}
          onClick={() => download.mutate(format)}
        >
          {FILES[format].label}
        </Button>
      ))}
      {download.error && (
        <span role="alert" className="bad">
          The file could not be created. {messageOf(download.error)}
        </span>
      )}
    </div>
  );
}

function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
