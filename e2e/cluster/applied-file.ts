import { readFile } from 'node:fs/promises';
import { loadAll } from 'js-yaml';
import type { StatusAnswer } from '../../src/control/debug/answers.ts';
import { until } from '../../src/testbed/until.ts';
import { arrivalsOf, versionOf } from '../demo/arrivals.ts';
import type { ClusterMesh } from './cluster-mesh.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
}

/** A file of policies that kubectl applies to a cluster and deletes from it. */
export class AppliedFile {
  readonly path: string;
  readonly #mesh: ClusterMesh;
  /** `<kind>/<namespace>/<name>` */
  readonly #objects: readonly string[];

  private constructor(mesh: ClusterMesh, path: string, objects: readonly string[]) {
    this.#mesh = mesh;
    this.path = path;
    this.#objects = objects;
  }

  static async read(mesh: ClusterMesh, path: string): Promise<AppliedFile> {
    const manifests = loadAll(await readFile(path, 'utf8')) as Manifest[];
    const keys = manifests.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
    return new AppliedFile(mesh, path, keys);
  }

  /** Returns once every proxy has acknowledged every object: milliseconds since kubectl has returned. */
  async apply(): Promise<number> {
    const { kubectl, testbed } = this.#mesh;
    const versions = await Promise.all(this.#objects.map((object) => versionOf(this.#mesh, object)));
    await kubectl(['apply', '-f', this.path]);
    const proxies = testbed.pods.filter(({ hasSidecar }) => hasSidecar).length;
    const waits = this.#objects.map((object, at) =>
      arrivalsOf(this.#mesh, object, { before: versions[at], proxies, change: async () => undefined }),
    );
    const times = (await Promise.all(waits)).flatMap((arrived) => [...arrived.values()]);
    return Math.max(...times);
  }

  /** Returns once every proxy has acknowledged what there is without it. */
  async remove(): Promise<void> {
    await this.#mesh.kubectl(['delete', '-f', this.path]);
    const isGone = async (): Promise<true | undefined> => {
      const versions = await Promise.all(this.#objects.map((object) => versionOf(this.#mesh, object)));
      if (versions.some((version) => version !== undefined)) return undefined;
      const status = await this.#mesh.ask<StatusAnswer>('/debug/status');
      return status !== undefined && status.inStep === status.connected ? true : undefined;
    };
    await until(isGone, { timeoutMs: 90_000, otherwise: async () => `${this.path} is deleted, and still in force` });
  }
}
