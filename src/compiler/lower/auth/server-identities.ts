import type { Service } from '../../topology/model.ts';
import { trustDomainPrefix } from '../names.ts';

/**
 * Identities that may serve a service port: those of all its endpoints, ready or not, whatever the subset, and those that the service
 * declares; each in every trust domain of the mesh when it is in one of them. Sorted. Empty when nobody is known.
 */
export function serverIdentities(service: Service, port: number, trustDomains: readonly string[]): readonly string[] {
  const identities = new Set(service.subjectAltNames);
  for (const identity of service.facts.ports.get(port)?.identities ?? []) identities.add(identity);
  if (trustDomains.length > 1) {
    for (const identity of [...identities]) {
      for (const alias of inEachTrustDomain(identity, trustDomains)) identities.add(alias);
    }
  }
  return [...identities].sort();
}

function inEachTrustDomain(identity: string, trustDomains: readonly string[]): readonly string[] {
  const own = trustDomains.map(trustDomainPrefix).find((prefix) => identity.startsWith(prefix));
  if (own === undefined) return [];
  const path = identity.slice(own.length);
  return trustDomains.map((trustDomain) => trustDomainPrefix(trustDomain) + path);
}
