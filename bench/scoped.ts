import { createCompiler } from '../src/compiler/compile.ts';
import { defaultSettings } from '../src/config/defaults.ts';
import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import type { SourceFile } from '../src/source/document.ts';
import { readObjects } from './compiling-one.ts';
import { line, medianMs, ms, peakMb } from './measure.ts';
import { generateMesh } from './mesh.ts';

/** 1,000 proxies in a mesh of 10,000 services, each of which a Sidecar lets see 20 (20). */
export function compilingScoped(): void {
  const files = [...generateMesh({ services: 10_000, workloads: 1000, namespaces: 10 }), ...sidecars()];
  const bag = new DiagnosticBag();
  const compiler = createCompiler({ settings: defaultSettings });
  const start = performance.now();
  const compilation = compiler.compile(files, 'all', bag);
  const time = performance.now() - start;
  if (compilation === undefined) throw new Error(JSON.stringify(bag.all.find(({ severity }) => severity === 'error')));
  const clusters = compilation.configs[0]?.clusters.length;
  line('from texts to configurations in memory', ms(time), `${clusters} clusters a proxy`, `${peakMb().toFixed(0)} MB`);
}

/** One gateway for 1,000 hosts, each routed to a service, warm, with the clusters of all services and with its own (21). */
export function compilingGateway(): void {
  const objects = readObjects([...generateMesh({ services: 1000, workloads: 1000, namespaces: 10 }), ...gateway()]);
  for (const filterGatewayClusters of [false, true]) {
    const settings = { ...defaultSettings, filterGatewayClusters };
    const time = medianMs(
      7,
      () => {
        const bag = new DiagnosticBag();
        const edge = [{ namespace: 'mesh-system', name: 'edge' }];
        if (createCompiler({ settings }).compileObjects(objects, edge, bag) === undefined) throw new Error('refused');
      },
      3000,
    );
    line(filterGatewayClusters ? 'clusters that its routes name' : 'clusters of all services', ms(time));
  }
}

function sidecars(): readonly SourceFile[] {
  return Array.from({ length: 1000 }, (_, w) => {
    const hosts = Array.from({ length: 20 }, (_unused, k) => {
      const s = (w * 20 + k * 7) % 10_000;
      return `ns-${s % 10}/svc-${s}.ns-${s % 10}.svc.cluster.local`;
    });
    const text = `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: scope-${w}, namespace: ns-${w % 10}}
spec: {workloadSelector: {labels: {pod: p-${w}}}, egress: [{hosts: [${hosts.join(', ')}]}]}
`;
    return { path: `sidecar-${w}.yaml`, text };
  });
}

function gateway(): readonly SourceFile[] {
  const edge = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: mesh-system, labels: {mesh: ingressgateway}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {phase: Running, podIP: 10.1.9.1}
---
apiVersion: networking.mesh.io/v1alpha3
kind: Gateway
metadata: {name: edge, namespace: mesh-system}
spec: {selector: {mesh: ingressgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ['*']}]}
`;
  const routes = Array.from({ length: 1000 }, (_, s) => {
    const destination = `{host: svc-${s}.ns-${s % 10}.svc.cluster.local, port: {number: 8000}}`;
    return `apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: routes-${s}, namespace: ns-${s % 10}}
spec: {hosts: [svc-${s}.example.com], gateways: [mesh-system/edge], http: [{route: [{destination: ${destination}}]}]}
`;
  });
  return [edge, ...routes].map((text, i) => ({ path: `edge-${i}.yaml`, text }));
}
