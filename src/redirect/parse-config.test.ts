import { describe, expect, test } from 'vitest';
import { type RedirectFlagName, settle } from './flags.ts';
import { type HostFacts, parseRequest } from './parse-config.ts';
import { parseUserDatabase } from './user-database.ts';

const passwd = 'root:x:0:0::/root:/bin/sh\nmesh-proxy:x:998:997::/:/bin/false\nweb:x:1000:1001::/:\nbroken:x:\n';
const group = 'root:x:0:\nstaff:x:50:web\n';
const host: HostFacts = { database: parseUserDatabase(passwd, group), families: ['IPv4', 'IPv6'] };
const bare: HostFacts = { database: parseUserDatabase('', ''), families: ['IPv4'] };

type Flags = Readonly<Partial<Record<RedirectFlagName, string>>>;

function parse(flags: Flags, environment: Readonly<Record<string, string>> = {}, facts = host) {
  return parseRequest(settle(flags, environment), environment, facts);
}

describe('parseRequest', () => {
  test('gives the defaults of the specification where nothing is said', () => {
    const { request, problems, warnings } = parse({}, {}, bare);
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(request).toEqual({
      config: {
        mode: 'REDIRECT',
        families: ['IPv4'],
        proxyPort: 15001,
        inboundPort: 15006,
        tunnelPort: undefined,
        proxyUids: [1337],
        proxyGids: [1337],
        inboundPorts: [],
        excludedInboundPorts: [],
        outboundCidrs: [],
        excludedOutboundCidrs: [],
        outboundPorts: [],
        excludedOutboundPorts: [],
        virtualInterfaces: [],
        tproxyMark: 1337,
        tproxyTable: 133,
        dnsPort: undefined,
      },
      isDryRun: false,
      printsRestoreFormat: true,
      skipsRules: false,
      validates: false,
      probePort: 15002,
      probeTimeoutMs: 5000,
    });
  });

  test.each<[Flags, Readonly<Record<string, string>>, readonly number[], readonly number[]]>([
    [{}, {}, [998], [997]],
    [{}, { PROXY_USER: 'web' }, [1000], [1001]],
    [{ 'proxy-uid': '5,web, 5' }, {}, [5, 1000], [5, 1000]],
    [{ 'proxy-uid': '5', 'proxy-gid': 'staff' }, { PROXY_USER: 'nobody-here' }, [5], [50]],
    [{ 'proxy-gid': '7' }, {}, [998], [7]],
    [{ 'proxy-uid': '' }, { PROXY_UID: '6' }, [998], [997]],
  ])('finds the owners of %j %j', (flags, environment, uids, gids) => {
    const { request, problems } = parse(flags, environment);
    expect(problems).toEqual([]);
    expect([request.config.proxyUids, request.config.proxyGids]).toEqual([uids, gids]);
  });

  test('reads lists, each item once, without blanks and host bits', () => {
    const { request, problems } = parse({
      'mesh-inbound-ports': ' 80, 8000:8999,,80',
      'mesh-service-cidr': '10.1.2.3/8,10.0.0.0/8, FD00:0:0:1::5/64',
      'cluster-virt-interfaces': 'eth1,tap+',
    });
    expect(problems).toEqual([]);
    expect(request.config.inboundPorts).toEqual([
      { first: 80, last: 80 },
      { first: 8000, last: 8999 },
    ]);
    expect(request.config.outboundCidrs).toEqual([
      { family: 'IPv4', text: '10.0.0.0/8' },
      { family: 'IPv6', text: 'fd00:0:0:1::/64' },
    ]);
    expect(request.config.virtualInterfaces).toEqual(['eth1', 'tap+']);
  });

  test.each<[Flags, string]>([
    [{ 'proxy-port': '0' }, '--proxy-port: "0" is no port, expected 1 to 65535'],
    [{ 'proxy-port': '' }, '--proxy-port: "" is no port, expected 1 to 65535'],
    [{ 'inbound-capture-port': '65536' }, '--inbound-capture-port: "65536" is no port, expected 1 to 65535'],
    [{ 'iptables-probe-port': '1e3' }, '--iptables-probe-port: "1e3" is no port, expected 1 to 65535'],
    [{ 'mesh-inbound-ports': '*,80' }, '--mesh-inbound-ports: "*" stands alone, not in a list'],
    [
      { 'mesh-inbound-ports': 'http' },
      '--mesh-inbound-ports: "http" is no port, expected 1 to 65535, or a range as 8000:8999',
    ],
    [{ 'mesh-local-exclude-ports': '*' }, '--mesh-local-exclude-ports: "*" stands alone, not in a list'],
    [{ 'mesh-outbound-ports': '9:1' }, '--mesh-outbound-ports: "9:1" is an empty range'],
    [
      { 'mesh-outbound-ports': '1:2:3' },
      '--mesh-outbound-ports: "1:2:3" is no port, expected 1 to 65535, or a range as 8000:8999',
    ],
    [
      { 'mesh-service-cidr': '10.0.0.1' },
      '--mesh-service-cidr: "10.0.0.1" has no prefix length, one address is "10.0.0.1/32"',
    ],
    [
      { 'mesh-service-cidr': '010.0.0.0/8' },
      '--mesh-service-cidr: "010.0.0.0/8" is no address range, expected one as 10.0.0.0/8 or fd00::/8',
    ],
    [
      { 'mesh-service-cidr': '10.0/8' },
      '--mesh-service-cidr: "10.0/8" is no address range, expected one as 10.0.0.0/8 or fd00::/8',
    ],
    [{ 'mesh-service-cidr': '10.0.0.0/33' }, '--mesh-service-cidr: "10.0.0.0/33" has no prefix length from 0 to 32'],
    [
      { 'mesh-service-cidr': '::ffff:10.0.0.0/104' },
      '--mesh-service-cidr: "::ffff:10.0.0.0/104" mixes the families, write it as an IPv4 range',
    ],
    [{ 'mesh-service-exclude-cidr': '*' }, '--mesh-service-exclude-cidr: "*" stands alone, not in a list'],
    [
      { 'mesh-service-exclude-cidr': 'fe80::1%eth0/64' },
      '--mesh-service-exclude-cidr: "fe80::1%eth0/64" is no address range, expected one as 10.0.0.0/8 or fd00::/8',
    ],
    [
      { 'cluster-virt-interfaces': 'a234567890123456' },
      '--cluster-virt-interfaces: "a234567890123456" is no interface name of at most 15 characters',
    ],
    [
      { 'cluster-virt-interfaces': 'eth0 -j ACCEPT' },
      '--cluster-virt-interfaces: "eth0 -j ACCEPT" is no interface name of at most 15 characters',
    ],
    [{ 'cluster-virt-interfaces': 'lo' }, '--cluster-virt-interfaces: "lo" is no interface of a guest'],
    [{ 'proxy-uid': 'who' }, '--proxy-uid: there is no user "who" in /etc/passwd, name an id'],
    [{ 'proxy-gid': '4294967295' }, '--proxy-gid: "4294967295" is no id, expected 0 to 4294967294'],
    [
      { 'mesh-inbound-interception-mode': 'tproxy' },
      '--mesh-inbound-interception-mode: "tproxy" is no mode, expected REDIRECT or TPROXY',
    ],
    [{ 'mesh-inbound-tproxy-mark': '' }, '--mesh-inbound-tproxy-mark: "" is no packet mark, expected 1 to 4294967294'],
    [
      { 'mesh-inbound-tproxy-mark': '0xffffffff' },
      '--mesh-inbound-tproxy-mark: "0xffffffff" is no packet mark, expected 1 to 4294967294',
    ],
    [
      { 'mesh-inbound-tproxy-route-table': '254' },
      '--mesh-inbound-tproxy-route-table: "254" is no routing table for this, expected 1 to 4294967295 without 253, 254 and 255',
    ],
    [{ 'probe-timeout': '5' }, '--probe-timeout: "5" is no duration above 0, as 5s or 300ms'],
    [{ 'proxy-gid': 'who' }, '--proxy-gid: there is no group "who" in /etc/group, name an id'],
    [{ 'proxy-port': '15006' }, '--inbound-capture-port: "15006" is the port of --proxy-port too, name another'],
    [
      { 'inbound-tunnel-port': '15001' },
      '--inbound-tunnel-port: "15001" is the port of --proxy-port too, name another',
    ],
  ])('refuses %j', (flags, problem) => {
    expect(parse(flags).problems).toEqual([problem]);
  });

  test('names the variable that a refused value came from', () => {
    const environment = { PROXY_PORT: 'x', RUN_VALIDATION: 'maybe', PROXY_USER: 'who' };
    expect(parse({}, environment).problems).toEqual([
      'PROXY_USER: there is no user "who" in /etc/passwd',
      'PROXY_PORT: "x" is no port, expected 1 to 65535',
      'RUN_VALIDATION: "maybe" is neither true nor false',
    ]);
  });

  test.each<[Flags, HostFacts, string]>([
    [
      { 'mesh-inbound-ports': '80', 'mesh-local-exclude-ports': '81' },
      host,
      '--mesh-local-exclude-ports has no effect: not all inbound ports are captured',
    ],
    [
      { 'mesh-service-exclude-cidr': '10.0.0.0/8' },
      host,
      '--mesh-service-exclude-cidr has no effect: no outbound connection is captured',
    ],
    [
      { 'mesh-local-outbound-ports-exclude': '1' },
      host,
      '--mesh-local-outbound-ports-exclude has no effect: no outbound connection is captured',
    ],
    [{ 'mesh-inbound-tproxy-mark': '2' }, host, 'mark and route table have no effect: the mode is REDIRECT'],
    [
      { 'mesh-inbound-interception-mode': 'TPROXY' },
      host,
      '--mesh-inbound-interception-mode "TPROXY" has no effect: no inbound port is captured (--mesh-inbound-ports)',
    ],
    [{ 'mesh-service-cidr': 'fd00::/8' }, bare, 'IPv6 is off, so "fd00::/8" has no effect'],
    [
      { 'proxy-uid': 'root' },
      host,
      "connections of root count as the proxy's own and bypass it (id 0 in --proxy-uid or --proxy-gid)",
    ],
  ])('warns at %j', (flags, facts, warning) => {
    expect(parse(flags, {}, facts)).toMatchObject({ problems: [], warnings: [warning] });
  });

  test.each<[Flags, readonly string[]]>([
    [
      { 'mesh-inbound-ports': '8080,15020', 'mesh-local-exclude-ports': '15020' },
      [
        '--mesh-inbound-ports: "15020" is in --mesh-local-exclude-ports too: it is captured',
        '--mesh-local-exclude-ports has no effect: not all inbound ports are captured',
      ],
    ],
    [
      { 'mesh-outbound-ports': '443', 'mesh-local-outbound-ports-exclude': '443' },
      ['--mesh-outbound-ports: "443" is in --mesh-local-outbound-ports-exclude too: what both name is left alone'],
    ],
    [
      { 'mesh-service-cidr': '10.1.0.0/16', 'mesh-service-exclude-cidr': '10.0.0.0/8' },
      ['--mesh-service-cidr: "10.1.0.0/16" lies in --mesh-service-exclude-cidr "10.0.0.0/8": it is left alone'],
    ],
  ])('takes the overlap of %j, and says which list counts', (flags, warnings) => {
    expect(parse(flags)).toMatchObject({ problems: [], warnings });
  });

  test('takes the mode from the variable that the agent reads too, after that of the flag', () => {
    const modeOf = (environment: Readonly<Record<string, string>>) => parse({}, environment).request.config.mode;
    expect(modeOf({ INTERCEPTION_MODE: 'TPROXY' })).toBe('TPROXY');
    expect(modeOf({ INTERCEPTION_MODE: 'TPROXY', MESH_INBOUND_INTERCEPTION_MODE: 'REDIRECT' })).toBe('REDIRECT');
    expect(parse({}, { INTERCEPTION_MODE: 'tproxy' }).problems).toEqual([
      'INTERCEPTION_MODE: "tproxy" is no mode, expected REDIRECT or TPROXY',
    ]);
  });

  test('keeps quiet about a mark from a variable, which every pod may have', () => {
    expect(parse({}, { MESH_INBOUND_TPROXY_MARK: '5' }).warnings).toEqual([]);
  });
});
