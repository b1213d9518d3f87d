import { normalize } from 'node:path';
import { authoritiesProblem, keyPairProblem } from '../../certificates/check-pair.ts';
import type { GatewaySecretTexts } from '../../contracts/gateway-secret-texts.ts';
import { readNamedText } from '../../lib/read-file.ts';
import { gatewaySecretResource } from '../../secrets/gateway-secrets.ts';
import { type Watch, watchPaths } from '../../watch/watch.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import type { Log } from '../log/log.ts';

/** Where files of secrets may lie: names come from configuration, and must not read the rest of the machine. */
const defaultFolders = ['/etc/', '/var/run/', '/run/', '/var/lib/'];
const longestPath = 4_096;
/** What files may hold. */
type FileTexts = Exclude<GatewaySecretTexts, { readonly kind: 'nobody' }>;
/** More names than these are no configuration of a proxy. */
const mostNames = 100;

/**
 * Secrets whose names are files: `file-root:<path>` for roots, `file-cert:<chain>~<key>` for a pair. A file is read when
 * Envoy first asks for it, and again whenever it changes; one that turns bad leaves the last valid secret in force.
 */
export class FileSecrets {
  readonly #publish: () => void;
  readonly #log: Log;
  readonly #folders: readonly string[];
  readonly #resources = new Map<string, DiscoveryResource>();
  readonly #asked = new Set<string>();
  readonly #watches: Watch[] = [];
  #isOpen = true;

  /** `publish` is called after each change of `resources`. */
  constructor(publish: () => void, log: Log, folders: readonly string[] = defaultFolders) {
    this.#publish = publish;
    this.#log = log;
    this.#folders = folders;
  }

  get resources(): readonly DiscoveryResource[] {
    return [...this.#resources.values()];
  }

  /** True when `name` is that of files; they are read from now on, and what is wrong with them is logged. */
  ask(name: string): boolean {
    const paths = pathsOf(name);
    if (paths === undefined) return false;
    if (this.#asked.has(name)) return true;
    if (this.#asked.size >= mostNames || !paths.every((path) => this.#isAllowed(path))) {
      this.#log.error('a secret of files is not served: its path is not allowed', { name: name.slice(0, 300) });
      return true;
    }
    this.#asked.add(name);
    void this.#follow(name, paths);
    return true;
  }

  close(): void {
    this.#isOpen = false;
    for (const watch of this.#watches) watch.close();
  }

  async #follow(name: string, paths: readonly string[]): Promise<void> {
    let reading = Promise.resolve();
    const read = (): Promise<void> => {
      reading = reading.then(() => this.#read(name, paths));
      return reading;
    };
    const watch = await watchPaths(paths, { onChange: () => void read() });
    if (this.#isOpen) this.#watches.push(watch);
    else watch.close();
    await read();
  }

  async #read(name: string, paths: readonly string[]): Promise<void> {
    const texts = await readTexts(paths);
    if (!this.#isOpen) return;
    const problem = typeof texts === 'string' ? texts : problemOf(texts);
    if (problem !== undefined || typeof texts === 'string') {
      this.#log.error(`a secret of files is not taken: ${problem}`, { name });
      return;
    }
    this.#resources.set(name, gatewaySecretResource(name, texts));
    this.#publish();
  }

  #isAllowed(path: string): boolean {
    if (path.length > longestPath || path !== normalize(path) || path.includes('\0')) return false;
    return this.#folders.some((folder) => path.startsWith(folder));
  }
}

function pathsOf(name: string): readonly string[] | undefined {
  if (name.startsWith('file-root:')) return [name.slice('file-root:'.length)];
  if (!name.startsWith('file-cert:')) return undefined;
  const [chain = '', key = '', ...more] = name.slice('file-cert:'.length).split('~');
  return more.length > 0 ? [''] : [chain, key];
}

/** The texts, or why they cannot be read. */
async function readTexts(paths: readonly string[]): Promise<FileTexts | string> {
  try {
    const [first = '', privateKey] = await Promise.all(paths.map((path) => readNamedText(path, 'latin1')));
    return privateKey === undefined
      ? { kind: 'authorities', certificates: first, revocationList: undefined }
      : { kind: 'pair', certificateChain: first, privateKey };
  } catch (error) {
    const { code = 'unreadable', path = '' } = error as NodeJS.ErrnoException;
    return `cannot read "${path}" (${code})`;
  }
}

function problemOf(texts: FileTexts): string | undefined {
  return texts.kind === 'pair' ? keyPairProblem(texts, Date.now()) : authoritiesProblem(texts.certificates);
}
