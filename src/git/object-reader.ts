import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { GitError } from './git-error.ts';
import type { Repository } from './open-repository.ts';
import { lastWords, notStarted, startGit } from './run-git.ts';

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  /** Undefined: there are more than were asked for. */
  readonly bytes: Buffer | undefined;
}

interface Question {
  readonly object: string;
  readonly mostBytes: number;
  readonly answer: (object: GitObject | undefined) => void;
  readonly fail: (error: Error) => void;
}

/** Reads objects of a repository through one `git cat-file --batch`, which answers in the order of the questions. */
export class ObjectReader {
  readonly #repository: Repository;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #open: Question[] = [];
  readonly #body: Buffer[] = [];
  #text = Buffer.alloc(0);
  #object: GitObject | undefined;
  /** Bytes that are still to come of the object, and of the line feed behind it. */
  #left = 0;
  #said = '';
  #problem: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#child = startGit(['cat-file', '--batch'], repository);
    this.#child.stdout.on('data', (part: Buffer) => this.#take(part));
    this.#child.stderr.on('data', (part: Buffer) => {
      this.#said = `${this.#said}${part}`.slice(-4_096);
    });
    this.#child.on('error', (error) => this.#fail(notStarted(error)));
    this.#child.on('close', () => this.#fail(this.#error(`ended: ${lastWords(this.#said) || 'without a word'}`)));
    // That it has ended is told by the lines above.
    this.#child.stdin.on('error', () => undefined);
  }

  /** The object of this id, or of this expression of git's; undefined: there is none. */
  read(object: string, mostBytes: number): Promise<GitObject | undefined> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    return new Promise((answer, fail) => {
      this.#open.push({ object, mostBytes, answer, fail });
      this.#child.stdin.write(`${object}\n`);
      this.#wait();
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#child.kill('SIGKILL');
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#open.length === 0) return;
    const { longestMs } = this.#repository;
    this.#timer = setTimeout(() => {
      this.#fail(this.#error(`said nothing for ${longestMs} ms`));
      this.close();
    }, longestMs);
  }

  #take(part: Buffer): void {
    let rest = part;
    while (rest.length > 0) rest = this.#object === undefined ? this.#takeHead(rest) : this.#takeBody(rest);
    this.#wait();
  }

  /** `ID TYPE SIZE`, or what was asked for and why there is no answer. */
  #takeHead(part: Buffer): Buffer {
    const end = part.indexOf(0x0a);
    this.#text = Buffer.concat([this.#text, end < 0 ? part : part.subarray(0, end)]);
    if (end < 0) return part.subarray(part.length);
    const [, id, type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(this.#text.toString('utf8')) ?? [];
    this.#text = Buffer.alloc(0);
    if (id === undefined || type === undefined) this.#open.shift()?.answer(undefined);
    else {
      this.#object = { id, type, size: Number(size), bytes: undefined };
      this.#left = Number(size) + 1;
    }
    return part.subarray(end + 1);
  }

  #takeBody(part: Buffer): Buffer {
    const { size = 0 } = this.#object ?? {};
    const isKept = size <= (this.#open[0]?.mostBytes ?? 0);
    const taken = part.subarray(0, this.#left);
    this.#left -= taken.length;
    if (isKept) this.#body.push(taken);
    if (this.#left === 0 && this.#object !== undefined) {
      const bytes = isKept ? Buffer.concat(this.#body).subarray(0, size) : undefined;
      this.#body.length = 0;
      this.#open.shift()?.answer({ ...this.#object, bytes });
      this.#object = undefined;
    }
    return part.subarray(taken.length);
  }

  #error(what: string): GitError {
    return new GitError('git-failed', `git cat-file in the repository "${this.#repository.name}" ${what}`);
  }

  #fail(error: Error): void {
    this.#problem ??= error;
    clearTimeout(this.#timer);
    for (const { fail } of this.#open.splice(0)) fail(this.#problem);
  }
}
