import type { Cluster } from '../../testing/kubernetes/cluster.ts';
import type { FixtureObject } from './fixture-objects.ts';

/** Asks an API server whether it would take objects, as `kubectl apply` asks. */
export class Verdicts {
  readonly #cluster: Cluster;
  readonly #namespaces = new Map<string, Promise<unknown>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** The fields that the server names, none where it takes the object; its words where it names no field. */
  async of({ value, defined }: FixtureObject): Promise<readonly string[]> {
    const { ownerReferences: _, namespace = 'default', ...metadata } = (value.metadata ?? {}) as Metadata;
    await this.#namespace(namespace);
    const path = `/apis/${value.apiVersion}/namespaces/${namespace}/${defined.plural}`;
    // A server wants more of an owner than a mesh does.
    const object = { ...value, metadata: { ...metadata, namespace } };
    const { status, body } = await this.#cluster.api.ask('POST', `${path}?dryRun=All&fieldValidation=Strict`, object);
    if (status === 201) return [];
    if (status === 404) return ['apiVersion'];
    const causes: readonly { readonly field?: string }[] = body.details?.causes ?? [];
    const unknown = [...String(body.message).matchAll(/unknown field "([^"]+)"/g)].map(([, field = '']) => field);
    const fields = causes.flatMap(({ field }) => (field === undefined || field === '<nil>' ? [] : [field]));
    const named = [...new Set([...unknown, ...fields])].sort();
    return named.length > 0 ? named : [`${status} ${body.message ?? body}`];
  }

  #namespace(name: string): Promise<unknown> {
    const { api } = this.#cluster;
    const made = this.#namespaces.get(name) ?? api.ask('POST', '/api/v1/namespaces', { metadata: { name } });
    this.#namespaces.set(name, made);
    return made;
  }
}

interface Metadata {
  readonly namespace?: string;
  readonly ownerReferences?: unknown;
}
