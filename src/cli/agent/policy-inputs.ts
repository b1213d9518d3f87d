import type { Settings } from '../../config/settings.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { folderSources } from '../../live/folder-sources.ts';

/** What `--policies` names; throws a UsageError for what cannot be followed. */
export function policiesOf(policies: readonly string[] = []): readonly string[] {
  if (policies.includes('-'))
    throw new UsageError('--policies: standard input cannot be followed; name files or folders');
  return policies;
}

/** Files and folders that hold policies; throws a UsageError when nothing names any. */
export function inputsOf(policies: readonly string[], settings: Settings): readonly string[] {
  const inputs = [...policies, ...folderSources(settings)];
  if (inputs.length === 0)
    throw new UsageError(
      'no policies: give --policies PATH, or configSources or discoveryAddress in the mesh configuration',
    );
  return inputs;
}
