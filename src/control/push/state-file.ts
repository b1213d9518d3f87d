import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { makeFolder } from '../../lib/make-folder.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import type { Fleet } from '../../live/fleet.ts';
import type { FleetState } from '../../live/fleet-state.ts';
import { StateTexts } from './state-texts.ts';

export interface StateFileOptions {
  /** Made with mode 0700. */
  readonly folder: string;
  /** Of what the state is: that of another source is not used. */
  readonly source: string;
  readonly now?: () => number;
}

/** State that an earlier `meshd` wrote, or why it is not used. */
export type KeptState = { readonly state: FleetState } | { readonly problem: string } | undefined;

/** In front of the texts; everything behind it is bound to it by a digest. */
interface Head {
  readonly layout: string;
  readonly digest: string;
}

type Body = Omit<FleetState, 'files'> & { readonly source: string; readonly savedAtMs: number };

const layout = 'inputs in force at meshd, layout 1';
const fileName = 'inputs-in-force.jsonl';
const hourMs = 3_600_000;
/** `meshd` tells the time in it anew each hour: it is the time that nobody looked after the mesh. */
const maxAgeMs = 24 * hourMs;
const maxBytes = 268_435_456;
/** Clocks of machines that share a disk differ. */
const skewMs = 300_000;
const writableByOthers = 0o022;

/** Stores the active inputs in a file, which `meshd` reads after a restart. It contains no private key. */
export class StateFile {
  readonly path: string;
  readonly #options: Required<StateFileOptions>;
  readonly #texts = new StateTexts();

  constructor(options: StateFileOptions) {
    this.#options = { now: Date.now, ...options };
    this.path = join(options.folder, fileName);
  }

  /** `objects` are those of the files of the state. Throws the system's error. */
  async write(state: FleetState, objects: Fleet['objects']): Promise<void> {
    const { folder, source, now } = this.#options;
    const { files, ...rest } = state;
    const body: Body = { ...rest, source, savedAtMs: now() };
    const lines = await linesOf([body, ...this.#texts.of(files, objects)]);
    const hash = createHash('sha256');
    for (const line of lines) hash.update(line);
    const head: Head = { layout, digest: hash.digest('hex') };
    await makeFolder(folder);
    await replaceFile(this.path, `${JSON.stringify(head)}\n${lines.join('')}`, 0o600);
  }

  /** Undefined: there is none. */
  async read(): Promise<KeptState> {
    try {
      const text = await this.#readText();
      return text === undefined ? undefined : this.#parse(text);
    } catch (error) {
      return { problem: (error as Error).message };
    }
  }

  async #readText(): Promise<string | undefined> {
    let file: FileHandle;
    try {
      // A pipe would be waited for in a thread that nothing can end.
      file = await open(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const kind = await file.stat();
      if (!kind.isFile()) throw new Error('it is no plain file');
      const { mode, uid, size } = kind;
      if ((mode & writableByOthers) !== 0 || uid !== process.geteuid?.())
        throw new Error('other users can write to it, or it is theirs');
      if (size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  }

  #parse(text: string): KeptState {
    const { source, now } = this.#options;
    const end = text.indexOf('\n') + 1;
    const head: Partial<Head> = parsed(text.slice(0, end));
    if (head.layout !== layout) return { problem: 'it has no layout that this version knows' };
    const texts = text.slice(end);
    if (head.digest !== digestOf(texts)) return { problem: 'it is damaged' };
    const [first = '', ...others] = texts.trimEnd().split('\n');
    const { source: itsSource, savedAtMs, ...rest }: Body = JSON.parse(first);
    if (itsSource !== source) return { problem: `it is of "${itsSource}"` };
    const ageMs = now() - savedAtMs;
    if (ageMs > maxAgeMs || ageMs < -skewMs) {
      return {
        problem: `it was in force last at ${new Date(savedAtMs).toISOString()}, which is no time of the last day`,
      };
    }
    return { state: { ...rest, files: others.map((line) => JSON.parse(line)) } };
  }
}

/** So long texts are made before a compilation has its turn. */
const longestMs = 5;

async function linesOf(parts: readonly object[]): Promise<readonly string[]> {
  const lines: string[] = [];
  let sinceMs = performance.now();
  for (const part of parts) {
    lines.push(`${JSON.stringify(part)}\n`);
    if (performance.now() - sinceMs < longestMs) continue;
    await turn();
    sinceMs = performance.now();
  }
  return lines;
}

function parsed(line: string): Partial<Head> {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
