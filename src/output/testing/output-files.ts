import type { OutputFile } from '../plan.ts';

/** Files to write, of their paths and texts. */
export function files(texts: Readonly<Record<string, string>>): OutputFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

/** A run that answers for the whole folder. */
export const all = { isOurs: () => true };
