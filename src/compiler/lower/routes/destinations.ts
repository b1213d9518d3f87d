import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import type { MeshObject } from '../../../policy/object.ts';
import type { Destination } from '../../../policy/virtual-service.ts';
import type { HashPolicyIR } from '../../ir/route.ts';
import type { EffectiveOutbound } from '../../merge/effective.ts';
import { resolveShortName } from '../../topology/host.ts';
import { isVisible } from '../../topology/visibility.ts';
import { hashPolicies } from '../clusters/load-balancing.ts';
import { clusterNames, outboundCluster } from '../names.ts';

/** Where a destination is named, and for whom it is looked up. */
export interface DestinationPlace {
  readonly owner: MeshObject<string>;
  readonly path: JsonPath;
  readonly client: { readonly namespace: string };
  /** The port of destinations that name none and have several. */
  readonly listenPort: number;
  readonly clusterDomain: string;
}

/** A destination as the client's routes name it. */
export interface FoundDestination {
  readonly cluster: string;
  /** What the rule in force for it hashes. */
  readonly hashPolicies: readonly HashPolicyIR[];
  /** Undefined where nothing is known of it: its requests get 503. */
  readonly outbound: EffectiveOutbound | undefined;
}

/** The services of a client scope by host. */
export class Destinations {
  readonly #byHost: ReadonlyMap<string, EffectiveOutbound>;

  /** `namespace` is that of the client: it sees some aliases and not others. */
  constructor(services: readonly EffectiveOutbound[], namespace: string) {
    const aliased = services.flatMap((outbound) =>
      outbound.service.aliases
        .filter((alias) => isVisible(alias.exportTo, alias.namespace, namespace))
        .map((alias) => [alias.host, outbound] as const),
    );
    this.#byHost = new Map([...aliased, ...services.map((outbound) => [outbound.service.host, outbound] as const)]);
  }

  /** By the full name, or that of an alias. */
  serviceOf(host: string): EffectiveOutbound | undefined {
    return this.#byHost.get(host);
  }

  /**
   * The cluster of a destination. Of one that the client does not see, or that has no such subset, the cluster without
   * hosts, which answers 503; both are reported. What nobody declares was an error before, or may come later.
   */
  find({ host, port, subset }: Destination, place: DestinationPlace, bag: DiagnosticBag): FoundDestination {
    const name = resolveShortName(host, place.owner.namespace, place.clusterDomain);
    const span = (...field: JsonPath) => place.owner.document.spanOf([...place.path, ...field]);
    const outbound = this.#byHost.get(name);
    if (outbound === undefined) {
      bag.report('unseen-destination', span('host'), { host: name, client: place.client.namespace });
      return nowhere;
    }
    const ports = outbound.service.ports.filter(({ protocol }) => protocol !== 'udp').map(({ number }) => number);
    const number = port?.number ?? (ports.length === 1 ? ports[0] : undefined) ?? place.listenPort;
    if (!ports.includes(number)) {
      const holes = { host: name, ports: ports.join(', '), port: String(number) };
      bag.report('destination-without-port', span('host'), holes);
      return nowhere;
    }
    const known = outbound.subsets.find((other) => other.name === (subset ?? ''));
    if (known === undefined) {
      bag.report('unknown-subset', span('subset'), { subset: subset ?? '', host: name });
      return nowhere;
    }
    return {
      cluster: outboundCluster(outbound.service.host, number, subset),
      hashPolicies: hashPolicies(known.traffic.get(number)?.blocks.loadBalancer?.consistentHash),
      outbound,
    };
  }
}

const nowhere: FoundDestination = { cluster: clusterNames.blackHole, hashPolicies: [], outbound: undefined };
