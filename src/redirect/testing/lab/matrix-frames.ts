import { subnets } from './addresses.ts';
import { proxyIds, type Scenario } from './scenario.ts';

/** Frames to the workload's link address with destinations that are never a pod's; one that nobody answers is `silent`. */
const local = {
  'peer-frames > workload:8080': 'proxy:15006 for workload:8080 from peer',
  'peer-frames > loopback:8080': 'silent',
  'peer-frames > mapped:8080': 'silent',
  'peer-frames > unspecified:8080': 'silent',
};

/** Under each mode: every inbound port captured, or one. */
export function frameScenarios(mode: 'REDIRECT' | 'TPROXY'): readonly Scenario[] {
  return ['*', '8080'].map((ports) => ({
    title: `ports ${ports}, frames for addresses of the host itself`,
    flags: [...proxyIds, '-m', mode, '-b', ports, '-i', '*'],
    rows: local,
  }));
}

/** What comes from a guest is captured as outbound, by other rules. */
export const guestFrameScenarios: readonly Scenario[] = ['*', subnets.first].map((cidrs) => ({
  title: `outbound ${cidrs}, frames of a guest for addresses of the host itself`,
  flags: [...proxyIds, '-k', 'vnet0', '-b', '*', '-i', cidrs === '*' ? cidrs : `${cidrs},127.0.0.0/8,::1/128`],
  rows: {
    'guest-frames > peer:80': 'proxy:15001 for peer:80 from guest',
    'guest-frames > loopback:8080': 'silent',
    'guest-frames > mapped:8080': 'silent',
    'guest-frames > unspecified:8080': 'silent',
  },
}));
