import { readSettings } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SourceFile } from '../source/document.ts';
import { SourceError } from '../source/find.ts';
import type { ReadThrough } from '../source/read.ts';
import type { FixedInputs } from './fixed-inputs.ts';
import { folderSources } from './folder-sources.ts';
import { readHostFacts } from './host-facts.ts';
import type { ProxyInputs } from './proxy-inputs.ts';
import { readBootstrapTexts, shownTexts } from './read-bootstrap.ts';
import { readSettledSources } from './read-settled.ts';
import { readTemplateFiles } from './read-templates.ts';

/** What does not stand in policies; with mistakes of settings in the bag, but not those of templates and bootstraps. */
export async function readFixed(
  inputs: ProxyInputs,
  addresses: readonly string[],
  bag: DiagnosticBag,
): Promise<FixedInputs> {
  const { settings, sources } = await readSettings(inputs.settings, bag);
  const { templateFile } = inputs;
  const templates = templateFile === undefined ? undefined : await readTemplateFiles(templateFile, false);
  const custom = settings.proxy.customConfigFile || undefined;
  const bootstrap = await readBootstrapTexts({ custom, override: inputs.bootstrapOverride });
  const texts: SourceFile[] = [...sources, ...(templates ?? []), ...shownTexts(bootstrap)];
  const { environment, podInfo } = inputs.settings;
  const { memoryLimitBytes, descriptorLimit, readsGatewayApi = false } = inputs;
  const machine = { memoryLimitBytes, descriptorLimit, addresses };
  const host = await readHostFacts({ environment, podInfo, ...machine }, settings, bag, texts);
  return { settings, templates, host, bootstrap, readsGatewayApi, texts };
}

type ReadPolicies =
  | { readonly problems: readonly string[] }
  | { readonly sources: readonly string[]; readonly failure: Error }
  | { readonly sources: readonly string[]; readonly files: readonly SourceFile[] };

/** A folder that cannot be read is followed all the same: it may come, or come back. */
export async function readPolicies(
  policies: readonly string[],
  settings: Settings,
  bag: DiagnosticBag,
  through: ReadThrough,
): Promise<ReadPolicies> {
  let sources: readonly string[] = policies;
  try {
    sources = [...policies, ...folderSources(settings)];
    return { sources, files: await readSettledSources(sources, bag, { filesOnly: true, through }) };
  } catch (error) {
    if (error instanceof UsageError) return { problems: [error.message] };
    if (error instanceof SourceError) return { sources, failure: error };
    throw error;
  }
}
