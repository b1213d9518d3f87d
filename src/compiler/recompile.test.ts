import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { runs } from '../testing/effort.ts';
import { edgeObject, edgeTopology } from '../testing/generated-edge.ts';
import { meshTopology } from '../testing/generated-mesh.ts';
import { policies } from '../testing/generated-policies.ts';
import { sidecarObject } from '../testing/generated-sidecars.ts';
import { type Compiler, createCompiler } from './compile.ts';

const topology = [meshTopology(), edgeTopology()];
const versions = { PeerAuthentication: 'security.mesh.io/v1beta1', DestinationRule: 'networking.mesh.io/v1alpha3' };

/** An object that decides about requests, or what a sidecar reaches. */
type Written = { readonly metadata: object };
const readObject = (): fc.Arbitrary<Written> =>
  fc.oneof<fc.WeightedArbitrary<Written>[]>(
    { arbitrary: edgeObject(), weight: 3 },
    { arbitrary: sidecarObject(), weight: 1 },
  );

/** Objects of all seven kinds, each a text that wants a name. */
const objects = fc
  .tuple(
    fc.array(readObject(), { minLength: 3, maxLength: 8 }),
    policies().map((list) => list.map((policy) => ({ apiVersion: versions[policy.kind], ...policy }))),
  )
  .map(([edge, peers]) => [...edge, ...peers]);

const edits = fc.array(fc.tuple(fc.nat(), fc.option(readObject(), { freq: 3, nil: undefined })), {
  minLength: 1,
  maxLength: 4,
});

describe('compile', () => {
  test('gives after each change what a fresh compiler gives, for policies of all seven kinds', () => {
    let compiled = 0;
    fc.assert(
      fc.property(objects, edits, (before, changes) => {
        const known = createCompiler({ settings: defaultSettings });
        const files = before.map(fileOf);
        expect(outcome(known, files)).toEqual(outcome(createCompiler({ settings: defaultSettings }), files));
        for (const [place, replacement] of changes) {
          const index = place % files.length;
          const own = replacement === undefined ? [] : [fileOf(replacement, index)];
          files.splice(index, own.length === 0 && files.length === 1 ? 0 : 1, ...own);
          const after = outcome(known, files);
          if (after.texts !== undefined) compiled += 1;
          expect(after).toEqual(outcome(createCompiler({ settings: defaultSettings }), files));
        }
      }),
      runs(6),
    );
    expect(compiled).toBeGreaterThan(4);
  });

  test('gives a TCP route the hash of its destination, once a rule says it', () => {
    // They are called by their places: o0, o1 and so on.
    const known = createCompiler({ settings: defaultSettings });
    const service = (name: string, address: string) => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'a' } },
      spec: { clusterIP: address, ports: [{ name: 'tcp', port: 9000 }] },
    });
    const route = {
      ...{ apiVersion: 'networking.mesh.io/v1', kind: 'VirtualService', metadata: { name: 'near', namespace: 'a' } },
      spec: { hosts: ['o0'], tcp: [{ route: [{ destination: { host: 'o1' } }] }] },
    };
    const pod = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'client', namespace: 'a' } },
      ...{ spec: { containers: [{ name: 'mesh-proxy' }] }, status: { podIP: '10.0.0.1' } },
    };
    const rule = {
      ...{ apiVersion: 'networking.mesh.io/v1', kind: 'DestinationRule', metadata: { name: 'far', namespace: 'a' } },
      spec: { host: 'o1', trafficPolicy: { loadBalancer: { consistentHash: { useSourceIp: true } } } },
    };
    const files = [service('near', '10.96.0.1'), service('far', '10.96.0.2'), route, pod].map(fileOf);
    outcome(known, files);
    const after = [...files, fileOf(rule, files.length)];
    expect(outcome(known, after)).toEqual(outcome(createCompiler({ settings: defaultSettings }), after));
  });

  test('gives what a fresh compiler gives when what policies speak of comes and goes', () => {
    const known = createCompiler({ settings: defaultSettings });
    const fresh = (files: readonly SourceFile[]) => outcome(createCompiler({ settings: defaultSettings }), files);
    const late = [lateService, latePod].map(fileOf);
    const spoken = aboutLate.map((object, i) => fileOf(object, i + late.length));
    const faults: number[] = [];
    for (const there of [[], late, late.slice(0, 1), late.slice(1), late, []]) {
      const after = outcome(known, [...there, ...spoken]);
      expect(after).toEqual(fresh([...there, ...spoken]));
      faults.push(after.diagnostics.length);
    }
    expect(Math.min(...faults)).toBeLessThan(Math.max(...faults));
  });

  test('makes only the resources of those proxies anew for which a Sidecar changes', () => {
    const compiler = createCompiler({ settings: defaultSettings });
    const resourcesWith = (host: string) => {
      const own = { metadata: { namespace: 'a' }, spec: { egress: [{ hosts: [host] }] } };
      const sidecar = { apiVersion: 'networking.mesh.io/v1', kind: 'Sidecar', ...own };
      const compilation = compiler.compile([...topology, fileOf(sidecar, 0)], 'all', new DiagnosticBag());
      if (compilation === undefined) throw new Error('the mesh does not compile');
      return new Map(
        compilation.configs.map(({ listeners, clusters, routes }, i) => {
          const { namespace, name } = compilation.workloads[i] ?? { namespace: '', name: '' };
          return [`${namespace}/${name}`, [...listeners, ...clusters, ...routes]];
        }),
      );
    };
    const before = resourcesWith('./*');
    const after = resourcesWith('b/*');
    for (const [name, resources] of after) {
      const isSame =
        resources.length === before.get(name)?.length && resources.every((it, i) => it === before.get(name)?.[i]);
      expect([name, isSame]).toEqual([name, !name.startsWith('a/')]);
    }
    expect(new Set([...after.keys()].map((name) => name.split('/')[0])).size).toBeGreaterThan(1);
  });

  test('gives the same bytes and diagnostics whatever the order of policies of all seven kinds', () => {
    fc.assert(
      fc.property(objects, fc.infiniteStream(fc.nat()), (list, order) => {
        const files = list.map(fileOf);
        const keys = new Map(files.map((file) => [file, order.next().value as number]));
        const shuffled = [...files].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
        const compiler = () => createCompiler({ settings: defaultSettings });
        expect(outcome(compiler(), shuffled)).toEqual(outcome(compiler(), files));
      }),
      runs(6),
    );
  });
});

