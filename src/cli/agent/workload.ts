import { plainAddress } from '../../config/address.ts';
import type { Environment } from '../../config/environment.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ProxyIdentity } from '../../live/node-id.ts';

/** What a workload's registry calls it by; `Cluster` knows names and namespaces, the others addresses. */
export type ServiceRegistry = 'Cluster' | 'Catalog' | 'Mock';

export interface IdentityFlags {
  readonly id: string;
  readonly ip: string;
  readonly domain: string;
  readonly serviceregistry?: ServiceRegistry;
}

/** The proxy's identity without the workload: what flags and variables leave open is found in the inputs. */
export type UnlocatedIdentity = Omit<ProxyIdentity, 'namespace' | 'name'> & {
  /** Undefined: the workload that has the address. */
  readonly workload: { readonly namespace: string; readonly name: string } | undefined;
};

/**
 * `--id`, else POD_NAME and POD_NAMESPACE; `--ip`, else INSTANCE_IP. A registry other than `Cluster` calls the proxy by
 * its address, `own` when nothing else names one; there the workload may be told by the address too.
 */
export function identifyProxy(flags: IdentityFlags, environment: Environment, own?: string): UnlocatedIdentity {
  const { id, domain, serviceregistry = 'Cluster' } = flags;
  const { POD_NAME: podName = '', POD_NAMESPACE: podNamespace = '' } = environment;
  const text = id !== '' ? id : podName !== '' && podNamespace !== '' ? `${podName}.${podNamespace}` : '';
  for (const value of [text, domain]) {
    if (/[~\s]/.test(value)) throw new UsageError(`"${value}" cannot be a part of the node id`);
  }
  const ip = namedAddress(flags, environment);
  const workload = text === '' && serviceregistry !== 'Cluster' ? undefined : splitId(text);
  if (serviceregistry === 'Cluster') return { workload, ip, id: undefined, domain: domain === '' ? undefined : domain };
  const address = ip ?? own ?? '';
  const isCatalog = serviceregistry === 'Catalog';
  return {
    workload,
    ip: address,
    id: id !== '' ? id : isCatalog ? `${address}.service.consul` : address,
    domain: domain !== '' ? domain : isCatalog ? 'service.consul' : '',
  };
}

/** Whether the proxy must find out its own address before anything else: its registry knows it by nothing else. */
export function needsOwnAddress(flags: IdentityFlags, environment: Environment): boolean {
  return (flags.serviceregistry ?? 'Cluster') !== 'Cluster' && namedAddress(flags, environment) === undefined;
}

/** `--ip`, else INSTANCE_IP, which counts as absent when it is no single address, as in Istio. */
function namedAddress({ ip }: IdentityFlags, { INSTANCE_IP: instanceIp = '' }: Environment): string | undefined {
  if (ip === '') return plainAddress(instanceIp);
  const address = plainAddress(ip);
  if (address === undefined) throw new UsageError(`--ip is no IP address: "${ip}"`);
  return address;
}

/** A pod's name may hold dots, a namespace may not. */
function splitId(text: string): { readonly namespace: string; readonly name: string } {
  const dot = text.lastIndexOf('.');
  if (dot >= 1 && dot < text.length - 1) return { namespace: text.slice(dot + 1), name: text.slice(0, dot) };
  throw new UsageError(
    text === ''
      ? 'which workload is this? give --id NAME.NAMESPACE, or POD_NAME and POD_NAMESPACE'
      : `--id is NAME.NAMESPACE, not "${text}"`,
  );
}
