import { boundPorts } from '../../../config/proxy-ports.ts';
import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { metricsPort, readinessPort } from '../../../lib/proxy-addresses.ts';
import type { Service } from '../../../policy/topology-kinds.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import { listenerName } from '../names.ts';
import { servicePortSpan } from '../origins.ts';
import type { Placement, TcpMatch } from './placement.ts';

/** The parts of one listener that services have claimed, oldest first. */
export interface ListenerDraft {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly isWildcard: boolean;
  /** The application connects to it: nothing is redirected there. */
  readonly isBound: boolean;
  /** The first claim on its HTTP requests, and all services that share its route table. */
  readonly http: Placement[];
  /** Takes the bytes that no match below takes. */
  fallback: Placement | undefined;
  readonly matched: { readonly placement: Placement; readonly match: TcpMatch }[];
}

type ListenerMetric = Extract<ConflictIR['metric'], `pilot_conflict_outbound_listener_${string}`>;

/** Lays claims on listeners until each part of a listener has one owner: the oldest. */
export class ListenerDrafts {
  readonly drafts = new Map<string, ListenerDraft>();
  readonly conflicts: ConflictIR[] = [];
  readonly #wildcard: readonly string[];
  readonly #isSniffing: boolean;
  readonly #boundPorts: ReadonlySet<number>;
  readonly #bag: DiagnosticBag;

  constructor(wildcard: readonly string[], settings: Settings, bag: DiagnosticBag) {
    this.#wildcard = wildcard;
    this.#isSniffing = settings.sniffOutbound;
    this.#boundPorts = boundPorts(settings);
    this.#bag = bag;
  }

  add(placement: Placement): void {
    const addresses = placement.address === undefined ? this.#wildcard : [placement.address];
    if (this.#boundPorts.has(placement.port.number) && addresses.some(isUnspecified)) {
      this.#refuse(placement);
      return;
    }
    const isBound = placement.isBound === true;
    const place = listenerName(addresses[0] ?? '', placement.port.number);
    const name = isBound ? `bound_${place}` : place;
    let draft = this.drafts.get(name);
    if (draft === undefined) {
      const isWildcard = placement.address === undefined;
      const port = placement.port.number;
      draft = { name, addresses, port, isWildcard, isBound, http: [], fallback: undefined, matched: [] };
      this.drafts.set(name, draft);
    }
    const tcpOwner = draft.fallback ?? draft.matched[0]?.placement;
    const httpOwner = draft.http[0];
    if (placement.routes !== undefined) this.#claimHttp(draft, placement, tcpOwner);
    if (placement.tcp !== undefined) this.#claimTcp(draft, placement, placement.tcp, httpOwner);
  }

  #claimHttp(draft: ListenerDraft, placement: Placement, tcpOwner: Placement | undefined): void {
    const isBlocked = tcpOwner !== undefined && (!this.#isSniffing || isExclusive(tcpOwner));
    if (draft.http.length === 0 && isBlocked) {
      this.#lose(draft, placement, tcpOwner, 'http_over_current_tcp');
    } else if (draft.http.length === 0 || draft.http[0]?.routes === placement.routes) {
      draft.http.push(placement);
    }
  }

  #claimTcp(draft: ListenerDraft, placement: Placement, match: TcpMatch, httpOwner: Placement | undefined): void {
    if (httpOwner !== undefined && (!this.#isSniffing || isExclusive(placement))) {
      this.#lose(draft, placement, httpOwner, 'tcp_over_current_http');
      return;
    }
    const isFallback = isSame(match, { serverNames: [], destinationPrefixes: [] });
    const owner = isFallback ? draft.fallback : draft.matched.find((known) => isSame(known.match, match))?.placement;
    if (owner !== undefined) this.#lose(draft, placement, owner, 'tcp_over_current_tcp');
    else if (isFallback) draft.fallback = placement;
    else draft.matched.push({ placement, match });
  }

  /** Envoy would refuse one of the two listeners of one address: perhaps the one that takes all inbound connections. */
  #refuse({ outbound, port }: Placement): void {
    if (isOfProxies(outbound.service, port.number)) return;
    this.#bag.report('service-port-of-proxy', servicePortSpan(outbound.service, port.number), {
      port: String(port.number),
      host: outbound.service.host,
    });
  }

  #lose(
    draft: ListenerDraft,
    loser: Placement,
    winner: Placement,
    clash: 'http_over_current_tcp' | 'tcp_over_current_http' | 'tcp_over_current_tcp',
  ): void {
    const metric: ListenerMetric = `pilot_conflict_outbound_listener_${clash}`;
    this.conflicts.push({ metric, key: `${draft.addresses[0]}:${draft.port}` });
    this.#bag.report(
      'conflicting-outbound-listener',
      servicePortSpan(loser.outbound.service, loser.port.number),
      {
        port: String(loser.port.number),
        loser: loser.outbound.service.host,
        winner: winner.outbound.service.host,
        listener: draft.name,
        what: clash === 'http_over_current_tcp' ? 'its HTTP traffic' : 'its TCP traffic',
      },
      {
        related: [
          { message: 'the one that applies', span: servicePortSpan(winner.outbound.service, winner.port.number) },
        ],
      },
    );
  }
}

/** Proxies do not capture what is sent to the ports at which they answer to the outside: it needs no listener. */
function isOfProxies({ kind, object }: Placement['outbound']['service'], port: number): boolean {
  if (kind !== 'Service' || ![readinessPort, metricsPort].includes(port)) return false;
  const { spec } = object as Service;
  return spec.ports?.some((it) => it.port === port && (it.targetPort ?? port) === port) === true;
}

function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** Their servers speak first or in frames that look like nothing: detection cannot tell them from others. */
function isExclusive({ port }: Placement): boolean {
  return port.protocol === 'mongo' || port.protocol === 'mysql';
}

function isSame(a: TcpMatch, b: TcpMatch): boolean {
  const keyOf = ({ serverNames, destinationPrefixes, sourcePrefixes = [] }: TcpMatch): string =>
    [serverNames, destinationPrefixes, sourcePrefixes].map((list) => list.join()).join(' ');
  return keyOf(a) === keyOf(b);
}
