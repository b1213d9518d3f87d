import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../agent-error.ts';
import { type ExpectedVersions, expectedVersions, routeVersions } from './in-force.ts';
import { nameOf, type ProxyFiles, parseResourceFile, routeNamesOf } from './proxy-files.ts';

/** Resolves when Envoy has the versions in force; throws what the replacement has to stop for. */
export type Await = (expected: ExpectedVersions) => Promise<void>;

/** The folder that Envoy reads. Envoy sees each file whole, the old one or the new one, never half of one. */
export class ConfigFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  get bootstrapPath(): string {
    return join(this.folder, 'bootstrap.json');
  }

  /** Writes everything, before Envoy starts, and removes route files of an earlier run. */
  async writeAll(files: ProxyFiles): Promise<void> {
    await this.#write('clusters.json', files.clusters);
    for (const [name, text] of files.routes) await this.#write(join('routes', name), text);
    await this.#write('listeners.json', files.listeners);
    await this.#write('bootstrap.json', files.bootstrap);
    await this.#removeUnused(files);
    await this.writeBeside(files);
  }

  /**
   * Leads a running Envoy from one configuration to the next, in an order in which nothing refers to what is not there:
   * clusters (with the old ones that go), routes, listeners; then what is no longer used goes, routes before clusters.
   */
  async replace(before: ProxyFiles, next: ProxyFiles, wait: Await): Promise<void> {
    const expected = expectedVersions(next);
    const union = unionOfClusters(before.clusters, next.clusters);
    if (union !== before.clusters) {
      await this.#write('clusters.json', union);
      await wait({ clusters: parseResourceFile(union).version_info });
    }
    const changed = [...next.routes].filter(([name, text]) => before.routes.get(name) !== text);
    for (const [name, text] of changed) await this.#write(join('routes', name), text);
    // Routes that only the next listeners ask for are read when those come.
    if (changed.length > 0) await wait({ routes: routeVersions(next, routeNamesOf(before.listeners)) });
    if (next.listeners !== before.listeners) await this.#write('listeners.json', next.listeners);
    await wait({ listeners: expected.listeners, routes: expected.routes });
    await this.#removeUnused(next);
    if (union !== next.clusters) await this.#write('clusters.json', next.clusters);
    await wait(expected);
    // Last: who reads these knows that the configuration they belong to is in force.
    await this.writeBeside(next);
  }

  /** Writes `files` again after a replacement failed half way: Envoy may have taken a part of it. */
  async restore(files: ProxyFiles): Promise<void> {
    await this.#write('clusters.json', files.clusters);
    for (const [name, text] of files.routes) await this.#write(join('routes', name), text);
    await this.#write('listeners.json', files.listeners);
    await this.#removeUnused(files);
    await this.writeBeside(files);
  }

  async #removeUnused(files: ProxyFiles): Promise<void> {
    const present = await readdir(join(this.folder, 'routes')).catch(() => []);
    for (const name of present) {
      if (!files.routes.has(name)) await rm(join(this.folder, 'routes', name), { force: true });
    }
  }

  /** Writes what Envoy does not read: where each fragment comes from may change while the configuration does not. */
  async writeBeside(files: ProxyFiles): Promise<void> {
    for (const [name, text] of files.beside) await this.#write(name, text);
  }

  async #write(name: string, text: string): Promise<void> {
    const path = join(this.folder, name);
    const temporary = `${path}.tmp`;
    try {
      await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
      await writeFile(temporary, text, { flush: true, mode: 0o600 });
      await rename(temporary, path);
    } catch (cause) {
      throw new AgentError('config-write-failed', `cannot write "${path}"`, { cause });
    }
  }
}

/** The next clusters, and those of before that the next configuration no longer has: routes may still lead to them. */
function unionOfClusters(before: string, next: string): string {
  const old = parseResourceFile(before);
  const current = parseResourceFile(next);
  const names = new Set(current.resources.map(nameOf));
  const leaving = old.resources.filter((cluster) => !names.has(nameOf(cluster)));
  if (leaving.length === 0) return next;
  const version_info = `${current.version_info}+${old.version_info}`;
  return JSON.stringify({ version_info, resources: [...current.resources, ...leaving] });
}
