import type { DnsObserver } from '../../dns/observer.ts';
import type { OutgoingObserver } from '../../lib/outgoing-observer.ts';
import type { DiscoveryObserver } from '../../xds/observer.ts';
import type { ConfigurationObserver } from '../discovery/observer.ts';
import type { LifeObserver } from '../life/observer.ts';
import type { ReloadObserver } from '../reload/observer.ts';
import type { CertificateObserver } from '../secrets/certificate-observer.ts';
import type { ScrapeObserver } from '../status/observer.ts';

/** Observers of what the agent does; `AgentMetrics` implements them. */
export interface AgentObservers {
  readonly discovery?: DiscoveryObserver;
  readonly configuration?: ConfigurationObserver;
  readonly outgoing?: OutgoingObserver;
  readonly certificates?: CertificateObserver;
  readonly life?: LifeObserver;
  readonly reload?: ReloadObserver;
  readonly scrape?: ScrapeObserver;
  readonly dns?: DnsObserver;
}
