import type { ProxyFiles } from '../../agent/reload/proxy-files.ts';

/**
 * A configuration that is larger than this, in characters, and twice as large as the one in force, is not taken: the
 * agent compares it with the one before, and Envoy reads it, on the threads that answer probes, at 20 to 50 MB a second.
 */
const most = 24 * 2 ** 20;

/** Characters of what Envoy reads. */
export function lengthOf({ bootstrap, clusters, listeners, routes }: ProxyFiles): number {
  const texts = [bootstrap, clusters, listeners, ...routes.values()];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Whether a change to a configuration of that length is refused. A start takes any: nobody is served yet. */
export function isTooMuch(length: number, inForce: number | undefined): boolean {
  return inForce !== undefined && length > most && length > 2 * inForce;
}

/** Why it is refused. */
export function tooMuch(length: number): string {
  const shown = (characters: number): string => `${Math.ceil(characters / 2 ** 20)} MiB`;
  return `the configuration of this proxy would grow to ${shown(length)}, more than ${shown(most)} and twice what is in force: \
make the policies and services that concern it fewer or simpler`;
}
