import { gatewaySecret, secretFault } from '../compiler/topology/gateway-secret.ts';
import type { GatewaySecretTexts } from '../contracts/gateway-secret-texts.ts';
import { authoritiesSuffix, gatewayScheme } from '../contracts/gateway-secret-texts.ts';
import { namesUsedIn } from '../envoy/api/references.ts';
import type { MeshObject } from '../policy/object.ts';
import type { Secret } from '../policy/topology-kinds.ts';

/** Where a gateway finds its secrets. */
export interface SecretPlace {
  /** The proxy's own. */
  readonly namespace: string;
  /** Name of the Secret whose key pair is shown for one that is not there (INGRESS_GATEWAY_FALLBACK_SECRET); absent: none. */
  readonly fallback?: string;
}

/** SDS names of the gateway's secrets that compiled listeners ask for. */
export function secretNamesOf(listeners: readonly { readonly json: object }[]): readonly string[] {
  const names = new Set(listeners.flatMap(({ json }) => [...namesUsedIn(json).secret]));
  return [...names].filter((name) => name.startsWith(gatewayScheme));
}

/**
 * Secrets by SDS name, from the Secret objects of one namespace. Those that are not there, or cannot serve what is asked for,
 * are left out: their servers stay closed. For authorities of clients there is no fallback: without them it is `nobody`.
 */
export function gatewaySecretsOf(
  names: Iterable<string>,
  objects: readonly MeshObject<string>[],
  { namespace, fallback }: SecretPlace,
): ReadonlyMap<string, GatewaySecretTexts> {
  const secrets = new Map(
    objects
      .filter((object): object is Secret => object.kind === 'Secret' && object.namespace === namespace)
      .map((secret) => [secret.name, secret]),
  );
  const found = new Map<string, GatewaySecretTexts>();
  for (const sdsName of names) {
    const name = sdsName.slice(gatewayScheme.length);
    const texts = name.endsWith(authoritiesSuffix) ? authorities(name, secrets) : keyPair(name, fallback, secrets);
    if (texts !== undefined) found.set(sdsName, texts);
  }
  return found;
}

function keyPair(
  name: string,
  fallback: string | undefined,
  secrets: ReadonlyMap<string, Secret>,
): GatewaySecretTexts | undefined {
  const secret = secrets.get(name) ?? (fallback === undefined ? undefined : secrets.get(fallback));
  if (secret === undefined || secretFault(secret, 'pair') !== undefined) return undefined;
  const { certificateChain, privateKey } = gatewaySecret(secret);
  if (certificateChain === undefined || privateKey === undefined) return undefined;
  return { kind: 'pair', certificateChain, privateKey };
}

/** A secret of their own, else the one that also holds the pair. */
function authorities(name: string, secrets: ReadonlyMap<string, Secret>): GatewaySecretTexts {
  const secret = secrets.get(name) ?? secrets.get(name.slice(0, -authoritiesSuffix.length));
  if (secret === undefined || secretFault(secret, 'authorities') !== undefined) return { kind: 'nobody' };
  const { authorities: certificates, revocationList } = gatewaySecret(secret);
  return certificates === undefined ? { kind: 'nobody' } : { kind: 'authorities', certificates, revocationList };
}
