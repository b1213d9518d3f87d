import type { EnvoyConfig, Resource } from '../../compiler/render/resource.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { authoritiesSuffix, gatewayScheme } from '../../contracts/gateway-secret-texts.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { Fleet } from '../../live/fleet.ts';
import { gatewaySecretsOf, secretNamesOf } from '../../live/gateway-secrets.ts';
import { GatewaySecrets } from '../../secrets/gateway-secrets.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import type { SecretRights, SecretWish } from '../registry/cluster/secret-rights.ts';

type Objects = Fleet['objects'];

/** What a namespace's gateways were given last, and what it was made of. */
interface Given {
  readonly names: string;
  readonly missing: readonly string[];
  readonly secrets: Objects;
  readonly resources: readonly DiscoveryResource[];
}

/** Namespace and service account of a proxy, and whether it is a gateway. */
export type SecretReader = Partial<Pick<Workload, 'namespace' | 'role' | 'serviceAccount'>>;

/**
 * Secrets for the gateways of a mesh: each gets those of its own namespace that its listeners name and, with rights, that its
 * service account may read. If a Secret is invalid, its last valid version stays active, separately for each namespace.
 */
export class MeshSecrets {
  readonly #log: Pick<PlainLog, 'error'>;
  readonly #byNamespace = new Map<string, GatewaySecrets>();
  #given: ReadonlyMap<string, Given> = new Map();
  readonly #names = new WeakMap<readonly Resource[], readonly string[]>();

  constructor(log: Pick<PlainLog, 'error'>) {
    this.#log = log;
  }

  /** What these gateways are to show, each wish once: a Secret, and with it the authorities beside it. */
  wishes(configs: readonly EnvoyConfig[], workloads: readonly SecretReader[]): readonly SecretWish[] {
    const all = configs.flatMap((config, i) => this.#wanted(config, workloads[i]).flatMap(({ wish }) => wish ?? []));
    return [...new Map(all.map((wish) => [`${wish.namespace}/${wish.serviceAccount}/${wish.secret}`, wish])).values()];
  }

  /** One list a configuration, in the order of `configs`; `workloads` are whose they are, `objects` those in force. */
  of(
    configs: readonly EnvoyConfig[],
    workloads: readonly SecretReader[],
    objects: Objects,
    rights?: Pick<SecretRights, 'allows'>,
  ): readonly (readonly DiscoveryResource[])[] {
    const namesOf = configs.map((config, i) =>
      this.#wanted(config, workloads[i])
        .filter(({ wish }) => rights === undefined || (wish !== undefined && rights.allows(wish)))
        .map(({ name }) => name),
    );
    const asked = new Map<string, Set<string>>();
    for (const [i, names] of namesOf.entries()) {
      const namespace = workloads[i]?.namespace;
      if (namespace === undefined || names.length === 0) continue;
      asked.set(namespace, new Set([...(asked.get(namespace) ?? []), ...names]));
    }
    if (asked.size === 0 && this.#given.size === 0) return configs.map(() => none);
    const secrets = objects.filter(({ kind }) => kind === 'Secret');
    const given = new Map([...asked].map(([namespace, names]) => [namespace, this.#give(namespace, names, secrets)]));
    for (const namespace of this.#byNamespace.keys()) if (!given.has(namespace)) this.#byNamespace.delete(namespace);
    this.#given = given;
    return namesOf.map((names, i) => {
      const all = given.get(workloads[i]?.namespace ?? '')?.resources ?? none;
      return all.filter(({ name }) => names.includes(name));
    });
  }

  /** SDS names that a gateway asks for; without an account nobody knows who that is. */
  #wanted(
    config: EnvoyConfig,
    { role, namespace, serviceAccount }: SecretReader = {},
  ): readonly { readonly name: string; readonly wish: SecretWish | undefined }[] {
    if (role !== 'router') return [];
    return this.#namesOf(config).map((name) => {
      if (namespace === undefined || serviceAccount === undefined) return { name, wish: undefined };
      const named = name.slice(gatewayScheme.length);
      const secret = named.endsWith(authoritiesSuffix) ? named.slice(0, -authoritiesSuffix.length) : named;
      return { name, wish: { namespace, serviceAccount, secret } };
    });
  }

  #namesOf({ own, shared }: EnvoyConfig): readonly string[] {
    return [own.listeners, shared.listeners].flatMap((listeners) => {
      const names = this.#names.get(listeners) ?? secretNamesOf(listeners);
      this.#names.set(listeners, names);
      return names;
    });
  }

  #give(namespace: string, asked: ReadonlySet<string>, all: Objects): Given {
    const secrets = all.filter((secret) => secret.namespace === namespace);
    const names = [...asked].sort().join();
    const before = this.#given.get(namespace);
    const isSame = before?.names === names && before.secrets.length === secrets.length;
    if (isSame && secrets.every((secret, i) => secret === before.secrets[i])) return before;
    let served = this.#byNamespace.get(namespace);
    if (served === undefined) {
      const error: PlainLog['error'] = (message, fields) => this.#log.error(message, { ...fields, namespace });
      served = new GatewaySecrets({ error });
      this.#byNamespace.set(namespace, served);
    }
    const texts = gatewaySecretsOf(asked, secrets, { namespace });
    const missing = [...asked].filter((name) => (texts.get(name)?.kind ?? 'nobody') === 'nobody');
    for (const name of missing) {
      if (before?.missing.includes(name)) continue;
      const what =
        "the secret of a gateway's server is not there, or lacks what is asked of it: the server stays closed";
      this.#log.error(what, { name, namespace });
    }
    return { names, missing, secrets, resources: served.take(texts) };
  }
}

const none: readonly DiscoveryResource[] = [];
