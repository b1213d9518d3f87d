import { manifestParts } from '../generated/manifest-parts.ts';

/** Settings of an installation of `meshd`. */
export interface ManifestSettings {
  readonly namespace: string;
  /** `default`, or the name of a control plane beside it. */
  readonly revision: string;
  /** Of a container with `meshd`. */
  readonly image: string;
  readonly replicas: number;
  /** YAML. */
  readonly meshConfig: string;
}

/** Texts in place of `${...}` in the files of `deploy/manifest`. */
export type ManifestTexts = Readonly<Record<ManifestHole, string>>;

export type ManifestHole = keyof ManifestSettings | 'name' | 'clusterName' | 'settings' | 'validator' | 'injector';

export type ManifestPart = keyof typeof manifestParts;

/** In the order in which a cluster takes them. */
export const manifestOrder: readonly ManifestPart[] = [
  ...(['namespace', 'rights', 'settings', 'services', 'workload', 'network', 'validation', 'injection'] as const),
];

/** The names that follow from a namespace and a revision; Istio's control plane knows revisions in the same way. */
export function namesOf({
  namespace,
  revision,
}: Pick<ManifestSettings, 'namespace' | 'revision'>): Pick<
  ManifestTexts,
  'name' | 'clusterName' | 'settings' | 'validator' | 'injector'
> {
  const suffix = revision === 'default' ? '' : `-${revision}`;
  const name = `meshd${suffix}`;
  return {
    ...{ name, clusterName: `${name}-${namespace}`, settings: `mesh${suffix}` },
    ...{ validator: `mesh-validator${suffix}`, injector: `mesh-sidecar-injector${suffix}` },
  };
}

/** One annotated YAML text with all objects of an installation but the definitions of kinds, or with those of some parts. */
export function manifestText(settings: ManifestSettings, parts = manifestOrder): string {
  const { replicas, meshConfig, ...rest } = settings;
  const texts = {
    ...{ ...rest, ...namesOf(settings), replicas: String(replicas) },
    // In a block scalar, below its key.
    meshConfig: meshConfig.trimEnd().replaceAll('\n', '\n    '),
  };
  const isDefault = settings.revision === 'default';
  return parts.map((part) => onlyOf(isDefault, partText(part, texts))).join('---\n');
}

/** What stands between these lines is for the default revision. */
const conditional = /^#if default\n([\s\S]*?)^#end\n/gm;

function onlyOf(isDefault: boolean, text: string): string {
  return text.replace(conditional, isDefault ? '$1' : '');
}

/** One file of `deploy/manifest` with its texts. */
export function partText(part: ManifestPart, texts: ManifestTexts): string {
  return manifestParts[part].replace(/\$\{(\w+)\}/g, (_, hole: string) => {
    if (!Object.hasOwn(texts, hole)) throw new Error(`nobody knows what "${hole}" of ${part}.yaml is`);
    return texts[hole as ManifestHole];
  });
}
