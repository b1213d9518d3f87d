import { standardGroup } from '../../../policy/gateway-api.ts';
import { isSecretName, type SecretName } from './secret-name.ts';

/** What is read of a Gateway of the Gateway API; nobody has checked it. */
interface Read {
  readonly apiVersion?: unknown;
  readonly metadata: { readonly namespace?: string };
  readonly spec?: object;
}

interface StandardSpec {
  readonly addresses?: unknown;
  readonly listeners?: unknown;
}

interface Reference {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly group?: unknown;
  readonly kind?: unknown;
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Secrets that the listeners of a Gateway of the Gateway API name, if it is one; undefined for other objects. Those in another
 * namespace than that of the workloads are left out, since the compiler refuses them.
 */
export function listenerSecrets({ apiVersion, metadata, spec }: Read): readonly SecretName[] | undefined {
  if (!String(apiVersion).startsWith(`${standardGroup}/`)) return undefined;
  const { namespace: own = '' } = metadata;
  const { addresses, listeners: listed } = (spec ?? {}) as StandardSpec;
  const [address] = listOf(addresses) as readonly ({ readonly value?: unknown } | null)[];
  const [, served = own] = typeof address?.value === 'string' ? address.value.toLowerCase().split('.') : [];
  const listeners = listOf(listed) as readonly ({
    readonly tls?: { readonly certificateRefs?: unknown };
  } | null)[];
  const references = listeners.flatMap(
    (listener) => listOf(listener?.tls?.certificateRefs) as readonly (Reference | null)[],
  );
  return references.flatMap((reference) => {
    const { name, namespace = own, group = '', kind = 'Secret' } = reference ?? {};
    if (group !== '' || kind !== 'Secret' || !isSecretName(name)) return [];
    return namespace === served && label.test(served) ? [{ namespace: served, name }] : [];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
