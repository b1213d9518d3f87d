import type { Settings } from '../../config/settings.ts';
import type { BootstrapIR } from '../ir/proxy.ts';

type Kept = Pick<BootstrapIR, 'statsInclusion' | 'extraStatTags'>;

const annotation = (name: string): string => `sidecar.mesh.io/${name}`;

/**
 * Statistics and tags that are kept beside those that the product needs: of the proxy's configuration, and of the pod's
 * annotations, whose lists are split at commas. `{pod_ip}` stands for each address of the pod.
 */
export function keptStatistics(
  { proxy }: Settings,
  annotations: Readonly<Record<string, string>>,
  addresses: readonly string[],
): Kept {
  const listed = (name: string): readonly string[] =>
    (annotations[annotation(name)] ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  const expanded = (entries: readonly string[], quote = (address: string): string => address): readonly string[] => [
    ...new Set(
      entries.flatMap((entry) =>
        entry.includes('{pod_ip}') ? addresses.map((address) => entry.replaceAll('{pod_ip}', quote(address))) : [entry],
      ),
    ),
  ];
  return {
    statsInclusion: {
      prefixes: expanded([...proxy.statsInclusionPrefixes, ...listed('statsInclusionPrefixes')]),
      suffixes: expanded([...proxy.statsInclusionSuffixes, ...listed('statsInclusionSuffixes')]),
      regexps: expanded([...proxy.statsInclusionRegexps, ...listed('statsInclusionRegexps')], (address) =>
        address.replaceAll('.', '\\.'),
      ),
    },
    extraStatTags: [...new Set([...proxy.extraStatTags, ...listed('extraStatTags')])],
  };
}
