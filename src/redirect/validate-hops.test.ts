import { describe, expect, test } from 'vitest';
import { type Expectation, failedHop } from './validate-hops.ts';
import { type ProbeEnd, probeFamilies } from './validate-probe.ts';

const refused: ProbeEnd = { kind: 'error', code: 'ECONNREFUSED' };
const lost: ProbeEnd = { kind: 'silent', isConnected: false };
const quiet: ProbeEnd = { kind: 'silent', isConnected: true };
const stranger: ProbeEnd = { kind: 'stranger' };
const inbound: ProbeEnd = { kind: 'arrived', port: 15006 };
const outbound: ProbeEnd = { kind: 'arrived', port: 15001 };
const noAddress: ProbeEnd = { kind: 'error', code: 'EADDRNOTAVAIL' };

const expectation: Expectation = {
  mode: 'REDIRECT',
  inboundPort: 15006,
  probePort: 15002,
  owner: { uid: 1337, gid: 1337 },
};

describe('failedHop', () => {
  test.each<[string, Expectation['mode'], ProbeEnd, ProbeEnd, string | undefined]>([
    ['the redirected probe arrives, the proxy itself is refused', 'REDIRECT', inbound, refused, undefined],
    ['a program on the probe port answers the proxy alone', 'REDIRECT', inbound, stranger, undefined],
    ['no rule takes the probe', 'REDIRECT', refused, refused, 'capture'],
    ['the probe comes out at the outbound port', 'REDIRECT', outbound, refused, 'capture'],
    ['a program on the probe port answers the probe', 'REDIRECT', stranger, stranger, 'capture'],
    ['the probe vanishes', 'REDIRECT', lost, refused, 'capture'],
    ["the proxy's own call comes back", 'REDIRECT', inbound, inbound, 'delivery'],
    ['the delivery address is missing', 'REDIRECT', refused, noAddress, 'address'],
    ['the diverted probe finds no transparent socket', 'TPROXY', lost, refused, undefined],
    ['the diverted probe reaches a proxy that runs', 'TPROXY', quiet, refused, undefined],
    ['the diverted probe misses the application of its port', 'TPROXY', lost, quiet, undefined],
    ['older rules redirect the probe as well', 'TPROXY', inbound, refused, undefined],
    ['nothing diverts the probe', 'TPROXY', refused, refused, 'capture'],
    ['a firewall drops both', 'TPROXY', lost, lost, 'capture'],
    ['the application answers both', 'TPROXY', quiet, quiet, 'capture'],
  ])('%s: %s', (_, mode, capture, delivery, hop) => {
    const failed = failedHop(probeFamilies.IPv4, { ...expectation, mode }, { capture, delivery });
    expect(failed?.hop).toBe(hop);
  });

  test('says from where, to where and as whom', () => {
    const failed = failedHop(probeFamilies.IPv6, expectation, { capture: refused, delivery: refused });
    expect(failed?.message).toBe(
      'the probe (from ::1 to [::6]:15002, uid 1337, gid 1337) was not redirected to port 15006 (ECONNREFUSED)',
    );
  });
});
