import type { ProxyFiles } from '../contracts/proxy-files.ts';
import { Fragment } from '../envoy/api/fragment.ts';

/** Who the proxy is, from flags and variables. */
export interface ProxyIdentity {
  readonly namespace: string;
  readonly name: string;
  /** First address of the node id; undefined takes the workload's. */
  readonly ip: string | undefined;
  /** Third field of the node id; undefined takes `<name>.<namespace>`. */
  readonly id?: string | undefined;
  /** DNS domain of the node id; undefined takes `<namespace>.svc.<cluster domain>`. */
  readonly domain: string | undefined;
}

/** Puts what flags and variables say of the proxy into the node id, `role~ip~name.namespace~domain`. */
export function withNodeId(files: ProxyFiles, { ip, id, domain }: ProxyIdentity): ProxyFiles {
  if (ip === undefined && id === undefined && domain === undefined) return files;
  const node = new Fragment(files.bootstrap).at('node');
  const [role = '', compiledIp = '', compiledId = '', compiledDomain = ''] = node.at('id').text?.split('~') ?? [];
  const nodeId = [role, ip ?? compiledIp, id ?? compiledId, domain ?? compiledDomain].join('~');
  return { ...files, bootstrap: { ...files.bootstrap, node: { ...node.message, id: nodeId } } };
}
