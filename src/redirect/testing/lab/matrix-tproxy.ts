import { subnets } from './addresses.ts';
import { always, captured, direct, open, proxyIds, type Scenario } from './scenario.ts';

/** TPROXY: inbound connections keep both their addresses; outbound ones are redirected as ever. */
export const tproxyScenarios: readonly Scenario[] = [
  {
    title: 'a standard sidecar',
    flags: [...proxyIds, '-m', 'TPROXY', '-b', '*', '-d', '15090', '-i', '*'],
    rows: {
      ...always,
      ...captured,
      'peer > workload:15090': 'app:15090 for workload:15090 from peer',
      'app > peer:80': 'proxy:15001 for peer:80 from workload',
      'app > workload:8080': 'app:8080 for workload:8080 from workload',
      'proxy > workload:8080': 'proxy:15006 for workload:8080 from workload',
      'app > service:8080': 'proxy:15001 for service:8080 from workload',
      'proxy > service:8080': 'proxy:15006 for workload:8080 from peer',
    },
  },
  {
    title: 'one inbound port',
    flags: [...proxyIds, '-m', 'TPROXY', '-b', '8080'],
    rows: {
      ...always,
      ...direct,
      'peer > workload:8080': 'proxy:15006 for workload:8080 from peer',
      'peer > workload:9090': 'app:9090 for workload:9090 from peer',
      'proxy > workload:8080': 'proxy:15006 for workload:8080 from workload',
      'proxy > workload:9090': 'app:9090 for workload:9090 from workload',
    },
  },
  {
    title: 'a mark and a route table of its own',
    flags: [...proxyIds, '-m', 'TPROXY', '-t', '77', '-r', '78', '-b', '*', '-i', subnets.first],
    rows: {
      ...captured,
      'app > peer:80': 'proxy:15001 for peer:80 from workload',
      'app > peer-excluded:80': 'peer:80 for peer-excluded:80 from workload-second',
      'proxy > workload:8080': 'proxy:15006 for workload:8080 from workload',
    },
  },
  {
    title: 'a range of ports, one in it for a tunnel, and a virtual interface',
    flags: [...proxyIds, '-m', 'TPROXY', '-b', '8000:15100', '-e', '15008', '-k', 'vnet0', '-i', subnets.first],
    rows: {
      ...always,
      'peer > workload:8080': 'proxy:15006 for workload:8080 from peer',
      'peer > workload:9090': 'proxy:15006 for workload:9090 from peer',
      'peer > workload:15008': 'app:15008 for workload:15008 from peer',
      'peer > workload:15090': 'proxy:15006 for workload:15090 from peer',
      'guest > workload-virtual:8080': 'app:8080 for workload-virtual:8080 from guest',
      'guest > peer:80': 'proxy:15001 for peer:80 from guest',
      'guest > peer-excluded:80': 'peer:80 for peer-excluded:80 from guest',
    },
  },
  {
    title: 'nothing captured',
    flags: [...proxyIds, '-m', 'TPROXY'],
    rows: { ...always, ...direct, ...open },
  },
];
