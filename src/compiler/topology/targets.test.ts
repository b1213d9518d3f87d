import { describe, expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { app, resolve, webPod } from './testing/resolved.ts';

describe('targets of workloads', () => {
  test('binds a service without selector to the workloads of its namespace that its endpoints name', () => {
    const bare = make.service('shop/bare', { clusterIP: '10.96.0.2', ports: [{ name: 'http', port: 80 }] });
    const elsewhere = make.service('other/bare', { clusterIP: '10.96.0.3', ports: [{ name: 'tcp', port: 80 }] });
    const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'http', port: 8080 }] }];
    const foreign = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'tcp', port: 8080 }] }];
    const { workloads } = resolve([
      bare,
      elsewhere,
      webPod,
      make.endpoints('shop/bare', subsets),
      make.endpoints('other/bare', foreign),
    ]);
    expect(workloads[0]?.targets.map(({ service, targetPort }) => [service.namespace, targetPort])).toEqual([
      ['shop', 8080],
    ]);
  });

  test('binds the TCP port of a service without selector also where UDP has the same number', () => {
    const dns = make.service('shop/dns', {
      clusterIP: '10.96.0.2',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    });
    const subset = { addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'dns-tcp', port: 5353 }] };
    const { workloads } = resolve([dns, webPod, make.endpoints('shop/dns', [subset])]);
    expect(workloads[0]?.targets.map(({ port, targetPort }) => [port.protocol, targetPort])).toEqual([['tcp', 5353]]);
  });

  test('takes a target port for a number only when it is all digits', () => {
    const names = ['8e3', '0x50', '8080'];
    const service = make.service('shop/web', {
      selector: app,
      ports: names.map((targetPort, i) => ({ name: `http-${i}`, port: 80 + i, targetPort })),
    });
    const ports = [{ name: '8e3', containerPort: 1 }];
    const pod = make.pod({ name: 'shop/web-1', labels: app }, '10.0.0.1', { containers: [{ name: 'app', ports }] });
    expect(resolve([service, pod]).workloads[0]?.targets.map(({ targetPort }) => targetPort)).toEqual([1, 8080]);
  });

  test('keeps the oldest of two services that speak differently on one container port', () => {
    const rival = (createdAt: number, name: string, port: string) =>
      make.service(
        { name: `shop/${name}`, createdAt },
        { selector: app, ports: [{ name: port, port: 80, targetPort: 8080 }] },
      );
    const { workloads, diagnostics } = resolve([
      rival(2, 'a', 'tcp'),
      rival(1, 'b', 'http'),
      rival(3, 'c', 'http'),
      webPod,
    ]);
    expect(workloads[0]?.targets.map(({ service }) => service.name)).toEqual(['b']);
    expect(diagnostics).toEqual([['conflicting-target-port', 'Service/shop/a#spec.ports.0']]);
  });
});
