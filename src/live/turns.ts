import { setImmediate as turn } from 'node:timers/promises';
import type { Compiler } from '../compiler/compile.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';

/** A probe takes these: its connection is accepted, its request read, Envoy asked, the answer written. */
const turnsOfProbe = 4;

/** Lets whatever waits on the event loop (probes, scrapes, certificates) go on. */
export async function letOthers(): Promise<void> {
  for (let i = 0; i < turnsOfProbe; i++) await turn();
}

/** Milliseconds of reading between two pauses: the kubelet gives a probe a second. */
const pieceMs = 50;

/** Of most files of a large mesh nothing is new, which is not to cost a look at each text. */
const readBefore = new WeakMap<Compiler['read'], WeakSet<SourceFile>>();

/**
 * Has the compiler read the files piece by piece. It remembers what it has read, so that reading them all at once
 * afterwards, which is what gives the objects and diagnostics, takes no time.
 */
export async function readInPieces({ read }: Pick<Compiler, 'read'>, files: readonly SourceFile[]): Promise<void> {
  const before = readBefore.get(read) ?? new WeakSet();
  readBefore.set(read, before);
  let since = performance.now();
  for (const file of files) {
    if (before.has(file)) continue;
    read([file], new DiagnosticBag());
    before.add(file);
    if (performance.now() - since < pieceMs) continue;
    await letOthers();
    since = performance.now();
  }
}
