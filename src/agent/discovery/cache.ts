import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { configurationLists, type ResourcesByList } from './configuration.ts';

/** Workload, identity and roots that a configuration belongs to. */
export interface CacheOwner {
  /** SPIFFE ID of the certificate that it was fetched with. */
  readonly identity: string;
  /** Node id. */
  readonly workload: string;
  /** SHA-256 of each root that the control plane's certificate could lead to, sorted. */
  readonly roots: readonly string[];
}

/** Content of the cache: a configuration with its owner and age, or why there is none. */
export type CacheAnswer =
  | {
      readonly resources: ResourcesByList;
      /** Names of the mesh, for DNS. */
      readonly names: readonly DiscoveryResource[];
      readonly owner: CacheOwner;
      readonly ageMs: number;
      /** What the control plane said of the state that they are of. */
      readonly position: string | undefined;
    }
  | { readonly problem: string | undefined };

interface Header extends CacheOwner {
  readonly format: number;
  readonly position?: string | undefined;
  readonly entries: readonly (readonly [list: CachedList, name: string, version: string, length: number])[];
}

type CachedList = ConfigurationList | 'names';

/** Changes with everything that changes how the file is read. */
const format = 2;
/** Without names. */
const formatBefore = 1;
const longestBytes = 512 * 1_048_576;
/** Clocks of one machine differ by no more. */
const futureMs = 60_000;
const digestLength = 64;
const chunkBytes = 65_536;

/**
 * Stores the last valid configuration on disk: a digest of the rest, a line with its owner and contents, and the resources as
 * they were received. Only this user can access it. It contains no private key.
 */
export class ConfigurationCache {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads what is there. What is not whole, not this user's alone, or not in order is not used. */
  async read(nowMs: number): Promise<CacheAnswer> {
    let file: FileHandle;
    try {
      file = await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return { problem: code === 'ENOENT' ? undefined : `it cannot be read (${code})` };
    }
    try {
      const { mode, uid, size, mtimeMs, nlink } = await file.stat();
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) return { problem: 'it is no plain file' };
      if (nlink !== 1) return { problem: `it has ${nlink} names (hard links), expected 1` };
      if (uid !== process.geteuid?.()) return { problem: 'it belongs to another user' };
      if ((mode & 0o777) !== 0o600) return { problem: `its mode is ${(mode & 0o777).toString(8)}, expected 600` };
      if (size > longestBytes) return { problem: `it has ${size} bytes, at most ${longestBytes}` };
      if (mtimeMs > nowMs + futureMs) return { problem: 'it was written in the future' };
      const content = parse(await file.readFile());
      return { ...content, ageMs: Math.max(0, nowMs - mtimeMs) };
    } catch (error) {
      return { problem: (error as Error).message };
    } finally {
      await file.close();
    }
  }

  /**
   * Writes all of it beside the place and renames it; the control plane held to it at `confirmedMs`. Throws the system's
   * error, and where a key would be written.
   */
  async write(
    owner: CacheOwner,
    resources: ResourcesByList & { readonly names?: readonly DiscoveryResource[] },
    confirmedMs: number,
    position?: string | undefined,
  ): Promise<void> {
    const all = [...configurationLists, 'names' as const].flatMap((list) =>
      (resources[list] ?? []).map((resource) => ({ list, ...resource })),
    );
    const entries = all.map(({ list, name, version, body }) => [list, name, version, body.length] as const);
    // An older agent reads a file without names.
    const own = all.some(({ list }) => list === 'names') ? format : formatBefore;
    const header: Header = { format: own, ...owner, position, entries };
    const bodies = all.map(({ body }) => body);
    if (bodies.some((body) => Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('PRIVATE KEY-----')))
      throw new Error('the configuration holds a private key');
    const parts = [Buffer.from(`${JSON.stringify(header)}\n`), ...bodies];
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    const beside = `${this.#path}.${randomBytes(6).toString('hex')}.tmp`;
    const file = await open(beside, 'wx', 0o600);
    try {
      await file.writeFile(chunks([Buffer.from(`${hash.digest('hex')}\n`), ...parts]));
      await file.utimes(confirmedMs / 1000, confirmedMs / 1000);
      await file.sync();
      await file.close();
      await rename(beside, this.#path);
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(beside, { force: true });
      throw error;
    }
  }

  /** The control plane has nothing newer: its age counts from now. */
  async confirm(nowMs: number): Promise<void> {
    const file = await open(this.#path, constants.O_RDWR | constants.O_NOFOLLOW).catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    await file?.utimes(nowMs / 1000, nowMs / 1000).finally(() => file.close());
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Joined to pieces of about 64 KB: the whole of them a second time would be as much memory again. */
function* chunks(parts: readonly Uint8Array[]): Iterable<Uint8Array> {
  let [pending, length]: [Uint8Array[], number] = [[], 0];
  for (const part of parts) {
    pending.push(part);
    length += part.length;
    if (length < chunkBytes) continue;
    yield Buffer.concat(pending);
    [pending, length] = [[], 0];
  }
  yield Buffer.concat(pending);
}

function parse(bytes: Buffer): Omit<Extract<CacheAnswer, { readonly owner: CacheOwner }>, 'ageMs'> {
  const content = bytes.subarray(digestLength + 1);
  const digest = bytes.toString('latin1', 0, digestLength);
  if (bytes[digestLength] !== 0x0a || createHash('sha256').update(content).digest('hex') !== digest)
    throw new Error('it is cut off, or was changed');
  const end = content.indexOf('\n');
  const header = JSON.parse(content.toString('utf8', 0, end)) as Header;
  if (header.format !== format && header.format !== formatBefore)
    throw new Error(`its format is ${header.format}, expected ${format}`);
  const { names, ...resources }: Record<CachedList, DiscoveryResource[]> = {
    ...{ clusters: [], endpoints: [], listeners: [], routes: [], names: [] },
  };
  let at = end + 1;
  for (const [list, name, version, length] of header.entries) {
    const place = list === 'names' ? names : resources[list];
    place.push({ name, version, body: content.subarray(at, at + length) });
    at += length;
  }
  if (at !== content.length) throw new Error('it is longer than it says');
  const { identity, workload, roots, position } = header;
  return { owner: { identity, workload, roots }, resources, names, position };
}
