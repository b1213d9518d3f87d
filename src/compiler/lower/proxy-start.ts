import { metadataOrigin } from '../../config/draft.ts';
import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { EffectiveProxyConfigs } from '../merge/effective.ts';
import type { Workload } from '../topology/model.ts';
import { annotatedConfig } from './annotated-config.ts';

/** What of a workload its proxy's start depends on; `object` is absent where the mesh is not known. */
export type StartedWorkload = Omit<Workload, 'object' | 'identity' | 'isReady' | 'kind' | 'namedPorts' | 'targets'> & {
  readonly object?: Workload['object'];
};

/** How one proxy is started, as far as objects of the inputs say more than the settings. */
export interface ProxyStart {
  /** Worker threads; 0: one a processor; undefined: as the settings say. */
  readonly concurrency: number | undefined;
  /** `proxyMetadata` of the settings with what objects say over it. */
  readonly variables: Readonly<Record<string, string>>;
  /** What injection would run; undefined: no object says so. */
  readonly imageType: string | undefined;
}

/**
 * ProxyConfigs in Istio's order, the later over the earlier: mesh configuration, mesh, namespace, annotation of the pod
 * and variables of its machine, workload. A flag of the agent is over all of them.
 */
export function proxyStart(
  workload: StartedWorkload,
  { mesh, namespace, workload: own }: EffectiveProxyConfigs,
  settings: Settings,
  bag: DiagnosticBag,
): ProxyStart {
  const { object } = workload;
  const annotated: ReturnType<typeof annotatedConfig> =
    object === undefined ? {} : annotatedConfig({ ...workload, object }, bag);
  const wide = [mesh?.spec, namespace?.spec].filter((spec) => spec !== undefined);
  const isSaid = (name: string): boolean => sourcesOfOne.has(settings.origins[name]?.source ?? '');
  return {
    concurrency: concurrency(),
    variables: {
      ...settings.proxy.proxyMetadata,
      ...Object.fromEntries(wide.flatMap(({ environmentVariables = {} }) => unsaid(environmentVariables))),
      ...Object.fromEntries(unsaid(annotated.proxyMetadata ?? {})),
      ...own?.spec.environmentVariables,
    },
    imageType: [mesh, namespace, own].findLast((config) => config?.spec.image?.imageType)?.spec.image?.imageType,
  };

  function concurrency(): number | undefined {
    if (settings.origins['proxy.concurrency']?.source === 'flag') return undefined;
    if (own?.spec.concurrency !== undefined) return own.spec.concurrency;
    if (isSaid('proxy.concurrency')) return undefined;
    return annotated.concurrency ?? wide.findLast((spec) => spec.concurrency !== undefined)?.concurrency;
  }

  function unsaid(variables: Readonly<Record<string, string>>): [string, string][] {
    return Object.entries(variables).filter(([key]) => !isSaid(metadataOrigin(key)));
  }
}

/** Sources that speak of one proxy alone. */
const sourcesOfOne: ReadonlySet<string> = new Set(['annotation', 'variable', 'flag']);