const app = { app: 'late' };
const lateService = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'a' } },
  spec: { clusterIP: '10.96.9.9', selector: app, ports: [{ name: 'http', port: 80 }] },
};
const latePod = {
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'a', labels: app } },
  spec: { containers: [{ name: 'app', ports: [{ containerPort: 80 }] }] },
  status: { podIP: '10.1.9.9' },
};

/** Policies of the service and the pod above, which has the name that `fileOf` gives to the first object. */
const aboutLate = [
  {
    ...{ apiVersion: versions.DestinationRule, kind: 'DestinationRule', metadata: { namespace: 'a' } },
    spec: {
      host: 'o0.a.svc.cluster.local',
      trafficPolicy: { portLevelSettings: [{ port: { number: 80 }, tls: { mode: 'DISABLE' } }] },
    },
  },
  {
    ...{ apiVersion: versions.PeerAuthentication, kind: 'PeerAuthentication', metadata: { namespace: 'a' } },
    spec: { selector: { matchLabels: app }, mtls: { mode: 'STRICT' }, portLevelMtls: { 80: { mode: 'DISABLE' } } },
  },
  {
    ...{ apiVersion: versions.PeerAuthentication, kind: 'AuthorizationPolicy', metadata: { namespace: 'a' } },
    spec: { selector: { matchLabels: app }, rules: [{ to: [{ operation: { paths: ['/x'] } }] }] },
  },
  {
    ...{ apiVersion: versions.DestinationRule, kind: 'VirtualService', metadata: { namespace: 'a' } },
    spec: {
      hosts: ['o0.a.svc.cluster.local'],
      http: [{ route: [{ destination: { host: 'o0.a.svc.cluster.local' } }] }],
    },
  },
];

function fileOf(object: { readonly metadata: object }, index: number): SourceFile {
  const metadata = { ...object.metadata, name: `o${index}` };
  return { path: `${index}.yaml`, text: stringify({ ...object, metadata }) };
}

interface Outcome {
  readonly texts: readonly string[] | undefined;
  readonly diagnostics: readonly string[];
}

function outcome(compiler: Compiler, files: readonly SourceFile[]): Outcome {
  const bag = new DiagnosticBag();
  const compilation = compiler.compile([...topology, ...files], 'all', bag);
  const texts = compilation?.configs.flatMap(({ bootstrap, listeners, clusters, routes }) =>
    [bootstrap, ...listeners, ...clusters, ...routes].map(({ text }) => text),
  );
  const diagnostics = bag.all.map(({ code, message, span }) => `${span?.file}:${span?.start} ${code} ${message}`);
  return { texts, diagnostics: [...new Set(diagnostics)].sort() };
}
