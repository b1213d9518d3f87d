import fc from 'fast-check';
import type { RedirectFlagName } from '../flags.ts';

/** Texts of flags, none of which is refused; a flag that is absent is not given. */
export type FlagTexts = Readonly<Partial<Record<RedirectFlagName | 'DNS_CAPTURE', string>>>;

// Apart, so that no list contradicts another.
const included = fc.oneof(port(1000, 1999), range(2000, 2999));
const excluded = fc.oneof(port(3000, 3999), range(4000, 4999));
const own = fc.uniqueArray(fc.integer({ min: 15000, max: 15100 }), { minLength: 3, maxLength: 3 });
const wide = [
  '10.0.0.0/8',
  '172.16.1.1/12',
  '0.0.0.0/0',
  '127.0.0.0/8',
  '127.1.2.3/32',
  'fd00::/8',
  '::/0',
  '2001:DB8:0:0:1::/80',
];
const narrow = ['10.1.2.3/32', '172.16.5.0/24', '192.168.0.0/16', 'fd00:1::/32', '2001:db8::1:0:0:1/128', '4000::/2'];

/** Command lines of `istio-iptables`. */
export const redirectFlagTexts: fc.Arbitrary<FlagTexts> = fc
  .record(
    {
      'mesh-inbound-interception-mode': fc.constantFrom('REDIRECT', 'TPROXY', ''),
      'mesh-inbound-ports': fc.oneof(fc.constant('*'), list(included)),
      'mesh-local-exclude-ports': list(excluded),
      'mesh-service-cidr': fc.oneof(fc.constant('*'), list(fc.constantFrom(...wide))),
      'mesh-service-exclude-cidr': list(fc.constantFrom(...narrow)),
      'mesh-outbound-ports': list(included),
      'mesh-local-outbound-ports-exclude': list(excluded),
      'cluster-virt-interfaces': list(fc.constantFrom('eth1', 'docker0', 'tap+', 'br-0.1', 'v@x:1')),
      'proxy-uid': list(id()),
      'proxy-gid': list(id()),
      'mesh-inbound-tproxy-mark': fc.integer({ min: 1, max: 0xfffffffe }).map(String),
      'mesh-inbound-tproxy-route-table': fc.integer({ min: 256, max: 0x7fffffff }).map(String),
      DNS_CAPTURE: fc.constantFrom('', 'true'),
      ports: own,
    },
    { requiredKeys: [] },
  )
  .map(({ ports, ...texts }) => {
    const [outbound, inbound, tunnel] = ports ?? [];
    if (outbound === undefined) return texts;
    return {
      ...texts,
      'proxy-port': String(outbound),
      'inbound-capture-port': String(inbound),
      'inbound-tunnel-port': String(tunnel),
    };
  });

/** The command line of generated texts, for messages. */
export function flagArguments(texts: FlagTexts): string[] {
  return Object.entries(texts).map(([name, text]) => `${name === 'DNS_CAPTURE' ? name : `--${name}`}=${text}`);
}

function list(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(item, { maxLength: 4 }).map((items) => items.join(','));
}

function id(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom('0', '1337'), fc.integer({ min: 0, max: 60_000 }).map(String));
}

function port(min: number, max: number): fc.Arbitrary<string> {
  return fc.integer({ min, max }).map(String);
}

function range(min: number, max: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
    .map(([a, b]) => `${Math.min(a, b)}:${Math.max(a, b)}`);
}
