import { isIP } from 'node:net';
import type { ProxyFiles } from '../../agent/reload/proxy-files.ts';
import { UsageError } from '../failure.ts';

/** Who the proxy is, from flags and variables. */
export interface ProxyIdentity {
  readonly namespace: string;
  readonly name: string;
  /** First address of the node id; undefined takes the workload's. */
  readonly ip: string | undefined;
  /** DNS domain of the node id; undefined takes `<namespace>.svc.<cluster domain>`. */
  readonly domain: string | undefined;
}

interface IdentityFlags {
  readonly id: string;
  readonly ip: string;
  readonly domain: string;
}

/** `--id`, else POD_NAME and POD_NAMESPACE; `--ip`, else INSTANCE_IP. */
export function identifyProxy(
  { id, ip, domain }: IdentityFlags,
  environment: Readonly<Record<string, string | undefined>>,
): ProxyIdentity {
  const { POD_NAME: podName = '', POD_NAMESPACE: podNamespace = '', INSTANCE_IP: instanceIp = '' } = environment;
  const text = id !== '' ? id : podName !== '' && podNamespace !== '' ? `${podName}.${podNamespace}` : '';
  // A pod's name may hold dots, a namespace may not.
  const dot = text.lastIndexOf('.');
  if (dot < 1 || dot === text.length - 1) {
    throw new UsageError(
      text === ''
        ? 'which workload is this? give --id NAME.NAMESPACE, or POD_NAME and POD_NAMESPACE'
        : `--id is NAME.NAMESPACE, not "${text}"`,
    );
  }
  if (ip !== '' && isIP(ip) === 0) throw new UsageError(`--ip is no IP address: "${ip}"`);
  // An unparsable INSTANCE_IP counts as absent, as in the original.
  const address = ip !== '' ? ip : isIP(instanceIp) !== 0 ? instanceIp : undefined;
  for (const value of [text, domain]) {
    if (/[~\s]/.test(value)) throw new UsageError(`"${value}" cannot be a part of the node id`);
  }
  return {
    namespace: text.slice(dot + 1),
    name: text.slice(0, dot),
    ip: address,
    domain: domain === '' ? undefined : domain,
  };
}

/** Puts what flags and variables say of the proxy into the node id, `role~ip~name.namespace~domain`. */
export function withNodeId(files: ProxyFiles, { ip, domain }: ProxyIdentity): ProxyFiles {
  if (ip === undefined && domain === undefined) return files;
  const bootstrap = JSON.parse(files.bootstrap) as { readonly node?: { readonly id?: string } };
  const [role = '', compiledIp = '', id = '', compiledDomain = ''] = bootstrap.node?.id?.split('~') ?? [];
  const node = { ...bootstrap.node, id: [role, ip ?? compiledIp, id, domain ?? compiledDomain].join('~') };
  return { ...files, bootstrap: `${JSON.stringify({ ...bootstrap, node }, null, 2)}\n` };
}
