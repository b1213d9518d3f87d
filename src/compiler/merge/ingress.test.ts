import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Sidecar } from '../../policy/sidecar.ts';
import * as make from '../../testing/objects.ts';
import { createAnalyser } from '../analyse.ts';
import { analysed, sidecarMesh } from './testing/sidecar-bench.ts';

describe('ingress', () => {
  const port = (number: number) => ({ port: { number, protocol: 'HTTP' } });
  const portLevel = make.peerAuthentication('a/p', {
    selector: { matchLabels: { app: 'web' } },
    portLevelMtls: { 80: { mode: 'STRICT' }, 8080: { mode: 'STRICT' } },
  });
  const inboundOf = (...sidecars: readonly Sidecar[]) => {
    const snapshot = createAnalyser(defaultSettings)([...sidecarMesh, portLevel, ...sidecars], new DiagnosticBag());
    const web = { namespace: 'a', name: 'web' };
    if (snapshot === undefined) throw new Error('no snapshot');
    const numbers = snapshot.effective.ingress(web).map(({ number }) => number);
    return { numbers, strict: [...snapshot.effective.inbound(web).ports.keys()] };
  };

  test('applies a port-level mode to its own ports, and keeps it on the ports of services', () => {
    expect(inboundOf()).toEqual({ numbers: [], strict: [80] });
    expect(inboundOf(make.sidecar('a/s', { ingress: [port(8080)] }))).toEqual({ numbers: [8080], strict: [80, 8080] });
    expect(analysed([portLevel]).said).toEqual([
      expect.stringContaining('port-without-service: mutual TLS of port 8080'),
    ]);
    expect(analysed([portLevel, make.sidecar('a/s', { ingress: [port(8080)] })]).said).toEqual([]);
  });

  test('is that of the most specific Sidecar alone', () => {
    const wide = make.sidecar('a/s', { ingress: [port(8080)] });
    const own = make.sidecar('a/web', { workloadSelector: { labels: { app: 'web' } }, egress: [{ hosts: ['./*'] }] });
    expect(inboundOf(wide, own).numbers).toEqual([]);
  });
});
