import type { Clock } from '../../lib/clock.ts';
import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { DeltaResponse, DiscoveryNode } from '../../xds/message.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import type { Log } from '../log/log.ts';
import type { FetchedNames } from './fetched-names.ts';
import type { FetchedSecrets } from './fetched-secrets.ts';
import type { ReportedFaults } from './reported-faults.ts';

/** What a stream to the control plane needs of its client. */
export interface UpstreamOptions {
  /** `host:port` of the control plane; its certificate must be for the host. */
  readonly address: string;
  readonly node: () => Promise<DiscoveryNode>;
  /** What this client has of a type. */
  readonly view: (list: ConfigurationList) => ResourceView;
  /** A response that may be served; `answer` gives Envoy's refusal, or nothing. */
  readonly take: (
    list: ConfigurationList,
    response: DeltaResponse,
    answer: (refusal: string | undefined) => void,
  ) => void;
  /** Secrets are asked for anew on each stream, and no version of them is named. */
  readonly secrets: FetchedSecrets;
  /** Invalid objects that concern this proxy; a control plane that knows no such type is asked once. */
  readonly faults: Pick<ReportedFaults, 'begin' | 'take'>;
  /** Names of the mesh, for DNS; asked for likewise. Undefined: nobody wants to know them. */
  readonly names: Pick<FetchedNames, 'take' | 'versions' | 'clear'> | undefined;
  /** Whether this client has all that the control plane has for it, from now on. */
  readonly synced: (isSynced: boolean) => void;
  readonly log: Log;
  readonly clock: Clock;
  /**
   * How often the control plane is asked whether it is there; a stream without an answer for twice as long is ended.
   */
  readonly checkMs?: number;
}
