import { byOurKeys } from '../../../policy/alias.ts';
import type { SourceFile } from '../../../source/document.ts';
import { listenerSecrets } from './listener-secrets.ts';
import { isSecretName, keyOf, type SecretName } from './secret-name.ts';

/** A Secret that Gateways name. */
export interface NamedSecret extends SecretName {
  /** Namespaces of the Gateways that name it. */
  readonly namedIn: ReadonlySet<string>;
}

/** What is read of a Gateway, a Pod or a WorkloadEntry; nobody has checked them. */
interface Read {
  readonly apiVersion?: unknown;
  readonly metadata: { readonly namespace?: string; readonly labels?: Labels };
  readonly spec?: {
    readonly selector?: Labels;
    readonly labels?: Labels;
    readonly servers?: readonly { readonly tls?: { readonly mode?: unknown; readonly credentialName?: unknown } }[];
  };
}

type Labels = Readonly<Record<string, string>>;

interface Wish {
  readonly namespace: string;
  readonly selector: Labels;
  readonly names: readonly string[];
  /** Whatever workloads there are. */
  readonly placed: readonly SecretName[];
}

/** Other modes take certificates of the mesh, or none. */
const authorityModes: ReadonlySet<unknown> = new Set(['MUTUAL', 'OPTIONAL_MUTUAL']);
const pairModes: ReadonlySet<unknown> = new Set(['SIMPLE', ...authorityModes]);

/**
 * Finds the Secrets that servers of Gateways name (`credentialName`; `<name>-cacert` for the CAs of clients), each in the
 * namespaces of the workloads that the Gateway selects. A Gateway without a selector applies to workloads that another one
 * selects, and to its own namespace. A Gateway of the Gateway API says itself in which namespace its workloads are. An object
 * whose text has not changed costs nothing.
 */
export class NamedSecrets {
  readonly #wishes = new WeakMap<SourceFile, Wish | undefined>();
  readonly #workloads = new WeakMap<SourceFile, { readonly namespace: string; readonly labels: Labels }>();

  of(gateways: readonly SourceFile[], workloads: readonly SourceFile[]): readonly NamedSecret[] {
    const wishes = gateways.flatMap((file) => this.#wishOf(file) ?? []);
    if (wishes.length === 0) return [];
    const placed = workloads.map((file) => this.#workloadOf(file));
    const selected = (selector: Labels): readonly string[] => [
      ...new Set(placed.filter(({ labels }) => selects(selector, labels)).map(({ namespace }) => namespace)),
    ];
    const byAny = new Set(wishes.flatMap(({ selector }) => (isEmpty(selector) ? [] : selected(selector))));
    const found = new Map<string, SecretName & { readonly namedIn: Set<string> }>();
    for (const { namespace: own, selector, names, placed: others } of wishes) {
      const namespaces = isEmpty(selector) ? [own, ...byAny] : selected(selector);
      const bySelector = namespaces.flatMap((namespace) => names.map((name) => ({ namespace, name })));
      for (const named of [...bySelector, ...others]) {
        const secret = found.get(keyOf(named)) ?? { ...named, namedIn: new Set() };
        secret.namedIn.add(own);
        found.set(keyOf(secret), secret);
      }
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, secret]) => secret);
  }

  #wishOf(file: SourceFile): Wish | undefined {
    if (this.#wishes.has(file)) return this.#wishes.get(file);
    const read = JSON.parse(file.text) as Read;
    const { metadata, spec } = read;
    const placed = listenerSecrets(read);
    const servers = placed === undefined && Array.isArray(spec?.servers) ? spec.servers : [];
    const names = servers.flatMap((server) => namesOf(server?.tls));
    const wish = { namespace: metadata.namespace ?? '', selector: ours(spec?.selector), names, placed: placed ?? [] };
    this.#wishes.set(file, names.length + wish.placed.length > 0 ? wish : undefined);
    return this.#wishes.get(file);
  }

  #workloadOf(file: SourceFile): { readonly namespace: string; readonly labels: Labels } {
    const known = this.#workloads.get(file);
    if (known !== undefined) return known;
    const { metadata, spec } = JSON.parse(file.text) as Read;
    const labels = { ...ours(metadata.labels), ...ours(spec?.labels) };
    const workload = { namespace: metadata.namespace ?? '', labels };
    this.#workloads.set(file, workload);
    return workload;
  }
}

function namesOf(tls: { readonly mode?: unknown; readonly credentialName?: unknown } | undefined): readonly string[] {
  const { mode, credentialName: name } = tls ?? {};
  if (!isSecretName(name) || !pairModes.has(mode)) return [];
  return authorityModes.has(mode) ? [name, `${name}-cacert`] : [name];
}

/** Labels by our names, as the compiler has them. */
function ours(labels: unknown): Labels {
  if (typeof labels !== 'object' || labels === null) return {};
  return byOurKeys(labels as Labels);
}

function isEmpty(selector: Labels): boolean {
  return Object.keys(selector).length === 0;
}

function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
