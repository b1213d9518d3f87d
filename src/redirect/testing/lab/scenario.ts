import type { Family } from '../../config.ts';

/** One configuration of the redirection, and what meets the packets under it. */
export interface Scenario {
  readonly title: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Both when absent. */
  readonly families?: readonly Family[];
  /** Calls as `parseCall` reads them, with what each meets. */
  readonly rows: Readonly<Record<string, string>>;
}

/** Flags that name the proxy's owner. */
export const proxyIds = ['-u', '1337', '-g', '1337'];

/** Nothing outbound is captured. */
export const direct = {
  'app > peer:80': 'peer:80 for peer:80 from workload',
  'root > peer:80': 'peer:80 for peer:80 from workload',
};
/** Nothing inbound is captured. */
export const open = {
  'peer > workload:8080': 'app:8080 for workload:8080 from peer',
  'peer > workload:9090': 'app:9090 for workload:9090 from peer',
};

/** What no configuration changes: the proxy's own calls, loopback, the way to the application, the ports of the host. */
export const always = {
  'proxy > peer:80': 'peer:80 for peer:80 from workload',
  'proxy-user > peer:80': 'peer:80 for peer:80 from workload',
  'proxy-group > peer:80': 'peer:80 for peer:80 from workload',
  'app > loopback:8080': 'app:8080 for loopback:8080 from loopback',
  'proxy > loopback:8080': 'app:8080 for loopback:8080 from loopback',
  'proxy at delivery > workload:8080': 'app:8080 for workload:8080 from delivery',
  'proxy at delivery > loopback:8080': 'app:8080 for loopback:8080 from delivery',
  'app at loopback > delivery:15002': 'ECONNREFUSED',
  'peer > workload:22': 'app:22 for workload:22 from peer',
};

/** Everything inbound is captured. */
export const captured = {
  'peer > workload:8080': 'proxy:15006 for workload:8080 from peer',
  'peer > workload:9090': 'proxy:15006 for workload:9090 from peer',
  'peer > workload:12345': 'proxy:15006 for workload:12345 from peer',
  'peer > workload-second:8080': 'proxy:15006 for workload-second:8080 from peer-excluded',
  'guest > workload:8080': 'proxy:15006 for workload:8080 from guest',
};
