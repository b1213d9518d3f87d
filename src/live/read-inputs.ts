import { readSettings } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SourceFile } from '../source/document.ts';
import { SourceError } from '../source/find.ts';
import { type ReadThrough, readSources } from '../source/read.ts';
import { readHostFacts } from './host-facts.ts';
import type { ProxyInputs } from './proxy-inputs.ts';
import { readUserBootstrap } from './read-bootstrap.ts';
import { readTemplates } from './read-templates.ts';
import type { CompilerInputs } from './remember-compiler.ts';

/** What does not stand in policies: settings, templates, the user's bootstrap, facts of the machine. */
export async function readFixed(
  inputs: ProxyInputs,
  addresses: readonly string[],
  bag: DiagnosticBag,
): Promise<{ readonly value: CompilerInputs | undefined; readonly texts: readonly SourceFile[] }> {
  const { settings, sources } = await readSettings(inputs.settings, bag);
  const templates =
    inputs.templateFile === undefined ? undefined : await readTemplates(inputs.templateFile, bag, { filesOnly: true });
  const texts: SourceFile[] = [...sources, ...(templates?.files ?? [])];
  const custom = settings.proxy.customConfigFile || undefined;
  const bootstrap = await readUserBootstrap({ custom, override: inputs.bootstrapOverride }, bag, texts);
  const { environment, podInfo } = inputs.settings;
  const { memoryLimitBytes, descriptorLimit } = inputs;
  const machine = { memoryLimitBytes, descriptorLimit, addresses };
  const host = await readHostFacts({ environment, podInfo, ...machine }, settings, bag, texts);
  return { value: bag.hasErrors ? undefined : { settings, templates: templates?.value, host, bootstrap }, texts };
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
    return { sources, files: await readSources(sources, bag, { filesOnly: true, through }) };
  } catch (error) {
    if (error instanceof UsageError) return { problems: [error.message] };
    if (error instanceof SourceError) return { sources, failure: error };
    throw error;
  }
}

/** Folders of `configSources`; a control plane is refused by name. */
export function folderSources({ configSources }: Settings): readonly string[] {
  return configSources.map((address) => {
    if (address.startsWith('fs://')) return address.slice('fs://'.length);
    throw new UsageError(`not supported yet: configSources "${address}" (fs:///path is)`);
  });
}
