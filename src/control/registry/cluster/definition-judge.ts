import type { KubernetesApi } from '../../../kubernetes/api.ts';
import { ApiRefusal, KubernetesError } from '../../../kubernetes/kubernetes-error.ts';
import { delay } from '../../../lib/abort.ts';
import type { SourceFile } from '../../../source/document.ts';
import type { DeletionJudge } from './kind-objects.ts';
import type { FollowedKind } from './kinds.ts';

interface Definition {
  readonly metadata: { readonly creationTimestamp?: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly versions?: readonly { readonly name: string; readonly served?: boolean }[] };
}

/**
 * Decides by the CustomResourceDefinition of a kind whether somebody deleted its objects on purpose. When a definition is
 * deleted, Kubernetes deletes all its objects, with the same events as a deletion on purpose. But the definition is marked
 * before its objects are deleted, and a definition that was created again is younger than they were.
 */
export class DefinitionJudge implements DeletionJudge {
  readonly #api: KubernetesApi;
  readonly #path: string;
  readonly #name: string;
  readonly #versions: readonly string[];
  readonly #signal: AbortSignal;
  readonly #told: (problem: string) => void;

  constructor(
    api: KubernetesApi,
    { type: { resource, group, version }, versions = [version] }: Pick<FollowedKind, 'type' | 'versions'>,
    told: (problem: string) => void,
    signal: AbortSignal,
  ) {
    this.#api = api;
    this.#name = `${resource}.${group}`;
    this.#versions = versions;
    this.#path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${this.#name}`;
    this.#told = told;
    this.#signal = signal;
  }

  async judge(gone: readonly SourceFile[]): Promise<ReadonlySet<SourceFile> | undefined> {
    const definition = await this.#definition();
    if (definition === undefined) return undefined;
    if (definition === 'absent' || definition.metadata.deletionTimestamp !== undefined) return new Set();
    const since = Date.parse(definition.metadata.creationTimestamp ?? '');
    return new Set(gone.filter(({ text }) => createdAt(text) >= since));
  }

  /** Why objects of a kind that the server does not serve may exist all the same; undefined: there are none. */
  async whyUnserved(): Promise<string | undefined> {
    try {
      const definition = await this.#api.ask<Definition>({ path: this.#path, signal: this.#signal });
      if (definition.metadata.deletionTimestamp !== undefined) return undefined;
      const served = servedOf(definition);
      if (this.#versions.some((version) => served.includes(version)))
        return `${this.#name} is defined, and the API server does not serve it yet`;
      const others = served.join(', ') || 'none';
      const wanted = this.#versions.join(' or ');
      return `the CustomResourceDefinition ${this.#name} must serve the version ${wanted}, and serves ${others}: add it to spec.versions`;
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      return error instanceof ApiRefusal && error.status === 404 ? undefined : error.message;
    }
  }

  /** The first of the kind's versions that its definition serves; undefined: none, or nobody answers. */
  async servedVersion(): Promise<string | undefined> {
    try {
      const served = servedOf(await this.#api.ask<Definition>({ path: this.#path, signal: this.#signal }));
      return this.#versions.find((version) => served.includes(version));
    } catch (error) {
      // Why it does not is told by `whyUnserved`.
      if (error instanceof KubernetesError) return undefined;
      throw error;
    }
  }

  /** Until the server answers nobody knows; the objects stay meanwhile. */
  async #definition(): Promise<Definition | 'absent' | undefined> {
    for (let ms = 200; !this.#signal.aborted; ms = Math.min(ms * 2, 10_000)) {
      try {
        return await this.#api.ask<Definition>({ path: this.#path, signal: this.#signal });
      } catch (error) {
        if (!(error instanceof KubernetesError)) throw error;
        if (error instanceof ApiRefusal && error.status === 404) return 'absent';
        this.#told(error.message);
      }
      await delay(ms * (0.5 + Math.random() / 2), this.#signal);
    }
    return undefined;
  }
}

function servedOf({ spec }: Definition): readonly string[] {
  return (spec?.versions ?? []).flatMap(({ name, served = false }) => (served ? [name] : []));
}

/** Milliseconds since 1970; an object without a date is as old as can be. */
function createdAt(text: string): number {
  const { metadata } = JSON.parse(text) as { readonly metadata: { readonly creationTimestamp?: string } };
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
