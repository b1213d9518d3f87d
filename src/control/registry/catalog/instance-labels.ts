import type { ConsulInstance } from '../../../consul/consul-instance.ts';
import { holdsFormat } from '../../../schema/formats.ts';

/** Keys of an instance's metadata that say something else than a label. */
const ofPort: ReadonlySet<string> = new Set(['protocol', 'external']);

/**
 * Labels of an instance: its metadata, and over these its tags of the form `key|value`. Tags of another form are no labels.
 * What is no label for its characters is told.
 */
export function instanceLabels(
  { id, meta, tags }: ConsulInstance,
  problems: string[],
): Readonly<Record<string, string>> {
  const ofMeta = Object.entries(meta).filter(([key]) => !ofPort.has(key));
  const ofTags = tags.flatMap((tag): [string, string][] => {
    const bar = tag.indexOf('|');
    return bar <= 0 ? [] : [[tag.slice(0, bar), tag.slice(bar + 1)]];
  });
  const labels: Record<string, string> = {};
  for (const [key, value] of [...ofMeta, ...ofTags]) {
    if (holdsFormat('label-key', key) && holdsFormat('label-value', value)) labels[key] = value;
    else problems.push(`instance "${id}": "${key}|${value}" is no label, and is left out`);
  }
  return labels;
}
