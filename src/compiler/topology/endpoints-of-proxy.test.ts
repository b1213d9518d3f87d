import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import * as make from '../../testing/objects.ts';
import { app, resolve } from './testing/resolved.ts';

describe('endpoints that lead a proxy to itself', () => {
  const at = (address: string, port: number) => ({ address, ports: { http: port } });
  const entry = (name: string, resolution: 'STATIC' | 'DNS', list: readonly { address: string }[]) =>
    make.serviceEntry(`shop/${name}`, {
      hosts: [`${name}.com`],
      ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
      resolution,
      endpoints: [...list, at('10.4.0.1', 8080)],
    });
  const local = ['127.0.0.1', '127.8.0.2', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::', '169.254.1.2', 'fe80::1'];
  const kept = ({ services }: ReturnType<typeof resolve>) =>
    services.map(({ endpoints }) => endpoints.map(({ address, port }) => `${address} ${port}`));
  const told = ({ diagnostics }: ReturnType<typeof resolve>) => [...new Set(diagnostics.map(([code]) => code))];

  test.each([15000, 15001, 15006, 15020, 15090])('leaves out port %i, whatever the host', (port) => {
    const resolved = resolve([
      entry('fixed', 'STATIC', [at('10.4.0.2', port)]),
      entry('named', 'DNS', [at('localhost.example', port), at('10.4.0.2', port)]),
      make.service('shop/out', { type: 'ExternalName', externalName: 'lo.example', ports: [{ name: 'http', port }] }),
      make.serviceEntry('shop/alone', {
        hosts: ['lo.example'],
        ports: [{ number: port, name: 'http', protocol: 'HTTP' }],
        resolution: 'DNS',
      }),
    ]);
    expect(kept(resolved).flat()).toEqual(['10.4.0.1 8080', '10.4.0.1 8080']);
    expect(told(resolved)).toEqual(['endpoint-of-proxy']);
  });

  test('leaves out the ports that this proxy is configured with, and no others', () => {
    const proxy = { ...defaultSettings.proxy, adminPort: 15100, statusPort: 15120 };
    const ports = [15000, 15020, 15021, 15100, 15120];
    const resolved = resolve(
      [
        entry(
          'moved',
          'STATIC',
          ports.map((port) => at('10.4.0.2', port)),
        ),
      ],
      { proxy },
    );
    expect(kept(resolved)).toEqual([['10.4.0.1 8080', '10.4.0.2 15000', '10.4.0.2 15020', '10.4.0.2 15021']]);
  });

  test.each([
    ['the token service', 15463, { tokenServicePort: 15463 }],
    ['DNS', 15053, { servesDns: true }],
    ['DNS', 15053, { proxyMetadata: { DNS_AGENT: 'true' } }],
  ])('leaves out names and loopback at the port of %s, and no address of another machine', (_, port, own) => {
    const list = ['lo.example', '127.0.0.1', '10.4.0.2'].map((it) => at(it, port));
    const objects = [entry('named', 'DNS', list)];
    const settings = { allowedLocalEndpoints: ['127.0.0.1'], proxy: { ...defaultSettings.proxy, ...own } };
    const resolved = resolve(objects, settings);
    expect(kept(resolved)).toEqual([['10.4.0.1 8080', `10.4.0.2 ${port}`]]);
    expect(told(resolved)).toEqual(['endpoint-of-proxy']);
    expect(kept(resolve(objects, { allowedLocalEndpoints: ['127.0.0.1'] }))[0]).toHaveLength(4);
    expect(kept(resolve(objects, { ...settings, allowedProxyPortHosts: ['named.com'] }))[0]).toHaveLength(4);
  });

  test.each(local)('leaves out %s on any port, wherever it stands', (address) => {
    const resolved = resolve([
      entry('fixed', 'STATIC', [at(address, 8080)]),
      entry('named', 'DNS', [at(address, 8080)]),
      make.workloadEntry('shop/vm', { address, labels: app }),
      make.serviceEntry('shop/selecting', {
        hosts: ['vm.com'],
        ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
        resolution: 'STATIC',
        workloadSelector: { labels: app },
      }),
      make.pod({ name: 'shop/pod', labels: { app: 'pod' } }, address),
      make.service('shop/pods', { selector: { app: 'pod' }, ports: [{ name: 'http', port: 80 }] }),
      make.service('shop/recorded', { ports: [{ name: 'http', port: 80 }] }),
      make.endpoints('shop/recorded', [{ addresses: [{ ip: address }], ports: [{ name: 'http', port: 80 }] }]),
    ]);
    expect(kept(resolved).flat()).toEqual(['10.4.0.1 8080', '10.4.0.1 8080']);
    expect(told(resolved)).toEqual(['local-endpoint']);
  });

  test('leaves out names of loopback', () => {
    const resolved = resolve([
      entry(
        'named',
        'DNS',
        ['localhost', 'x.localhost', 'localhost.'].map((it) => at(it, 1)),
      ),
    ]);
    expect(kept(resolved)).toEqual([['10.4.0.1 8080']]);
  });

  test('leaves out the socket of the private key, whatever its folder is called', () => {
    const sockets = ['unix:///etc/mesh/proxy/SDS', 'unix:///proc/self/cwd/etc/mesh/proxy/SDS', 'unix:///SDS'];
    const list = [...sockets, 'unix:///run/app/sds'].map((it) => at(it, 1));
    const resolved = resolve([entry('fixed', 'STATIC', list)], { allowedProxyPortHosts: ['fixed.com'] });
    expect(kept(resolved)).toEqual([['10.4.0.1 8080', 'unix:///run/app/sds 0']]);
  });

  test('keeps what the mesh configuration allows, but for the administration of the proxy itself', () => {
    const list = [...local, '10.4.0.2', 'localhost'].flatMap((it) => [at(it, 15000), at(it, 15020)]);
    const allowedLocalEndpoints = ['127.0.0.0/8', '::1', '0.0.0.0', '::/128', '169.254.1.2', 'fe80::/10'];
    const settings = { allowedLocalEndpoints, allowedProxyPortHosts: ['named.com'] };
    const [named = [], other = []] = kept(
      resolve([entry('named', 'DNS', list), entry('other', 'DNS', list)], settings),
    );
    expect(other).toEqual(['10.4.0.1 8080']);
    expect(named.filter((it) => it.endsWith(' 15020'))).toHaveLength(local.length + 2);
    expect(named.filter((it) => it.endsWith(' 15000')).sort()).toEqual([
      '10.4.0.2 15000',
      '169.254.1.2 15000',
      'fe80::1 15000',
    ]);
    const narrow = kept(
      resolve(
        [
          entry(
            'other',
            'DNS',
            local.map((it) => at(it, 80)),
          ),
        ],
        { allowedLocalEndpoints: ['127.0.0.0/29'] },
      ),
    );
    expect(narrow).toEqual([['10.4.0.1 8080', '127.0.0.1 80', '::ffff:7f00:1 80']]);
  });
});
