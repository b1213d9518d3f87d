import type { PodLocation } from '../../injection/pod.ts';
import type { WebhookName } from './admission-messages.ts';

/** Which webhook a path names, and what it says of pods. */
export interface WebhookPath {
  readonly webhook: WebhookName;
  readonly location: PodLocation;
}

const keys: Readonly<Record<string, keyof PodLocation>> = { cluster: 'cluster', net: 'network' };
/** Node metadata, and a variable of a container. */
const name = /^[A-Za-z0-9]([\w.-]{0,126}[A-Za-z0-9])?$/;

/**
 * Reads `/validate`, `/inject` or `/inject/cluster/<name>/net/<network>`, in which either pair may be absent. A text
 * says what is wrong with any other path.
 */
export function readWebhookPath(path: string): WebhookPath | string {
  if (path === '/validate') return { webhook: 'validate', location: {} };
  const [first, webhook, ...words] = path.split('/');
  if (first !== '' || webhook !== 'inject') return 'there is no such webhook';
  const location: Partial<Record<keyof PodLocation, string>> = {};
  for (let i = 0; i < words.length; i += 2) {
    const [key = '', value = ''] = words.slice(i, i + 2);
    const field = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (field === undefined) return `"${key}" in the path is neither "cluster" nor "net"`;
    if (location[field] !== undefined) return `the path has "${key}" twice`;
    if (!name.test(value)) return `the path has no name after "${key}": letters, digits, "-", "_" and "." are expected`;
    location[field] = value;
  }
  return { webhook: 'inject', location };
}
