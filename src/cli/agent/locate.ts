import type { Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ProxyIdentity } from '../../live/node-id.ts';
import { type IdentityFlags, identifyProxy, needsOwnAddress } from './workload.ts';

/** What is needed to say which workload the proxy serves. */
export interface LocateOptions {
  readonly flags: IdentityFlags;
  readonly environment: Environment;
  readonly settings: Settings;
  /** Files and folders of policies and topology. */
  readonly inputs: readonly string[];
  /** Addresses of the machine; asked for only when nothing names one and the registry knows the proxy by its address. */
  readonly ownAddresses: () => Promise<readonly string[]>;
}

/** Who the proxy is; a UsageError when neither flags, variables nor an address of the inputs say so. */
export async function locateProxy(options: LocateOptions): Promise<ProxyIdentity> {
  const { flags, environment } = options;
  const own = needsOwnAddress(flags, environment) ? (await options.ownAddresses())[0] : undefined;
  const { workload, ...identity } = identifyProxy(flags, environment, own);
  return { ...identity, ...(workload ?? (await workloadAt(identity.ip ?? '', options))) };
}

/** The one workload of the inputs that has the address. Without inputs the control plane finds it by the address. */
async function workloadAt(
  address: string,
  { flags, environment, inputs, settings }: LocateOptions,
): Promise<Pick<ProxyIdentity, 'namespace' | 'name'>> {
  if (inputs.length === 0) return { namespace: namespaceOf(flags, environment), name: address };
  const { workloadsAt } = await import('../../live/locate-workload.ts');
  const [only, ...others] = await workloadsAt(address, inputs, settings);
  if (only !== undefined && others.length === 0) return { namespace: only.namespace, name: only.name };
  const count = only === undefined ? 'no workload of the inputs has' : 'several workloads of the inputs have';
  throw new UsageError(`${count} the address "${address}": give --id NAME.NAMESPACE`);
}

/** Namespace of the identity that is asked for; that of all services of a catalog when nothing says another one. */
function namespaceOf({ serviceregistry }: IdentityFlags, { POD_NAMESPACE: own = '' }: Environment): string {
  if (own !== '') return own;
  if (serviceregistry === 'Catalog') return 'default';
  throw new UsageError(
    'nothing here says which namespace this workload is in: give POD_NAMESPACE, or --id NAME.NAMESPACE',
  );
}
