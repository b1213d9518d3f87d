import { subnets } from './addresses.ts';
import { always, captured, direct, open, proxyIds, type Scenario } from './scenario.ts';

/** REDIRECT: the reference's packet walk and its variations. */
export const redirectScenarios: readonly Scenario[] = [
  {
    title: 'a standard sidecar',
    flags: [...proxyIds, '-b', '*', '-d', '15090,15021,15020', '-i', '*'],
    rows: {
      ...always,
      ...captured,
      'peer > workload:15090': 'app:15090 for workload:15090 from peer',
      'peer > workload:15021': 'app:15021 for workload:15021 from peer',
      'peer > workload:15006': 'proxy:15006 for workload:15006 from peer',
      'peer > workload:15001': 'proxy:15006 for workload:15001 from peer',
      'guest > peer:80': 'proxy:15006 for peer:80 from guest',
      'app > peer:80': 'proxy:15001 for peer:80 from workload',
      'root > peer:80': 'proxy:15001 for peer:80 from workload',
      'app > peer-excluded:5432': 'proxy:15001 for peer-excluded:5432 from workload-second',
      // Captured, they would be answered by the caller's own proxy.
      'app > peer:15090': 'peer:15090 for peer:15090 from workload',
      'app > peer:15021': 'peer:15021 for peer:15021 from workload',
      'app > peer:53/udp': 'peer:53 from workload',
      'app > workload:8080': 'app:8080 for workload:8080 from workload',
      'proxy > workload:8080': 'proxy:15006 for workload:8080 from workload',
      // The rule of the user returns what is local and not the user's, so the group's own rule never sees it.
      'proxy-group > workload:8080': 'app:8080 for workload:8080 from workload',
      'proxy at loopback > delivery:15002': 'proxy:15006 for delivery:15002 from loopback',
      'app > service:8080': 'proxy:15001 for service:8080 from workload',
      'proxy > service:8080': 'proxy:15006 for workload:8080 from peer',
    },
  },
  {
    title: 'one inbound port, excluded ports without effect, nothing outbound',
    flags: [...proxyIds, '-b', '8080', '-d', '9090'],
    rows: {
      ...always,
      ...direct,
      'peer > workload:8080': 'proxy:15006 for workload:8080 from peer',
      'peer > workload:9090': 'app:9090 for workload:9090 from peer',
      'peer > workload:12345': 'ECONNREFUSED',
    },
  },
  {
    title: 'ranges of ports, and one that the proxy serves as the end of a tunnel',
    flags: [...proxyIds, '-b', '*', '-d', '9000:9100', '-e', '15008', '-i', '*', '-o', '5000:5999'],
    rows: {
      ...always,
      'peer > workload:8080': 'proxy:15006 for workload:8080 from peer',
      'peer > workload:9090': 'app:9090 for workload:9090 from peer',
      'peer > workload:15008': 'app:15008 for workload:15008 from peer',
      'app > peer:80': 'proxy:15001 for peer:80 from workload',
      'app > peer:5432': 'peer:5432 for peer:5432 from workload',
    },
  },
  {
    title: 'nothing captured',
    flags: proxyIds,
    rows: {
      ...always,
      ...direct,
      ...open,
      'proxy at loopback > delivery:15002': 'proxy:15006 for delivery:15002 from loopback',
    },
  },
  {
    title: 'all outbound but a subnet and a port',
    flags: [...proxyIds, '-i', '*', '-x', subnets.second, '-o', '5432'],
    rows: {
      ...always,
      ...open,
      'app > peer:80': 'proxy:15001 for peer:80 from workload',
      'app > peer-excluded:80': 'peer:80 for peer-excluded:80 from workload-second',
      'app > peer:5432': 'peer:5432 for peer:5432 from workload',
    },
  },
  {
    title: 'one subnet outbound, and one port to any address',
    flags: [...proxyIds, '-i', subnets.second, '-q', '9999,5432', '-o', '5432'],
    rows: {
      ...always,
      ...open,
      ...direct,
      'app > peer-excluded:80': 'proxy:15001 for peer-excluded:80 from workload-second',
      'app > peer:9999': 'proxy:15001 for peer:9999 from workload',
      'app > peer:5432': 'peer:5432 for peer:5432 from workload',
    },
  },
  {
    title: 'two users and two groups of the proxy',
    flags: ['-u', '1337,1338', '-g', '1337,1338', '-b', '*', '-i', '*'],
    rows: {
      ...always,
      ...captured,
      'root > peer:80': 'proxy:15001 for peer:80 from workload',
      'second-user > peer:80': 'peer:80 for peer:80 from workload',
      'second-group > peer:80': 'peer:80 for peer:80 from workload',
      'second-user > workload:8080': 'proxy:15006 for workload:8080 from workload',
      'second-group > workload:8080': 'proxy:15006 for workload:8080 from workload',
    },
  },
  {
    title: 'root exempt because the ids name it',
    flags: ['-u', '1337,0', '-g', '1337,0', '-i', '*'],
    rows: {
      ...always,
      'app > peer:80': 'proxy:15001 for peer:80 from workload',
      'root > peer:80': 'peer:80 for peer:80 from workload',
    },
  },
  {
    title: 'loopback and the own subnet among the outbound ones',
    flags: [...proxyIds, '-i', '127.0.0.0/8,10.77.0.0/16'],
    families: ['IPv4'],
    rows: {
      'app > workload:8080': 'proxy:15001 for workload:8080 from workload',
      'app > loopback:8080': 'app:8080 for loopback:8080 from loopback',
      // What the proxy is given there it calls directly: as an inbound destination it would close it.
      'app > mapped:8080': 'proxy:15001 for mapped:8080 from loopback',
      'proxy > mapped:8080': 'app:8080 for mapped:8080 from loopback',
      'proxy > workload:8080': 'proxy:15006 for workload:8080 from workload',
      'proxy at loopback > delivery:15002': 'proxy:15006 for delivery:15002 from loopback',
      'proxy at delivery > workload:8080': 'app:8080 for workload:8080 from delivery',
      'proxy > peer:80': 'peer:80 for peer:80 from workload',
    },
  },
  {
    title: 'a virtual interface, everything outbound',
    flags: [...proxyIds, '-k', 'vnet0', '-b', '*', '-i', '*'],
    rows: {
      ...always,
      'peer > workload:8080': 'proxy:15006 for workload:8080 from peer',
      'guest > peer:80': 'proxy:15001 for peer:80 from guest',
      'guest > peer:15090': 'peer:15090 for peer:15090 from guest',
    },
  },
  {
    title: 'a virtual interface, one subnet outbound',
    flags: [...proxyIds, '-k', 'vnet0', '-b', '*', '-i', subnets.first],
    rows: {
      ...always,
      'peer > workload:8080': 'proxy:15006 for workload:8080 from peer',
      'guest > peer:80': 'proxy:15001 for peer:80 from guest',
      'guest > peer-excluded:80': 'peer:80 for peer-excluded:80 from guest',
      'guest > workload-virtual:8080': 'app:8080 for workload-virtual:8080 from guest',
    },
  },
];

/** Queries are led to a port of the proxy, to the agent's over TCP too; the asker hears from the server that it asked. */
export const dnsScenarios: readonly Scenario[] = [
  { title: 'DNS_CAPTURE', port: 15013 },
  { title: 'DNS_AGENT', port: 15053 },
].map(({ title, port }) => ({
  title: `queries captured by ${title}`,
  flags: [...proxyIds, '-i', '*'],
  env: { [title]: 'true' },
  rows: {
    ...always,
    'app > peer:53/udp': `proxy:${port} from loopback`,
    'root > peer:53/udp': `proxy:${port} from loopback`,
    'app > loopback:53/udp': `proxy:${port} from loopback`,
    'proxy > peer:53/udp': 'peer:53 from workload',
    'proxy-group > peer:53/udp': 'peer:53 from workload',
    'app > peer:54/udp': 'peer:54 from workload',
    'app > peer:53':
      title === 'DNS_AGENT' ? 'proxy:15053 for peer:53 from workload' : 'proxy:15001 for peer:53 from workload',
    'proxy > peer:53': 'peer:53 for peer:53 from workload',
  },
}));
