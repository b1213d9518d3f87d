import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath, SourceSpan } from '../../diagnostics/span.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { type DestinationAt, destinationsOf } from '../topology/destinations.ts';
import { resolveShortName } from '../topology/host.ts';
import type { Topology } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import { isOfUnseenNamespace } from '../topology/unseen-namespace.ts';
import { expectedPorts, hintOfPort } from './meant-port.ts';
import type { ServiceHosts } from './service-hosts.ts';

/** A destination of a VirtualService that no client could ever reach: no service has its host, or none of these its port. */
export interface MissingDestination {
  readonly virtualService: VirtualService;
  /** Of the destination. */
  readonly path: JsonPath;
  /** The full name. */
  readonly host: string;
  /** The port that no service of the host has, and those that they have; undefined: no service has the host. */
  readonly port: { readonly number: number; readonly expected: string } | undefined;
  readonly hint: string | undefined;
  readonly isUnseen: boolean;
}

/** In the order of `destinationsOf`. */
export function missingDestinations(
  virtualService: VirtualService,
  hosts: ServiceHosts,
  { topology, settings: { clusterDomain } }: { readonly topology: Topology; readonly settings: Settings },
): readonly MissingDestination[] {
  const destinations = destinationsOf(virtualService);
  const hostOf = ({ destination }: DestinationAt): string =>
    resolveShortName(destination.host, virtualService.namespace, clusterDomain);
  return destinations.flatMap((at): readonly MissingDestination[] => {
    const { destination, path } = at;
    const host = hostOf(at);
    const services = hosts.get(host);
    if (services === undefined) {
      const near = hosts.nearest(host) ?? hosts.fuller(host);
      // A mirror or a canary is another service than the one beside it, whose name its own is made of.
      const [, kind, index] = path;
      const isBeside = (it: DestinationAt): boolean =>
        it.path[1] === kind && it.path[2] === index && hostOf(it) === near;
      const hint = near === undefined || destinations.some(isBeside) ? undefined : `did you mean "${near}"?`;
      const isUnseen = !hosts.misspells(host) && isOfUnseenNamespace(host, topology, clusterDomain);
      return [{ virtualService, path, host, port: undefined, hint, isUnseen }];
    }
    const number = destination.port?.number;
    if (number === undefined || services.some(({ ports }) => ports.some((port) => port.number === number))) return [];
    const port = { number, expected: expectedPorts(services) };
    return [{ virtualService, path, host, port, hint: hintOfPort(services, number), isUnseen: false }];
  });
}

/**
 * Reports each as an error. Where services come and go, `lastValid` are the objects of the last valid inputs: then it is a
 * warning, and given, for the requests that are routed there get 503. But a destination that the last valid version of its
 * VirtualService did not have was written wrong, and remains an error.
 */
export function reportMissing(
  missing: readonly MissingDestination[],
  {
    lastValid,
    clusterDomain,
  }: { readonly lastValid: readonly MeshObject<string>[] | undefined; readonly clusterDomain: string },
  bag: DiagnosticBag,
): readonly MissingDestination[] {
  if (missing.length === 0) return missing;
  const before = lastValid && versionsOf(lastValid);
  const knownTo = new Map<VirtualService, ReadonlySet<string>>();
  const knows = (version: VirtualService, { host, port }: MissingDestination): boolean => {
    const known = knownTo.get(version) ?? destinationTexts(version, clusterDomain);
    knownTo.set(version, known);
    return known.has(port === undefined ? host : `${host}:${port.number}`);
  };
  return missing.filter((it) => {
    const { virtualService, host, port, hint, isUnseen } = it;
    const known = before?.get(nameOf(virtualService));
    const isAwaited = before !== undefined && (known === undefined || knows(known, it));
    const span = spanOfMissing(it);
    if (port === undefined) {
      bag.report(isAwaited ? 'missing-destination' : 'unknown-destination', span, { host }, { hint, isUnseen });
    } else {
      const holes = { host, port: String(port.number), expected: port.expected };
      bag.report(isAwaited ? 'missing-destination-port' : 'unknown-destination-port', span, holes, { hint });
    }
    return isAwaited;
  });
}

/** The host, or the port that is missing. */
export function spanOfMissing({ virtualService, path, port }: MissingDestination): SourceSpan {
  return virtualService.document.spanOf([...path, ...(port === undefined ? ['host'] : ['port', 'number'])]);
}

function versionsOf(objects: readonly MeshObject<string>[]): ReadonlyMap<string, VirtualService> {
  const versions = objects.filter(({ kind }) => kind === 'VirtualService');
  return new Map(versions.map((version) => [nameOf(version), version as VirtualService]));
}

/** The hosts of all destinations, and those with a port as `host:port`. */
function destinationTexts(version: VirtualService, clusterDomain: string): ReadonlySet<string> {
  return new Set(
    destinationsOf(version).flatMap(({ destination }) => {
      const host = resolveShortName(destination.host, version.namespace, clusterDomain);
      return destination.port === undefined ? [host] : [host, `${host}:${destination.port.number}`];
    }),
  );
}
