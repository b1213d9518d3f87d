import { constants } from 'node:buffer';
import { bootstrapText, type ProxyFiles } from '../contracts/proxy-files.ts';
import { type ResourceFile, separator } from '../envoy/api/resource-file.ts';
import { type ReadFiles, sizeText, tellLargest } from './largest-files.ts';

/**
 * A configuration that is larger than this, in characters, and twice as large as the one that applies, is not taken: the
 * agent compares it with the one before, and Envoy reads it, on the threads that answer probes, at 20 to 50 MB a second.
 */
const most = 24 * 2 ** 20;

/** Characters of what Envoy reads. Throws what V8 throws where a file would be too long for one text. */
export function lengthOf({ bootstrap, clusters, listeners, routes }: ProxyFiles): number {
  const lengths = [clusters, listeners, ...routes.values()].map(lengthOfFile);
  if (lengths.some((length) => length > constants.MAX_STRING_LENGTH)) throw new RangeError(tooLong);
  return lengths.reduce((sum, length) => sum + length, bootstrapText(bootstrap).length);
}

/** Its text is put together only when it is written. */
function lengthOfFile({ resources }: ResourceFile): number {
  return resources.reduce((sum, { text }) => sum + text.length + separator.length, 0);
}

const tooLong = 'Invalid string length';

/** Whether a change to a configuration of that length is refused. A start takes any: nobody is served yet. */
export function isTooMuch(length: number, inForce: number | undefined): boolean {
  return inForce !== undefined && length > most && length > 2 * inForce;
}

/** Message of the refusal of a configuration of `length` characters. */
export function tooMuch(length: number, read: ReadFiles): string {
  return `the configuration of this proxy would grow to ${sizeText(length)}, more than ${sizeText(most)} and twice what is in force: \
make the policies and services that concern it fewer or simpler${tellLargest(read)}`;
}

/** V8 says so where a text would be longer than one can be, 512 MiB. */
export function isTooLongForText(error: unknown): boolean {
  return error instanceof RangeError && error.message === tooLong;
}

/** What is said then. */
export function tooLongForText(read: ReadFiles | undefined): string {
  return `the configuration of this proxy would be longer than the longest text that can be written (512 MiB): \
make the policies and services that concern it fewer or simpler${tellLargest(read)}`;
}
