import { join } from 'node:path';
import { withOurNames } from '../config/annotations.ts';
import type { Environment } from '../config/environment.ts';
import type { HostFacts } from '../config/host-facts.ts';
import { readNodeVariables } from '../config/node-variables.ts';
import { parsePodInfo } from '../config/pod-info.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readNamedText } from '../lib/read-file.ts';
import { version } from '../lib/version.ts';
import type { SourceFile } from '../source/document.ts';

export interface HostSources {
  readonly environment: Environment;
  /** Folder whose files `labels` and `annotations` tell of the pod; either may be absent. */
  readonly podInfo: string | undefined;
  /** Of the container; undefined without a limit. */
  readonly memoryLimitBytes: number | undefined;
  readonly descriptorLimit?: number | undefined;
  readonly addresses: readonly string[];
}

/** A label that tells of a rollout, not of the workload: metadata that changed with it would be no metadata. */
const rolloutLabel = 'pod-template-hash';

/** What this machine adds to the bootstrap. `texts` gets the files that were read, for diagnostics that point into them. */
export async function readHostFacts(
  { environment, podInfo, memoryLimitBytes, descriptorLimit, addresses }: HostSources,
  settings: Settings,
  bag: DiagnosticBag,
  texts: SourceFile[],
): Promise<HostFacts> {
  const variables = readNodeVariables(environment, bag);
  const [ofFile, annotations] = await Promise.all(
    ['labels', 'annotations'].map(async (name) => {
      const file = podInfo === undefined ? undefined : await readOptional(join(podInfo, name));
      if (file === undefined) return {};
      // Annotations are read, and told of, where settings are: they may hold secrets.
      if (name === 'labels') texts.push(file);
      return parsePodInfo(file, name === 'labels' ? bag : new DiagnosticBag());
    }),
  );
  const { [rolloutLabel]: _rollout, ...labels }: Record<string, string> = withOurNames({
    ...variables.labels,
    ...ofFile,
  });
  return {
    memoryLimitBytes,
    descriptorLimit,
    addresses,
    labels,
    annotations: withOurNames(annotations ?? {}),
    metadata: { MESH_VERSION: version, PROXY_CONFIG: shown(settings), ...variables.metadata },
  };
}

/** The effective proxy configuration as peers and people may see it. */
function shown({ proxy }: Settings): object {
  const { configPath, serviceCluster, drainDurationMs, adminPort, statusPort, discoveryAddress } = proxy;
  return {
    configPath,
    serviceCluster,
    drainDuration: `${drainDurationMs / 1000}s`,
    proxyAdminPort: adminPort,
    statusPort,
    ...(discoveryAddress === '' ? {} : { discoveryAddress }),
    ...(proxy.concurrency === undefined ? {} : { concurrency: proxy.concurrency }),
  };
}

async function readOptional(path: string): Promise<SourceFile | undefined> {
  try {
    return { path, text: await readNamedText(path, 'utf8') };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`cannot read "${path}"`, { cause });
  }
}
