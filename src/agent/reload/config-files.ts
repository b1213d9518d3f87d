import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bootstrapText, type ProxyFiles } from '../../contracts/proxy-files.ts';
import { ResourceFile } from '../../envoy/api/resource-file.ts';
import { lingerMs } from '../../xds/aggregated-service.ts';
import { withFilesWatchedByName } from './file-watches.ts';
import { FolderIdentity } from './folder-identity.ts';
import { LeavingClusters } from './leaving-clusters.ts';
import { prepareReplacement, type Replacement } from './replacement.ts';
import { Stage } from './stage.ts';

/** The folder that Envoy reads. Envoy sees each file whole, the old one or the new one, never half of one. */
export class ConfigFiles {
  readonly folder: string;
  readonly #identity: FolderIdentity;
  readonly #stayMs: number;
  #leaving = new LeavingClusters();
  /** Of what was last written beside the configuration. */
  readonly #digests = new Map<string, string>();
  /** What `writeAll` has left to `complete`. */
  #late: { readonly listeners: ResourceFile | undefined; readonly files: ProxyFiles } | undefined;

  /** `stayMs`: so long Envoy keeps clusters that the configuration no longer has. */
  constructor(folder: string, stayMs = lingerMs) {
    this.folder = folder;
    this.#stayMs = stayMs;
    this.#identity = new FolderIdentity(folder);
  }

  get bootstrapPath(): string {
    return join(this.folder, 'bootstrap.json');
  }

  /**
   * Writes what Envoy starts with, and removes route files of an earlier run. The rest is left to `complete`: what Envoy
   * does not read, and with `holdsListeners` the listeners, of which it finds none till then.
   */
  async writeAll(files: ProxyFiles, { holdsListeners = false } = {}): Promise<void> {
    // An Envoy that starts has none.
    this.#leaving = new LeavingClusters();
    this.#late = { listeners: holdsListeners ? files.listeners : undefined, files };
    const main = mainFilesOf(holdsListeners ? { ...files, listeners: new ResourceFile() } : files);
    await this.#writeTogether([...main, ['bootstrap.json', bootstrapText(withFilesWatchedByName(files.bootstrap))]]);
    await this.#removeUnused(files);
    await this.#identity.take();
  }

  /** Writes what `writeAll` has left, once. */
  async complete(): Promise<void> {
    if (this.#late === undefined) return;
    const { listeners, files } = this.#late;
    this.#late = undefined;
    if (listeners !== undefined) await this.#writeEach([['listeners.json', listeners.text]]);
    await this.writeBeside(files, false);
  }

  /** Throws when the folder is no longer the one of `writeAll`: an Envoy that runs would not hear of a change. */
  async checkFolder(): Promise<void> {
    await this.#identity.check();
  }

  /** Writes what differs under other names. When that fails nothing has changed, and the space is free again. */
  prepare(before: ProxyFiles, next: ProxyFiles): Promise<Replacement> {
    const had = this.#leaving.with(before.clusters);
    return prepareReplacement(this.folder, { before, had }, next, async (clusters) => {
      this.#leaving = this.#leaving.after(next.clusters, clusters, performance.now() + this.#stayMs);
      await this.#removeUnused(next);
      // Last: who reads these knows that the configuration they belong to is in force.
      await this.writeBeside(next);
    });
  }

  /** Writes `files` again after a replacement failed half way: Envoy may have taken a part of it. */
  async restore(files: ProxyFiles): Promise<void> {
    await this.#writeEach(mainFilesOf({ ...files, clusters: this.#leaving.with(files.clusters) }));
    await this.#removeUnused(files);
    await this.writeBeside(files, false);
  }

  /** After how many milliseconds `removeLeft` has something to do; undefined: no cluster leaves. */
  get leavesInMs(): number | undefined {
    const { firstEndMs } = this.#leaving;
    return firstEndMs === undefined ? undefined : Math.max(0, firstEndMs - performance.now());
  }

  /** Takes clusters that have stayed for their time from Envoy, whose configuration is `files`. */
  async removeLeft({ clusters }: ProxyFiles): Promise<void> {
    const left = this.#leaving.at(performance.now());
    const now = left.with(clusters);
    if (now.version !== this.#leaving.with(clusters).version) await this.#writeEach([['clusters.json', now.text]]);
    this.#leaving = left;
  }

  /**
   * Writes what Envoy does not read: where each fragment comes from may change while the configuration does not. Where a
   * text is lost with the thread that kept it, no file is better than that of another configuration.
   */
  async writeBeside({ beside }: ProxyFiles, isKnown = true): Promise<void> {
    for (const name of beside.keys()) {
      const text = await beside.get(name);
      if (text === undefined) {
        this.#digests.delete(name);
        await rm(join(this.folder, name), { force: true });
        continue;
      }
      const digest = createHash('sha256').update(text).digest('hex');
      if (isKnown && this.#digests.get(name) === digest) continue;
      this.#digests.delete(name);
      await this.#writeEach([[name, text]]);
      this.#digests.set(name, digest);
    }
  }

  async #removeUnused(files: ProxyFiles): Promise<void> {
    const present = await readdir(join(this.folder, 'routes')).catch(() => []);
    for (const name of present) {
      if (!files.routes.has(name)) await rm(join(this.folder, 'routes', name), { force: true });
    }
  }

  /** One after the other: of a disk that is nearly full it needs no more than one file more. */
  async #writeEach(files: readonly NamedText[]): Promise<void> {
    const stage = new Stage(this.folder);
    try {
      for (const [name, text] of files) await (await stage.write(name, text)).put();
    } finally {
      await stage.clear();
    }
  }

  /** All at the same time under other names, then each under its own. */
  async #writeTogether(files: readonly NamedText[]): Promise<void> {
    const stage = new Stage(this.folder);
    const writing = files.map(([name, text]) => stage.write(name, text));
    // What is still being written when the first one fails is removed with the rest.
    await Promise.allSettled(writing);
    try {
      for (const file of await Promise.all(writing)) await file.put();
    } catch {
      await stage.clear();
      // Needs less space and fewer open files; what fails this way too is told.
      await this.#writeEach(files);
    }
  }
}

type NamedText = readonly [name: string, text: string];

/** What Envoy follows, in the order in which nothing refers to what is not there. */
function mainFilesOf({ clusters, routes, listeners }: ProxyFiles): readonly NamedText[] {
  return [
    ['clusters.json', clusters.text],
    ...[...routes].map(([name, file]) => [join('routes', name), file.text] as const),
    ['listeners.json', listeners.text],
  ];
}
